"""Print the tables of this folder, one script after the other.

    python benchmarks/run.py [--only NAME ...] [--full]

The first table has the promised bounds next to the peers, on its own sizes. By default each other script
runs on small data, all of them in a few minutes: the shape of each table, and whether Thresher and its peers
still agree. `--full` uses each script's own sizes, those of the tables in docs/, and takes hours. A peer that
is not installed is left out and named. Exit code: 1 if a script failed.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

FOLDER = Path(__file__).parent
SMALL: Mapping[str, tuple[str, ...] | None] = {
    "promises": (),  # its bounds hold for its own sizes; ten minutes, and two with --small
    "startup": ("--repeats", "1"),
    "text": ("--pairs", "50"),
    "retrieval": ("--queries", "5000"),
    "vision": ("--only", "coco,valor", "--images", "200", "--repeats", "1"),
    "coco_source": ("--images", "500"),
    "detection_files": ("--images", "200", "--repeats", "1"),
    "detection_intervals": ("--images", "200", "--repeats", "1"),
    "judging": ("--items", "10", "--repeats", "1"),
    "judged_estimate": ("--items", "20", "--repeats", "1"),
    "inference": ("--only", "clusters", "slices", "labels", "--runs", "40"),
    "inference_reports": ("--items", "50000"),
    "families": None,
    "experiments": ("--samples", "20", "--only", "errors", "clusters", "failures"),
    "experiments_kills": ("--kills", "1"),
    "trends": ("--series", "20"),
    "gates": ("--runs", "20", "--equal", "20"),
    "looks": ("--samples", "20"),
    "flips": ("--flips", "100"),
    "kills": ("--kills", "10"),
    "pipeline": ("--items", "5000"),
    "scale": ("--sizes", "5000"),
    "limit_shares": ("--workers", "4", "--minutes", "5"),
    "scale_kills": ("--only-ways", "in process", "--only-deaths", "driver", "disk full"),
    "large_reports": ("--items", "20000"),
    "shared_limits": ("--minutes", "0.1"),
    "html_report": ("--items", "500"),
}
"""Script -> its options on small data; None if small data show nothing."""


def bench(name: str, options: Sequence[str]) -> bool:
    """Print one script's tables and return whether it succeeded."""
    script = FOLDER / f"{name}.py"
    print(f"\n== benchmarks/{name}.py {' '.join(options)}".rstrip(), flush=True)
    start = time.perf_counter()
    code = subprocess.run([sys.executable, str(script), *options], check=False).returncode  # noqa: S603  # our own scripts
    print(f"-- {time.perf_counter() - start:.0f} s" + (f", exit code {code}" if code else ""), flush=True)
    return code == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the chosen scripts."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=SMALL, default=list(SMALL), metavar="NAME")
    parser.add_argument("--full", action="store_true", help="each script's own sizes")
    chosen = parser.parse_args(arguments)
    failed = []
    for name in chosen.only:
        options = () if chosen.full else SMALL[name]
        if options is None:
            print(f"\n== benchmarks/{name}.py is left out: few draws show nothing, so it needs --full")
        elif not bench(name, options):
            failed.append(name)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
