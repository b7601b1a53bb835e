"""What is known against the versions that deployments install, by pip-audit: `make audit`, and a part of `make check`.

A known vulnerability ends with status 1. Where the advisories cannot be had (no network, or a mirror without them), one
line says that nothing was audited, and the status is 0.
"""

import json
import subprocess
import sys
from pathlib import Path

LOCK = Path(__file__).resolve().parent / "requirements.lock"
PATIENCE = 3  # seconds for an answer of the registry
MOST = 120  # seconds for all of them
COMMAND = ["-m", "pip_audit", "--requirement", str(LOCK), "--disable-pip", "--format", "json"]
COMMAND += ["--progress-spinner", "off", "--timeout", str(PATIENCE)]


def verdict(output: str, errors: str) -> tuple[int, str]:
    """The status and what to say, from what pip-audit printed.

    Its own status says little: it ends with 0 when it has found nothing, and when it has found no package at all.
    """
    try:
        packages = json.loads(output)["dependencies"]
    except (ValueError, KeyError, TypeError):
        reason = (errors.strip().splitlines() or ["no answer"])[-1][:100]
        return 0, f"audit: skipped, the advisories cannot be had here ({reason})"
    looked_up = [one for one in packages if "skip_reason" not in one]
    known = [
        f"{one['name']} {one['version']}: {fault['id']}, mended in {', '.join(fault['fix_versions']) or 'none yet'}"
        for one in looked_up
        for fault in one["vulns"]
    ]
    if known:
        return 1, "\n".join(["audit: known vulnerabilities", *known])
    if not looked_up:
        return 0, f"audit: skipped, the registry here has no advisories for any of {len(packages)} packages"
    unknown = len(packages) - len(looked_up)
    more = f"; {unknown} could not be looked up" if unknown else ""
    return 0, f"audit: nothing is known against {len(looked_up)} packages{more}"


def main() -> int:
    """Ask, and say what came of it."""
    try:
        asked = subprocess.run([sys.executable, *COMMAND], capture_output=True, text=True, timeout=MOST, check=False)
    except subprocess.TimeoutExpired:
        status, said = verdict("", f"no end after {MOST} seconds")
    else:
        status, said = verdict(asked.stdout, asked.stderr)
    print(said)
    return status


if __name__ == "__main__":
    sys.exit(main())
