"""The Devices page as a reader meets it: the map, the table, a device of one's own, the files."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.shared.i18n import Texts
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, settled, shot


def opened(page: Page, server: Server, query: str = "") -> Page:
    page.goto(f"{server.url}/devices?v=1&{query}")
    settled(page)
    expect(page.locator(".pa-dev-mark").first).to_be_visible()
    no_exception(page)
    return page


def mark(page: Page, device: str, d: int) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{re.escape(device)}, d = {d}:"))


def pair(page: Page) -> Locator:
    return page.locator(".st-key-devices_pair")


def rows(page: Page) -> Locator:
    return page.locator(".pa-dev-box tbody tr")


@pytest.mark.parametrize(("size", "theme", "lang"), [("desk", "light", "en"), ("phone", "dark", "es")])
def test_the_map_is_whole_at_every_width(
    server: Server, page_factory: PageFactory, size: str, theme: str, lang: str
) -> None:
    page = opened(page_factory(*SIZES[size], theme=theme, lang=lang), server, f"lang={lang}")
    no_sideways_scroll(page)
    cut = """() => {
      const svg = document.querySelector(".pa-dev-map svg"), frame = svg.getBoundingClientRect();
      return [...svg.querySelectorAll("text")].filter((text) => {
        const box = text.getBoundingClientRect();
        return box.left < frame.left - 1 || box.right > frame.right + 1;
      }).map((text) => text.textContent);
    }"""
    assert page.evaluate(cut) == [], "no name and no number is cut"
    box = page.locator(".pa-dev-box")
    assert box.bounding_box()["width"] <= SIZES[size][0]  # type: ignore[index]
    if size == "phone":
        assert box.evaluate("box => box.scrollWidth > box.clientWidth"), "the table scrolls in its own box"
    shot(page, f"devices-{size}-{theme}")


def test_the_map_answers_pointer_and_keyboard(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "lang=en")
    expect(mark(page, "NVIDIA H100 SXM", 512)).to_have_attribute("aria-pressed", "true")
    expect(pair(page)).to_contain_text("Small cache: M = 116\u202f224 words")
    now = page.locator(".pa-dev-now")
    mark(page, "NVIDIA T4", 64).hover()
    expect(now).to_contain_text("NVIDIA T4, d = 64: M = 32\u202f768 words = 8 d². Not small.")
    mark(page, "NVIDIA H100 SXM", 512).focus()
    page.keyboard.press("ArrowLeft")
    expect(now).to_contain_text("NVIDIA H100 SXM, d = 256")
    page.keyboard.press("ArrowUp")
    expect(now).to_contain_text("NVIDIA B200, d = 256")
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"device=nvidia-b200&"))
    expect(pair(page)).to_contain_text("Not small: M = 116\u202f224 words")
    expect(mark(page, "NVIDIA B200", 256)).to_be_focused()  # the reader goes on from there
    mark(page, "NVIDIA T4", 512).click()
    expect(page).to_have_url(re.compile(r"device=nvidia-t4&"))
    expect(pair(page)).to_contain_text("Small cache: M = 32\u202f768 words")


def test_the_table_is_searched_sorted_and_filtered(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "lang=en")
    search = page.get_by_role("searchbox")
    search.fill("adreno d=512")
    expect(page.locator(".pa-dev-search [role=status]")).to_have_text(re.compile(r"^5 of 598"))
    expect(rows(page).first).to_contain_text("weak source: not traced to a vendor's document")
    search.fill("h100")
    expect(rows(page)).to_have_count(26)
    page.get_by_label("small-cache only").check()
    expect(rows(page)).to_have_count(5)
    page.get_by_label("small-cache only").uncheck()
    page.get_by_role("button", name="M / d²").click()
    values = [
        float(text.replace("\u202f", "")) for text in page.locator(".pa-dev-box td:nth-child(5)").all_inner_texts()
    ]
    assert values == sorted(values)
    assert values[0] < 1 < values[-1]
    expect(page.locator("th[data-by=squares]")).to_have_attribute("aria-sort", "ascending")
    assert rows(page).first.get_by_role("link").first.get_attribute("href").startswith("https://")  # type: ignore[union-attr]
    search.fill("h100 gpt-2")
    rows(page).first.get_by_role("button").click()
    expect(page).to_have_url(re.compile("model=gpt-2-small"))


def test_a_device_of_ones_own_travels_in_the_link(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server, "lang=en")
    page.get_by_role("button", name="Your own device").click()
    for label, value in {
        "Name of": "Chip <b>$x$",
        "Fast memory": "65536",
        "Bandwidth": "819.2",
        "Head dim": "300",
    }.items():
        page.get_by_label(re.compile(f"^{label}")).fill(value)
        page.keyboard.press("Enter")
        settled(page)
    expect(page).to_have_url(re.compile(r"device=own&model=own&.*bytes=65536&gbs=819\.2&.*d=300"))
    expect(pair(page)).to_contain_text("Small cache: M = 32\u202f768 words = 0.364 d²")
    english = pair(page).locator("td").all_inner_texts()
    other = opened(page_factory(lang="es"), server, page.url.partition("v=1&")[2].replace("lang=en", "lang=es"))
    expect(pair(other)).to_contain_text("Caché pequeña: M = 32\u202f768 palabras = 0.364 d²")
    spanish = pair(other).locator("td").all_inner_texts()
    numbers = [[text for text in texts if re.match(r"\d", text)] for texts in (english, spanish)]
    assert numbers[0] == numbers[1]
    assert len(numbers[0]) >= 8
    expect(mark(other, "Chip <b>$x$", 300)).to_have_attribute("aria-pressed", "true")


def test_map_and_table_are_files(server: Server, page_factory: PageFactory, tmp_path: Path) -> None:
    page = opened(page_factory(), server, "lang=en")
    saved = {}
    for name in ("Save the map as SVG", "Save the map as PNG", "Save the table as CSV"):
        with page.expect_download() as download:
            page.get_by_role("button", name=name).click()
        saved[name[-3:]] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[name[-3:]])
    svg = saved["SVG"].read_text(encoding="utf-8")
    assert "NVIDIA H100 SXM" in svg
    assert re.search(r'<rect class="pa-dev-square"[^>]* style="fill: ?rgb', svg), "it needs no style of the page"
    assert "var(" not in svg
    t = Texts("en")
    level = t("devices.level.shared")
    for words in (level, t("devices.dtype.float16"), t("devices.map.legend_line"), t("devices.map.ring"), "@font-face"):
        assert words in svg, words
    assert t("devices.map.title")[:30] in svg, "long lines are broken"
    assert saved["PNG"].read_bytes().startswith(b"\x89PNG")
    assert len(saved["CSV"].read_text(encoding="utf-8").splitlines()) == 1 + 598
