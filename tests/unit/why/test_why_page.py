"""The proof page: what it sends to the browser, its pictures and tables, and how it answers."""

import json
import re
from itertools import pairwise
from string import Formatter
from xml.etree import ElementTree

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.board import unpacked
from pages.shared.i18n import LANGUAGES, Texts
from pages.shared.numbers import grouped
from pages.shared.settings import WhySettings
from pages.shared.theme import ASSETS
from pages.shared.why import NOTHING, _up, column, constants_table, study, sum_table
from pages.shared.why_pictures import made, regimes, seen
from pages.shared.why_study import facts_of, pebbling_of, the_sum

ROOT = ASSETS.parent
SOURCE = "\n".join((ASSETS / "why" / name).read_text(encoding="utf-8") for name in ("lit.js", "ruler.js", "why.js"))


def opened(lang: str = "en", **query: object) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update({"lang": lang})
    at.run()
    at.switch_page("pages/why.py")
    at.query_params.clear()
    at.query_params.update({name: str(value) for name, value in query.items()})
    at.run()
    assert not at.exception
    return at


def component(at: AppTest) -> dict[str, object]:
    sent = [json.loads(each.proto.json) for each in at.get("bidi_component")]
    return next(data for data in sent if "content" in data)


def test_the_browser_gets_the_sets_that_python_found() -> None:
    content = json.loads(study("flash2", 5, 2, 16).content, parse_constant=lambda name: pytest.fail(name))
    facts = facts_of(pebbling_of("flash2", 5, 2, 16), 2)
    for name in ("computed", "dominator", "minimum"):
        starts, vertices = unpacked("I", content[name]["starts"]), unpacked("H", content[name]["vertices"])
        sets = [tuple(vertices[a:b]) for a, b in pairwise(starts)]
        assert sets == [getattr(each.phase, name) for each in facts]
    fields = re.search(r"const FIELDS = \[(.*?)\]", SOURCE)
    assert fields
    width = fields[1].count(",") + 1
    rows = unpacked("I", content["rows"])
    assert len(rows) == width * len(facts)
    names = [name.strip().strip('"') for name in fields[1].split(",")]
    first = dict(zip(names, rows, strict=False))
    assert first["d"] == len(facts[0].phase.dominator)
    assert first["e"] == len(facts[0].phase.minimum)
    assert (first["products"], first["allowed"]) == (facts[0].products, facts[0].allowed)
    assert content["cap"] == the_sum(5, 2, 16).cap


@pytest.mark.parametrize("lang", LANGUAGES)
def test_labels_are_those_that_the_component_uses(lang: str) -> None:
    own, board = Texts(lang).group("why.board"), Texts(lang).group("lab.board")
    asked = set(re.findall(r"labels\.(\w+)", SOURCE)) | set(re.findall(r'bound\([^"]*"(\w+)"\)', SOURCE))
    asked |= {f"legend_{name}" for name in ("computed", "dominator", "minimum")}
    asked |= {f"list_{name}" for name in ("computed", "dominator", "minimum")} | {"back", "forward", "scrub"}
    assert asked <= set(own) | set(board)
    assert set(own) <= asked, "none without use"
    english = Texts("en").group("why.board")
    for key, text in own.items():
        holes = [sorted(name for _, name, _, _ in Formatter().parse(each) if name) for each in (text, english[key])]
        assert holes[0] == holes[1]


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize(("n", "d", "memory"), [(4096, 64, 4096), (1, 1, 1), (2**20, 1024, 2**40), (64, 1, 5)])
def test_pictures_are_whole_and_named(lang: str, n: int, d: int, memory: int) -> None:
    t = Texts(lang)
    for picture in (seen(t), made(t), regimes(n, d, memory, t)):
        tree = ElementTree.fromstring(picture)
        assert "nan" not in picture
        named = [each for each in tree.iter("{http://www.w3.org/2000/svg}svg") if each.get("role") == "img"]
        assert named
        assert all(each.get("aria-label") for each in named)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_number_of_the_sum_says_what_it_is(lang: str) -> None:
    t, settings = Texts(lang), WhySettings()
    tree = ElementTree.fromstring(sum_table(settings, t).partition("</style>")[2])
    kinds = ("closed-form", "counted", "lower-bound", "proven-optimum")
    allowed = {t(f"kind.{kind}") for kind in kinds} | {t("why.board.bound"), t("why.sum.io_kind")}
    rows = list(tree.iter("tr"))[1:]
    assert len(rows) == 9
    assert all("".join(row.iter("small").__next__().itertext()) in allowed for row in rows)
    shown = "".join(tree.itertext())
    for number in (study("flash2", 8, 2, 14).io, the_sum(8, 2, 14).cap, the_sum(4096, 64, 4096).words):
        assert grouped(number) in shown


@pytest.mark.parametrize("lang", LANGUAGES)
def test_the_certified_ratio_is_rounded_up(lang: str) -> None:
    shown = constants_table(WhySettings(), Texts(lang))
    full = column(4096, 64, 4096)
    for io in full.io.values():
        assert io is not None
        ratio = io / full.best[1]
        text = _up(ratio)
        assert ratio <= float(text) < ratio * 1.01
        assert f"{text} ×" in shown
    assert _up(2.0) == "2"
    assert _up(2.001) == "2.01"


def test_a_known_optimum_stands_in_both_tables() -> None:
    settings, t = WhySettings(n=2, d=1, memory=11, run="flash2"), Texts("en")
    assert study("flash2", 2, 1, 11).optimum == 19
    for table in (sum_table(settings, t), constants_table(settings, t)):
        assert "<td>19</td>" in table
    assert NOTHING in sum_table(settings, t)


@pytest.mark.parametrize("lang", LANGUAGES)
def test_too_little_memory_is_said_and_answered(lang: str) -> None:
    at = opened(lang, a="flash2", n=6, d=3, m=5)
    assert "20" in at.warning[0].value
    assert component(at)["rev"] == "flash2-6-3-20"


@pytest.mark.parametrize("lang", LANGUAGES)
def test_an_optimum_that_is_not_known_is_said_and_answered(lang: str) -> None:
    at = opened(lang, a="optimum", n=6, d=3, m=40)
    assert Texts(lang)("field.run") in at.warning[0].value
    assert component(at)["rev"] == "flash2-6-3-40"


def test_a_phase_beyond_the_end_is_the_last_one() -> None:
    at = opened(n=8, d=2, m=14, p=51)
    assert "50" in at.warning[0].value
    assert component(at)["phase"] == 50


def test_another_run_begins_at_its_first_phase_and_full_size_does_not() -> None:
    at = opened(p=7)
    at.text_input(key="why.full_n_typed").set_value("1000").run()
    assert component(at)["phase"] == 7
    at.text_input(key="why.memory_typed").set_value("24").run()
    assert component(at)["rev"] == "flash2-8-2-24"
    assert component(at)["phase"] == 1
    assert not at.warning
    at.text_input(key="why.n_typed").set_value("2.5").run()
    assert "2.5" in at.warning[0].value.replace("\\", "")


def test_who_asks_for_an_optimum_gets_one() -> None:
    """Chosen in the list, the sizes change with it; the button does the same."""
    at = opened()
    at.selectbox(key="why.chosen").set_value("optimum").run()
    assert component(at)["rev"] == "optimum-2-1-11"
    assert not at.warning
    at = opened()
    at.button(key="why.proven").click().run()
    assert component(at)["rev"] == "optimum-2-1-11"
    assert "why.proven" not in [button.key for button in at.button]
