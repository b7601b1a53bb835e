"""What is known against the versions that deployments install, by pip-audit: `make audit`, and a part of `make check`.

A known vulnerability ends with status 1. Where the advisories cannot be had (no network, or a mirror without them), one
line says that nothing was audited, and the status is 0.
"""

import json
import subprocess
import sys
from pathlib import Path

LOCKS = [Path(__file__).resolve().parent / name for name in ("requirements.lock", "static.lock")]
PATIENCE = 3  # seconds for an answer of the registry
MOST = 120  # seconds for all of them
COMMAND = ["-m", "pip_audit", "--disable-pip", "--format", "json", "--progress-spinner", "off"]
COMMAND += ["--timeout", str(PATIENCE), "--requirement"]


def verdict(output: str, errors: str) -> tuple[int, str]:
    """The status and what to say, from what pip-audit printed.

    Its own status says little: it ends with 0 when it has found nothing, and when it has found no package at all.
    """
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        reason = (errors.strip().splitlines() or ["no answer"])[-1][:100]
        return 0, f"skipped, the advisories cannot be had here ({reason})"
    looked_up = [one for one in packages if "skip_reason" not in one]
    known = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none yet'}"
        for one in looked_up
        for fault in one["vulns"]
    ]
    if known:
        return 1, "\n".join(["known vulnerabilities", *known])
    if not looked_up:
        return 0, f"skipped, the registry here has no advisories for any of {len(packages)} packages"
    unknown = len(packages) - len(looked_up)
    more = f"; {unknown} could not be looked up" if unknown else ""
    return 0, f"nothing is known against {len(looked_up)} packages{more}"


def audited(lock: Path) -> tuple[int, str]:
    """Ask about one lock: the status and what to say."""
    command = [sys.executable, *COMMAND, str(lock)]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=MOST, check=False)
    except subprocess.TimeoutExpired:
        return verdict("", f"no end after {MOST} seconds")
    return verdict(asked.stdout, asked.stderr)


def main() -> int:
    """Ask about both, and say what came of it."""
    worst = 0
    for lock in LOCKS:
        status, said = audited(lock)
        print(f"{lock.name}: {said}")
        worst = max(worst, status)
    return worst


if __name__ == "__main__":
    sys.exit(main())
