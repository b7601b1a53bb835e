"""What a visitor sends stays text, and the headers of the example deployment keep no page from working."""

import json
import re
from urllib.parse import quote

from playwright.sync_api import Locator, Page, Route, expect

from pages.shared.i18n import JOINER, Texts
from tests.browser.conftest import PATHS, ROOT, PageFactory, Server, settled

FOREIGN = "http://192.0.2.1/"
HOSTILE = (
    "<img src=x onerror=a()>", f"![x]({FOREIGN})", "[x](javascript:a())", ":material/home: :red[x]", "$\\frac{1}{2}$",
    f"{FOREIGN}a", "www.example.org a@b.org", "<-> `c` **b** -- &lt;",
)  # fmt: skip
PLAIN = {"P", "UL", "LI", "DIV"}
WATCH = """globalThis.violations = [];
document.addEventListener("securitypolicyviolation", (event) =>
  violations.push([event.violatedDirective, event.blockedURI, event.sourceFile, event.lineNumber].join(" ")));"""


def only_text(page: Page, box: Locator, *texts: str) -> None:
    """The texts stand in the box as they are; it holds no element but paragraphs and lists."""
    expect(box).to_be_visible()
    shown = box.inner_text().replace(JOINER, "")
    for text in texts:
        assert text in shown
    inside = box.get_by_test_id("stMarkdownContainer").first
    assert set(inside.evaluate("(box) => [...box.querySelectorAll('*')].map((one) => one.tagName)")) <= PLAIN
    assert page.seen.foreign() == []  # type: ignore[attr-defined]


def test_what_a_link_says_is_shown_as_text(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    unknown = "&".join(f"{quote(text, safe='')}=1" for text in HOSTILE)
    page.goto(f"{server.url}/lab?lang=en&{unknown}")
    settled(page)
    only_text(page, page.locator(".stAlert"), *HOSTILE)
    page.goto(f"{server.url}/lab?lang=en&n={quote(HOSTILE[0])}&d={quote(HOSTILE[1])}&m={quote(HOSTILE[3])}")
    settled(page)
    only_text(page, page.locator(".stAlert"), *HOSTILE[:2], HOSTILE[3])
    page.goto(f"{server.url}/devices?lang=en&device=own&bytes=1000&name={quote(HOSTILE[0])}")
    settled(page)
    expect(page.locator(".stMain img")).to_have_count(0)
    page.goto(f"{server.url}/reference?lang=en&section=glossary&find={quote(HOSTILE[3])}")
    settled(page)
    only_text(page, page.locator(".stMarkdown", has_text="No term contains"), HOSTILE[3])


def test_what_a_file_says_is_shown_as_text(server: Server, page_factory: PageFactory) -> None:
    """A graph with such labels, refused first, then played."""
    page, t = page_factory(), Texts("en")
    page.goto(f"{server.url}/play?lang=en")
    settled(page)
    page.get_by_role("button", name=t("play.more")).click()
    upload = page.locator('[class*="st-key-play-own_file"]').locator("input[type=file]")
    dag = {"vertices": HOSTILE[:3], "edges": [[0, 2], [1, 2]], "inputs": [0], "outputs": [2]}
    alert = page.get_by_test_id("stAlert")
    for inputs in ([0], [0, 1]):
        content = json.dumps(dag | {"inputs": inputs}).encode()
        upload.set_input_files({"name": "own.json", "mimeType": "application/json", "buffer": content})
        if inputs == [0]:
            expect(alert).to_contain_text(t("play.dag_refused", count=1))
            only_text(page, alert, HOSTILE[1])
    expect(page).to_have_url(re.compile("level=own"))
    expect(page.locator(".vertex")).to_have_count(3)
    for number, label in enumerate(HOSTILE[:3]):
        expect(page.locator(f'.vertex[data-v="{number}"]')).to_have_attribute(
            "aria-label", re.compile(re.escape(label))
        )
    expect(page.locator(".stMain img")).to_have_count(0)
    assert page.seen.foreign() == []  # type: ignore[attr-defined]


def policy(embedded: bool) -> str:
    """The content security policy that ``deploy/nginx.conf`` sends."""
    text = (ROOT / "deploy" / "nginx.conf").read_text(encoding="utf-8")
    (header,) = re.findall(r'add_header Content-Security-Policy "(.*?)" always;', text)
    frames = dict(re.findall(r'^    (default|true) +"(.*?)";$', text.split("map $arg_embed")[1], re.MULTILINE))
    return str(header).replace("$frames", frames["true" if embedded else "default"])


def test_the_deployment_s_policy_keeps_no_page_from_working(server: Server, page_factory: PageFactory) -> None:
    page = page_factory()
    sent = policy(embedded=False).replace("$http_host", server.url.removeprefix("http://"))

    def with_policy(route: Route) -> None:
        response = route.fetch()
        route.fulfill(response=response, headers=response.headers | {"content-security-policy": sent})

    for path in PATHS.values():
        page.route(server.url + path, with_policy)
    page.add_init_script(WATCH)
    for path in PATHS.values():
        page.goto(server.url + path)
        settled(page)
        assert page.evaluate("violations") == []
    refused = page.evaluate("fetch('http://192.0.2.1/').then(() => 'sent', () => 'refused')")
    assert refused == "refused"
    assert page.evaluate("violations")


def test_a_page_can_be_shown_in_somebody_else_s_frame(server: Server, page_factory: PageFactory) -> None:
    """With ``?embed=true``, and only then: the policy says so, and the app draws itself in a frame."""
    assert "frame-ancestors *" in policy(embedded=True)
    assert "frame-ancestors 'self'" in policy(embedded=False)
    page = page_factory()
    frame = f'<iframe src="{server.url}/lab?embed=true&lang=en" width="1000" height="600"></iframe>'
    page.route("http://127.0.0.1:9/", lambda route: route.fulfill(content_type="text/html", body=frame))
    page.goto("http://127.0.0.1:9/")
    expect(page.frame_locator("iframe").locator("h1").first).to_be_visible()
