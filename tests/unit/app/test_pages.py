"""Every page in every language runs from the entry script without an exception, and says what was wrong."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from pages.shared.i18n import LANGUAGES
from pages.shared.settings import SPECS

ROOT = Path(__file__).resolve().parents[3]
PAGES = sorted(path.relative_to(ROOT).as_posix() for path in (ROOT / "pages").glob("*.py"))


def opened(page: str, **query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    at.query_params.update({"lang": query.pop("lang", "en")})
    at.run()
    at.switch_page(page)
    at.query_params.clear()
    at.query_params.update(query)
    at.run()
    return at


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_page_runs(page: str, lang: str) -> None:
    at = opened(page, lang=lang)
    assert not at.exception
    assert at.query_params["lang"] == lang
    assert at.query_params["v"] == "1"
    assert not at.warning


@pytest.mark.parametrize("lang", LANGUAGES)
@pytest.mark.parametrize("page", PAGES)
def test_page_answers_a_bad_address(page: str, lang: str) -> None:
    spec = next(spec for spec in SPECS if spec.page == Path(page).stem)
    at = opened(page, lang=lang, nonsense="1", **{spec.fields[0].parameter: "1e30"})
    assert not at.exception
    shown = " ".join(warning.value for warning in at.warning)
    assert "1e30" in shown
    assert "nonsense" in shown


@pytest.mark.parametrize("page", PAGES)
def test_page_begins_with_the_guard(page: str) -> None:
    lines = (ROOT / page).read_text(encoding="utf-8").splitlines()
    code = [line for line in lines if line.strip() and not line.startswith(('"""', "#"))]
    assert code[:2] == ["from pages.shared.entry import guard", "guard()"]
    assert len(lines) <= 150
