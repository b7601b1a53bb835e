"""The kitchen as a reader meets it: it moves by itself, and one slider changes everything with no server trip."""

import json
import re

import pytest
from playwright.sync_api import Locator, Page, WebSocket, expect

from kernels_ref import count, crossover, swaps
from pages.shared.i18n import Texts
from pages.shared.numbers import grouped
from pages.shared.settings import ALGORITHM_IDS, HOME_D, HOME_MEMORY, HOME_N
from tests.browser.conftest import SIZES, PageFactory, Server, no_exception, no_sideways_scroll, settled, shot

LANGS = ("es",)  # English where a test says nothing; test_every_page opens both
SQUARE = HOME_D**2
CROSS = crossover("flash2", "small-cache", n=HOME_N, d=HOME_D) or 0
LEAST = count("flash2", n=HOME_N, d=HOME_D, memory=1).least_memory


def opened(page: Page, server: Server, lang: str = "en", **parameters: object) -> Page:
    """The home page, drawn, with its first words under way or, for readers who want less motion, at rest."""
    query = "&".join(f"{name}={value}" for name, value in {"v": 1, **parameters, "lang": lang}.items())
    page.goto(f"{server.url}/?{query}")
    page.wait_for_function("window.__pa_home && window.__pa_home.state().move > 0")
    settled(page)
    no_exception(page)
    return page


def state(page: Page) -> dict[str, object]:
    seen: dict[str, object] = page.evaluate("window.__pa_home.state()")
    return seen


def slider(page: Page) -> Locator:
    return page.get_by_role("slider")


def move_to(page: Page, memory: int) -> None:
    """Put the slider's handle where `memory` is and let it go."""
    slider(page).fill(str(page.evaluate("memory => window.__pa_home.position(memory)", memory)))


def drag_to(page: Page, memory: int, steps: int = 12) -> None:
    """Take the handle with the pointer, bring it to `memory` in small steps, and hold it there."""
    box = slider(page).bounding_box()
    assert box
    highest = int(slider(page).get_attribute("max") or 0)
    thumb = 26

    def x(position: float) -> float:
        return box["x"] + thumb / 2 + (box["width"] - thumb) * position / highest

    now, wanted = (page.evaluate("m => window.__pa_home.position(m)", m) for m in (state(page)["memory"], memory))
    y = box["y"] + box["height"] / 2
    page.mouse.move(x(now), y)
    page.mouse.down()
    for k in range(1, steps + 1):
        page.mouse.move(x(now + (wanted - now) * k / steps), y)


def kitchen(page: Page, algorithm: str) -> Locator:
    return page.locator(f'.kitchen[data-id="{algorithm}"]')


def first_kitchen(page: Page) -> Locator:
    return page.locator(".kitchen").first


def frames(page: Page, number: int = 20) -> None:
    """Let the browser draw `number` frames."""
    page.evaluate(
        "n => new Promise(done => { const next = () => (n-- > 0 ? requestAnimationFrame(next) : done()); next(); })",
        number,
    )


@pytest.mark.parametrize("lang", LANGS)
def test_it_moves_without_a_click(server: Server, page_factory: PageFactory, lang: str) -> None:
    """Two pictures of the small pass differ, a trip is counted, and words are on their way in both kitchens."""
    page = opened(page_factory(lang=lang), server, lang)
    board, total = page.locator(".toy .board"), page.locator(".toy .move .total")
    before, trips = board.inner_html(), total.inner_text()
    expect(total).not_to_have_text(trips)
    assert board.inner_html() != before
    page.wait_for_function("window.__pa_home.state().onTheWay.every(words => words > 0)")
    expect(page.locator(".toy .pill")).to_have_text(Texts(lang)("home.toy_size", n=3, d=2, memory=14))
    expect(page.locator(".curve .pill")).to_have_text(Texts(lang)("home.full_size", n=grouped(HOME_N), d=HOME_D))


