"""The table of promised bounds: each command and kernel next to its peers, in one run.

    python benchmarks/promises.py [--only NAME ...] [--repeats 3] [--small] [--json FILE]

Figures are medians of seconds by the clock, so the machine should do nothing else; text metrics and judging
are in processor time. Slow peers are measured once. A row says which packages are missing and how to install
them. `--small` shows the rows on little data within two minutes; bounds hold for the full sizes only.
`scripts/write_performance.py FILE` writes the table and the picture of docs/performance.md. Exit code: 0,
whether or not bounds are met.
"""

import argparse
import json
import os
import platform
import sys
import tempfile
from collections.abc import Callable
from datetime import date
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # commands load compiled modules, as after an installation

import promised_commands
import promised_text
import promised_vision
from promised import Row, show


class Size(NamedTuple):
    """How much data each row has."""

    images: int = 5000
    rows: int = 100_000
    pairs: int = 10_000
    judged: int = 300
    shrink: int = 1


SMALL = Size(images=200, rows=2000, pairs=100, judged=10, shrink=50)
Make = Callable[[Path, Size, int], list[Row]]
PARTS: dict[str, Make] = {
    "detection": lambda folder, size, repeats: promised_vision.detection(folder, size.images, repeats),
    "masks": lambda folder, size, repeats: promised_vision.masks(folder, size.images, repeats, size.shrink),
    "commands": lambda folder, size, repeats: promised_commands.commands(folder, 107, size.rows, repeats),
    "text": lambda _, size, __: promised_text.rows(size.pairs),
    "labels": lambda folder, size, repeats: promised_vision.labels(folder, repeats, size.shrink),
    "pixels": lambda folder, size, repeats: promised_vision.pixels(folder, repeats, size.shrink),
    "judging": lambda _, size, repeats: promised_commands.judging(size.judged, repeats),
}


def machine() -> dict[str, str]:
    """Hardware and versions in plain words."""
    from thresher import __version__
    from thresher.native.library import kernels_in_use

    processor = platform.processor() or platform.machine()
    facts = Path("/proc/cpuinfo")
    if facts.is_file():
        models = [
            line.partition(":")[2].strip() for line in facts.read_text().splitlines() if "model name" in line
        ]
        processor = models[0] if models else processor
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    processors = f"{os.cpu_count()} processors ({processor})"
    return {
        "machine": f"{processors}, {memory:.0f} GB of memory, {platform.system()}",
        "python": platform.python_version(),
        "thresher": f"{__version__}, kernels: {kernels_in_use()}",
        "numpy": version("numpy"),
        "haystack-ai": version("haystack-ai"),
        "date": date.today().isoformat(),  # noqa: DTZ011  # the day where it was measured
    }


def main() -> None:
    """Print every row, and which bounds are missed."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--only", nargs="+", choices=PARTS, default=list(PARTS), metavar="NAME")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--small", action="store_true", help="little data")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = parser.parse_args()
    size = SMALL if options.small else Size()
    facts = machine()
    print("; ".join(f"{name} {fact}" for name, fact in facts.items()), flush=True)
    rows: list[Row] = []
    for name in options.only:
        with tempfile.TemporaryDirectory() as folder:
            made = PARTS[name](Path(folder), size, options.repeats)
        rows += made
        print("".join(f"\n{show(row, decided=not options.small)}\n" for row in made), end="", flush=True)
    if not options.small:
        _summary(rows)
    if options.json:
        command = " ".join(["python", "benchmarks/promises.py", *sys.argv[1:]])
        data = {"command": command, **facts, "rows": [row.to_dict() for row in rows]}
        options.json.write_text(json.dumps(data, indent=1), encoding="utf-8")


def _summary(rows: list[Row]) -> None:
    missed = [row.name for row in rows if row.met is False]
    print(
        f"\n{sum(row.met is True for row in rows)} of {sum(bool(row.bound) for row in rows)} bounds met",
        end="",
    )
    print("".join(f"\n  missed: {name}" for name in missed))


if __name__ == "__main__":
    main()
