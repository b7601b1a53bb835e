"""`make drill`: bad days, one after the other, on freshly started servers. Exit status 1 when one is not as it must be.

    make drill                        all of them, about ten minutes
    make drill ARGS="killed storm"    some

docs/drills.md says what each does, what must be seen, and what was seen.
"""

import argparse
import importlib
import sys

from tests.drills.common import Report

DRILLS = ("killed", "stalled", "slow", "overnight", "flapping", "tabs", "storm", "disk")


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="make drill", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("drills", nargs="*", help=f"of {', '.join(DRILLS)}; all of them when none is named")
    asked = parser.parse_args().drills or list(DRILLS)
    if unknown := [name for name in asked if name not in DRILLS]:
        parser.error(f"no such drill: {', '.join(unknown)}; there are {', '.join(DRILLS)}")
    report = Report()
    for name in asked:
        print(name, flush=True)
        importlib.import_module(f"tests.drills.{name}").drill(report)
    for what in report.failed:
        print(f"NOT AS IT MUST BE: {what}")
    sys.exit(bool(report.failed))


if __name__ == "__main__":
    main()
