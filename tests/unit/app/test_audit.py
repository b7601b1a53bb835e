"""What `make check` makes of pip-audit's answer: an answer about nothing is not taken for a good one."""

import json
from typing import Any

import pytest

from deploy.audit import verdict


def answer(*packages: dict[str, Any]) -> str:
    return json.dumps({"dependencies": packages, "fixes": []})


SOUND = {"name": "a", "version": "1", "vulns": []}
BROKEN = {"name": "b", "version": "2", "vulns": [{"id": "PYSEC-1", "fix_versions": ["3"], "aliases": []}]}
SKIPPED = {"name": "c", "skip_reason": "Dependency not found on PyPI and could not be audited: c (4)"}


@pytest.mark.parametrize(
    ("output", "errors", "status", "said"),
    [
        (answer(SOUND, SOUND), "", 0, "nothing is known against 2 packages"),
        (answer(SOUND, SKIPPED), "", 0, "nothing is known against 1 packages; 1 could not be looked up"),
        (answer(SOUND, BROKEN, SKIPPED), "Found 1 known vulnerability", 1, "b 2: PYSEC-1, mended in 3"),
        (answer(SKIPPED, SKIPPED), "No known vulnerabilities found", 0, "skipped, the registry here has no advisories"),
        (answer(), "", 0, "skipped"),
        (
            "",
            "Traceback\nConnectionError: refused",
            0,
            "skipped, the advisories cannot be had here (ConnectionError",
        ),
        ("[]", "", 0, "skipped, the advisories cannot be had here (no answer)"),
    ],
)
def test_a_verdict(output: str, errors: str, status: int, said: str) -> None:
    found = verdict(output, errors)
    assert found[0] == status
    assert said in found[1]