@pytest.mark.parametrize("lang", LANGS)
def test_slider_shows_the_exact_counts(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = opened(page_factory(lang=lang), server, lang)
    for memory in (SQUARE // 4, CROSS - 1, CROSS, SQUARE, 4 * SQUARE, HOME_MEMORY[1]):
        move_to(page, memory)
        expect(page.locator(".memory")).to_have_text(Texts(lang)("home.memory_words", memory=grouped(memory)))
        for algorithm in ALGORITHM_IDS:
            words = count(algorithm, n=HOME_N, d=HOME_D, memory=memory).io
            assert words is not None
            expect(kitchen(page, algorithm).locator(".count")).to_have_text(grouped(words))
            expect(kitchen(page, algorithm).locator(".unit")).to_contain_text(Texts(lang)("kind.closed-form"))


@pytest.mark.parametrize("lang", LANGS)
def test_kitchens_change_places_at_the_crossover(server: Server, page_factory: PageFactory, lang: str) -> None:
    page, t = opened(page_factory(lang=lang), server, lang), Texts(lang)
    for memory, winner in (
        (CROSS, "flash2"),
        (CROSS - 1, "small-cache"),
        (SQUARE // 4, "small-cache"),
        (4 * SQUARE, "flash2"),
    ):
        move_to(page, memory)
        expect(first_kitchen(page)).to_have_attribute("data-id", winner)
        expect(first_kitchen(page).locator(".badge")).to_have_text(t("home.badge"))
        expect(page.locator(".kitchen").last.locator(".badge")).to_have_text("")
        expect(page.locator(".verdict")).to_contain_text(t("home.verdict").split("{winner}")[0] + t(f"home.{winner}"))


def test_algorithms_keep_their_colour_and_dash(server: Server, page_factory: PageFactory) -> None:
    """In a kitchen, on the curve, and beside the small pass."""
    page = opened(page_factory(), server)
    page.evaluate("window.__pa_home.stand(1, 0.5)")
    look = "node => { const style = getComputedStyle(node); return [style.stroke, style.strokeDasharray]; }"
    for algorithm, dash in (("flash2", "none"), ("small-cache", "9px, 4px, 2px, 4px")):
        line = page.locator(f".line.{algorithm}").evaluate(look)
        assert line[1] == dash
        assert kitchen(page, algorithm).locator(".swatch path").evaluate(look) == line
    assert page.locator(".toy .swatch path").evaluate(look) == line
    expect(page.locator(".toy .name")).to_have_text(Texts("en")("home.small-cache"))
    shot(page, "home-toy-small-cache")


@pytest.mark.parametrize("run", range(len(ALGORITHM_IDS)))
def test_small_pass_ends_with_its_count(server: Server, page_factory: PageFactory, run: int) -> None:
    """At its last move every output is in the pantry, and as many trips are counted as the closed form says."""
    page = opened(page_factory(reduced_motion=True), server)
    page.evaluate("run => window.__pa_home.stand(run, 1)", run)
    words = count(ALGORITHM_IDS[run], n=3, d=2, memory=14).io
    assert state(page)["trips"] == words
    assert page.locator(".cell.is-blue").count() >= 3 * 3 * 2 + 4 * 3 * 2
    expect(page.locator(".seat.is-red")).to_have_count(0)


def test_small_pass_goes_on_to_the_other_algorithm(server: Server, page_factory: PageFactory) -> None:
    """Left alone, the page shows both: after the last trip of one the other begins, and nothing has broken."""
    page = opened(page_factory(), server)
    page.evaluate("window.__pa_home.stand(0, 0.97)")
    page.wait_for_function("window.__pa_home.state().run === 'small-cache' && window.__pa_home.state().move > 0")


def test_winner_is_right_at_every_change_of_the_lead(server: Server, page_factory: PageFactory) -> None:
    """Both curves are stairs: near d^2 the lead changes more than once."""
    page = opened(page_factory(), server)
    for swap in swaps("flash2", "small-cache", n=HOME_N, d=HOME_D):
        move_to(page, swap.memory)
        expect(first_kitchen(page)).to_have_attribute("data-id", swap.winner)


@pytest.mark.parametrize("lang", LANGS)
def test_flash_does_not_fit_on_a_small_counter(server: Server, page_factory: PageFactory, lang: str) -> None:
    page, t = opened(page_factory(lang=lang), server, lang), Texts(lang)
    move_to(page, LEAST - 1)
    flash = kitchen(page, "flash2")
    expect(flash).to_contain_text(t("home.misfit"))
    expect(flash).to_contain_text(t("home.needs", least=LEAST))
    expect(page.locator(".verdict")).to_contain_text(str(LEAST))
    assert state(page)["counts"] == [None, count("small-cache", n=HOME_N, d=HOME_D, memory=LEAST - 1).io]
    shot(page, f"home-misfit-{lang}")
    move_to(page, LEAST)
    expect(flash).not_to_contain_text(t("home.misfit"))


def test_dragging_makes_no_server_trip_and_release_writes_the_address(
    server: Server, page_factory: PageFactory
) -> None:
    page = page_factory()
    sockets: list[WebSocket] = []
    page.on("websocket", lambda socket: sockets.append(socket))
    opened(page, server)
    sent: list[str | bytes] = []
    for socket in sockets:
        socket.on("framesent", lambda frame: sent.append(frame))
    drag_to(page, SQUARE // 4)
    expect(page.locator(".memory")).to_have_text(re.compile(r"^1.0\d\d words$"))
    memory = state(page)["memory"]
    assert sent == []
    assert f"m={SQUARE}" in page.url
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"[?&]m={memory}(&|$)"))
    assert sent
    assert state(page)["memory"] == memory, "the slider stays where it was let go"
    page.reload()
    page.wait_for_function("window.__pa_home && window.__pa_home.state().move > 0")
    assert state(page)["memory"] == memory


def test_first_message_is_small_and_a_release_does_not_send_it_again(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    received: list[int] = []
    page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
    opened(page, server)
    assert max(received) < 64_000
    received.clear()
    move_to(page, 4 * SQUARE)
    expect(page).to_have_url(re.compile(rf"[?&]m={4 * SQUARE}(&|$)"))
    settled(page)
    assert sum(received) < 24_000


def test_slider_speaks_and_obeys_the_keyboard(server: Server, page_factory: PageFactory) -> None:
    page = opened(page_factory(), server)
    memories: list[int] = page.evaluate("window.__pa_home.memories()")
    expect(page.get_by_role("slider", name=Texts("en")("home.slider"))).to_be_visible()
    slider(page).focus()
    at = memories.index(SQUARE)
    for key, index in (
        ("ArrowRight", at + 1),
        ("ArrowLeft", at),
        ("ArrowDown", at - 1),
        ("End", len(memories) - 1),
        ("Home", 0),
    ):
        page.keyboard.press(key)
        expect(page.locator(".memory")).to_have_text(f"{grouped(memories[index])} words")
    expect(slider(page)).to_have_attribute("aria-valuetext", re.compile("^256 words, .*Only Algorithm 6 can cook here"))
    expect(page.locator(".summary")).to_contain_text("256 words. FlashAttention-2: Does not fit.")


@pytest.mark.parametrize("lang", LANGS)
def test_pause_holds_everything_still(server: Server, page_factory: PageFactory, lang: str) -> None:
    page, t = opened(page_factory(lang=lang), server, lang), Texts(lang)
    button = page.locator("button.pause")
    button.click()
    expect(button).to_have_text(t("home.play"))
    before = state(page)
    frames(page)
    assert state(page) == before
    button.click()
    expect(button).to_have_text(t("home.pause"))
    page.wait_for_function("move => window.__pa_home.state().move > move", arg=before["move"])


def test_reduced_motion_is_respected(server: Server, page_factory: PageFactory) -> None:
    """Nothing moves by itself, nothing glides; the kitchens still change places."""
    page = opened(page_factory(reduced_motion=True), server)
    before = state(page)
    assert before["paused"]
    frames(page)
    assert state(page) == before
    move_to(page, SQUARE // 4)
    expect(first_kitchen(page)).to_have_attribute("data-id", "small-cache")
    ours = "document.getAnimations().filter((one) => one.effect.target.getRootNode() instanceof ShadowRoot).length"
    assert page.evaluate(ours) == 0, "of the component's own; Streamlit's style sheet may come late"
    assert page.locator(".seat.is-red").count() > 0, "the small pass rests in the middle of its work"
    shot(page, "home-still")


def test_address_is_the_state(server: Server, page_factory: PageFactory) -> None:
    """Any M of the range, exactly; not the nearest one of a grid. And an edited address moves the slider."""
    page = opened(page_factory(), server, m=5003)
    assert state(page)["memory"] == 5003
    assert state(page)["counts"] == [count(name, n=HOME_N, d=HOME_D, memory=5003).io for name in ALGORITHM_IDS]
    move_to(page, SQUARE)
    expect(page).to_have_url(re.compile(rf"[?&]m={SQUARE}(&|$)"))
    # Coming back within a second counts as an echo of the old address (url_state): look at eight more trips first.
    page.wait_for_function("trips => window.__pa_home.state().trips > trips + 8", arg=state(page)["trips"])
    page.go_back()
    page.wait_for_function("window.__pa_home.state().memory === 5003")


@pytest.mark.parametrize("lang", LANGS)
def test_bad_memory_is_said_aloud(server: Server, page_factory: PageFactory, lang: str) -> None:
    page = opened(page_factory(lang=lang), server, lang, m=2)
    expect(page.get_by_test_id("stAlert")).to_contain_text(grouped(HOME_MEMORY[0]))
    assert state(page)["memory"] == SQUARE


@pytest.mark.parametrize("lang", LANGS)
def test_doors_lead_on_and_keep_the_language(server: Server, page_factory: PageFactory, lang: str) -> None:
    page, t = opened(page_factory(lang=lang), server, lang, m=2048), Texts(lang)
    page.get_by_test_id("stPageLink-NavLink").filter(has_text=t("home.door.curves_link")).click()
    expect(page).to_have_url(re.compile(rf"/curves\?.*m=2048.*lang={lang}"))
    settled(page)
    no_exception(page)
    page.get_by_test_id("stTopNavLink").filter(has_text=t("page.home")).click()
    expect(page.locator(".memory")).to_have_text(t("home.memory_words", memory=grouped(2048)))
    page.get_by_test_id("stPageLink-NavLink").filter(has_text=t("home.door.lab_link")).click()
    expect(page).to_have_url(re.compile(rf"/lab\?.*lang={lang}"))
    settled(page)
    no_exception(page)


def test_slider_is_where_it_was_after_a_visit_elsewhere(server: Server, page_factory: PageFactory) -> None:
    page, t = opened(page_factory(), server), Texts("en")
    move_to(page, 2 * SQUARE)
    expect(page).to_have_url(re.compile(rf"[?&]m={2 * SQUARE}(&|$)"))
    page.get_by_test_id("stTopNavLink").filter(has_text=t("page.curves")).click()
    expect(page.locator(".memory")).to_have_count(0)
    settled(page)
    page.get_by_test_id("stTopNavLink").filter(has_text=t("page.home")).click()
    expect(page.locator(".memory")).to_have_text(f"{grouped(2 * SQUARE)} words")
    page.get_by_role("radio", name="Español").click(force=True)
    expect(page.locator(".memory")).to_have_text(f"{grouped(2 * SQUARE)} palabras")


@pytest.mark.parametrize(
    ("size", "theme", "lang"),
    [("desk", "light", "en"), ("desk", "dark", "es"), ("phone", "light", "es"), ("phone", "dark", "en")],
)
def test_all_is_in_view(server: Server, page_factory: PageFactory, size: str, theme: str, lang: str) -> None:
    """No sideways scroll. On a desk the first view holds kitchens, curve, slider and the small pass; on a phone, while
    the finger is on the slider, both kitchens are in view."""
    width, height = SIZES[size]
    page = opened(page_factory(width, height, theme=theme, lang=lang), server, lang)
    no_sideways_scroll(page)
    page.wait_for_function("window.__pa_home.state().trips > 12")
    shot(page, f"home-{size}-{theme}-{lang}")
    boxes = [page.locator(name).bounding_box() for name in (".kitchens", ".slider", ".toy")]
    assert all(boxes)
    kitchens, handle, toy = (box or {} for box in boxes)
    if size == "desk":
        assert max(handle["y"] + handle["height"], toy["y"] + toy["height"]) <= height
    else:
        header = 60
        assert handle["y"] + handle["height"] - kitchens["y"] <= height - header
        page.locator(".toy").scroll_into_view_if_needed()
        shot(page, f"home-{size}-{theme}-{lang}-below")


def test_payload_is_plain_json() -> None:
    """A NaN in a component's data would silently end the component."""
    from pages.shared.kitchen import memories, payload

    content = json.loads(payload.__wrapped__(SQUARE), parse_constant=lambda name: pytest.fail(name))
    assert {SQUARE, CROSS, CROSS - 1, *HOME_MEMORY} <= set(memories(SQUARE))
    assert content["crossover"] == CROSS
    for run in content["runs"]:
        assert run["io"] == count(run["algorithm"], n=3, d=2, memory=14).io


def test_the_curve_can_be_taken_hold_of(server: Server, page_factory: PageFactory) -> None:
    """A press on the curve moves M there, dragging moves it on, and the arrow keys go on from there."""
    page = page_factory()
    page.goto(f"{server.url}/?v=1&m={HOME_D**2}&lang=en")
    settled(page)
    page.wait_for_function("globalThis.__pa_home")
    plot = page.locator(".plot").bounding_box()
    assert plot
    seen = page.locator(".curve .memory")
    start = seen.inner_text()
    page.mouse.move(plot["x"] + plot["width"] * 0.9, plot["y"] + 90)
    page.mouse.down()
    expect(seen).not_to_have_text(start)
    pressed = seen.inner_text()
    page.mouse.move(plot["x"] + plot["width"] * 0.3, plot["y"] + 90, steps=4)
    expect(seen).not_to_have_text(pressed)
    page.mouse.up()
    dragged = seen.inner_text()
    expect(page.locator("#pa-home-m")).to_be_focused()
    expect(page).not_to_have_url(re.compile(rf"[?&]m={HOME_D**2}(&|$)"))
    page.keyboard.press("ArrowRight")
    expect(seen).not_to_have_text(dragged)
