"""The benchmarks of the daemon: `python -m tests.benchmarks`, or `make bench`.

Everything is measured in one run on one machine, with its reference beside it, so that the ratios can be compared.
"""

from __future__ import annotations

import argparse
import resource
from pathlib import Path

from tests.benchmarks.catalogue import MEASUREMENTS
from tests.benchmarks.measuring import ROUNDS, Programs, measured
from tests.benchmarks.page import lines, svg, text

TITLE = "gamed: benchmarks"
EXAMPLE = "example: python -m tests.benchmarks relay --against ../before"


def main() -> None:
    """Run the measurements that are named, or all; print the results, and write them as text and as a picture."""
    names = sorted({measurement.name for measurement in MEASUREMENTS})
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks", description=TITLE, epilog=EXAMPLE)
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help=f"what to measure; left out: all of {', '.join(names)}"
    )
    parser.add_argument("--against", type=Path, metavar="DIR", help="another checkout, with its .venv, as `before`")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="how often each is measured (default: %(default)s)")
    parser.add_argument("--out", type=Path, default=Path("bench"), metavar="DIR", help="where the page is written")
    options = parser.parse_args()
    if unknown := set(options.names) - set(names):
        parser.error(f"there is no measurement {', '.join(sorted(unknown))}")
    before = Programs(options.against.absolute() / ".venv" / "bin") if options.against else None
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    table = []
    for measurement in MEASUREMENTS:
        if not options.names or measurement.name in options.names:
            for samples in measured(measurement, before, options.rounds):
                table.append(samples)
                print("\n".join(lines(samples)), flush=True)
    options.out.mkdir(exist_ok=True)
    (options.out / "benchmarks.txt").write_text(text(TITLE, table))
    (options.out / "benchmarks.svg").write_text(svg(TITLE, table))
    print(f"written: {options.out}/benchmarks.txt and {options.out}/benchmarks.svg")


main()
