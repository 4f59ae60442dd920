"""Time and memory of reports of long runs, and that they show the numbers of a run in memory.

    python benchmarks/large_reports.py [--items 100000 1000000] [--folder FOLDER] [--only compare ...]

For each size three synthetic runs are written: four means (two of 0/1 scores, one with 1 % failed items and
evidence) and a pooled F1. Two have the same items in the same order; the third has 99 % of them in another
order. Then each command runs in a process of its own. Up to a million items, its numbers
are compared with those of the same runs read whole: `same` says whether every number is equal, and
`exact` is the largest relative difference from numbers of whole vectors instead of blocks (promised: 1e-12).
Exit code: 1 if a number differs.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

import numpy as np
import numpy.typing as npt

from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.run_directory import RunDirectory
from thresher.results import (
    FrozenColumn,
    Mean,
    Measure,
    MetricResult,
    RatioOfSums,
    Signature,
    Statistics,
    Status,
)

Numbers = npt.NDArray[np.int64]
CHUNK = 10_000
PATTERNS = 8
"""Different chunks; ids and questions differ in all."""
WHOLE_UP_TO = 1_000_000
"""Items up to which the same report is computed in memory too; it needs 1.3 GB per million."""
POOLED = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
WORDS = np.array([f"word{number}" for number in range(5000)])
COMMANDS = {
    "report": ["report", "{a}", "--format", "json"],
    "compare": ["compare", "{a}", "{b}", "--format", "json"],
    "gate": ["gate", "{a}", "--require", "exact_match>=0.3", "--allow-missing", "2%", "--format", "json"],
    "compare-shuffled": ["compare", "{a}", "{c}", "--format", "json"],
    "gate-shuffled": [
        *(
            "gate",
            "{c}",
            "--baseline",
            "{a}",
            "--require",
            "no-regression(exact_match, token_f1) within 0.01",
        ),
        *("--allow-missing", "2%", "--format", "json"),
    ],
    "gate on items": ["gate", "{a}", "--require", "items(token_f1>=0.5)>=10%", "--format", "json"],
    "thresholds": ["thresholds", "{a}", "--format", "json"],
    "page": ["report", "{a}", "-o", "{a}.html"],
}
READ_WHOLE = "import math; from thresher.pipelines import run_directory as r; r.SMALL = r.FEW = math.inf; "
ONE_BLOCK = "from thresher.results import Statistics; Statistics.WHOLE = 10**12; "
AGREEMENT = 1e-12
MAIN = "import sys; from thresher.cli import main; sys.exit(main())"


def main() -> int:
    """Print a line per size and command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--items", type=int, nargs="+", default=[100_000, 1_000_000])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()))
    parser.add_argument("--only", nargs="+", choices=COMMANDS, default=list(COMMANDS), help="default: all")
    arguments = parser.parse_args()
    print("| items | command | s | CPU s | peak MB | same | exact |\n|---|---|---|---|---|---|---|")
    fine = True
    for items in arguments.items:
        folder = Path(tempfile.mkdtemp(dir=arguments.folder))
        try:
            for name, seed, order in (("a", 1, None), ("b", 2, None), ("c", 3, shuffled(items))):
                write_run(folder / name, items, seed, order)
            for line, agrees in measured(folder, items, arguments.only):
                print(line, flush=True)
                fine &= agrees
        finally:
            shutil.rmtree(folder)
    return 0 if fine else 1


def shuffled(items: int) -> Numbers:
    """Numbers of the items in another order; the first 1 % are replaced by others."""
    return np.random.default_rng(0).permutation(items) + items // 100


def measured(folder: Path, items: int, commands: list[str]) -> Iterator[tuple[str, bool]]:
    """Run the commands; yield a row of the table for each, and whether its numbers are right."""
    for name in commands:
        words = [word.format(**{run: folder / run for run in "abc"}) for word in COMMANDS[name]]
        text, wall, cpu, peak = run(MAIN, words)
        same, exact, agrees = "-", "-", True
        if name == "page" and items <= WHOLE_UP_TO:
            agrees = text == run(READ_WHOLE + MAIN, words)[0]
            same = "yes" if agrees else "NO"
        elif items <= WHOLE_UP_TO:
            printed, whole, vectors = (
                json.loads(each)
                for each in (
                    text,
                    run(READ_WHOLE + MAIN, words)[0],
                    run(READ_WHOLE + ONE_BLOCK + MAIN, words)[0],
                )
            )
            difference = largest_difference(printed, vectors)
            same, exact = "yes" if whole == printed else "NO", f"{difference:.0e}"
            agrees = whole == printed and difference <= AGREEMENT
        yield f"| {items:,} | `{name}` | {wall:.0f} | {cpu:.0f} | {peak:,.0f} | {same} | {exact} |", agrees


def largest_difference(one: Any, other: Any) -> float:
    """The largest relative difference of two JSON values; infinite if they differ otherwise."""
    if isinstance(one, float) and isinstance(other, float):
        return abs(one - other) / max(abs(one), abs(other)) if one != other else 0.0
    if isinstance(one, dict) and isinstance(other, dict) and one.keys() == other.keys():
        return max((largest_difference(one[key], other[key]) for key in one), default=0.0)
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max((largest_difference(*pair) for pair in zip(one, other, strict=True)), default=0.0)
    return 0.0 if one == other else math.inf


def run(program: str, words: list[str]) -> tuple[str, float, float, float]:
    """Run a command; return what it prints or writes, seconds, CPU seconds and the peak memory in MB."""
    timed = "import atexit, os, sys, time; start = time.perf_counter(); "
    timed += "peak = lambda: next(x for x in open('/proc/self/status') if x.startswith('VmHWM')).split()[1]; "
    timed += (
        "show = lambda: print(time.perf_counter() - start, sum(os.times()[:2]), peak(), file=sys.stderr); "
    )
    timed += "atexit.register(show); "
    command = [sys.executable, "-c", timed + program, *words]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own
    if done.returncode:
        raise RuntimeError(done.stderr)
    wall, cpu, peak = map(float, done.stderr.strip().splitlines()[-1].split())
    text = Path(words[-1]).read_text() if "-o" in words else done.stdout
    return text, wall, cpu, peak / 1024


def write_run(folder: Path, items: int, seed: int, order: Numbers | None = None) -> None:
    """Write a finished run of synthetic results over items with these numbers; default: 0, 1, and so on."""
    facts = {"name": folder.name, "items": items, "chunk_size": CHUNK, "ids_given": True}
    data = f"synthetic {items}" if order is None else f"synthetic {items}, in another order"
    directory = RunDirectory.start(folder, facts | {"data": data, "pipeline": "synthetic"})
    patterns = [pattern(np.random.default_rng([seed, number])) for number in range(PATTERNS)]
    for number in range(directory.chunks):
        rows = range(number * CHUNK, min(items, (number + 1) * CHUNK))
        part = patterns[number % PATTERNS]
        results = (
            part.results if len(rows) == CHUNK else [each.take(range(len(rows))) for each in part.results]
        )
        inputs = {name: column[: len(rows)] for name, column in part.inputs.items()}
        numbers = rows if order is None else order[rows.start : rows.stop].tolist()
        asked = part.inputs["questions"]  # equal in all chunks and runs
        inputs["questions"] = FrozenColumn(f"{item} {asked[item % CHUNK]}" for item in numbers)
        ids = FrozenColumn(f"item-{item}" for item in numbers)
        directory.commit(number, lambda: ChunkPart(ids, inputs, results))  # noqa: B023  # called at once
    directory.close({"seconds": 1.0, "asking": []})


def pattern(generator: np.random.Generator) -> ChunkPart:
    """One chunk; its questions do not depend on the seed of the run."""

    def texts(words: int, source: np.random.Generator) -> list[str]:
        return [" ".join(row) for row in WORDS[source.integers(0, len(WORDS), (CHUNK, words))]]

    failed = generator.random(CHUNK) < 0.01
    status = np.where(failed, Status.FAILED, Status.SCORED)
    reasons = dict.fromkeys(np.flatnonzero(failed).tolist(), "HTTP 500")
    evidence = [{"reason": text} for text in texts(24, generator)]
    scores = {
        "exact_match": generator.random(CHUNK) < 0.4,
        "token_f1": generator.beta(2, 1, CHUNK),
        "relevance": generator.integers(0, 11, CHUNK) / 10,
    }
    judged = Statistics({"score": (generator.random(CHUNK) < 0.8).astype(np.float64)})
    counts = {
        name: generator.integers(low, high, CHUNK)
        for name, low, high in (("overlap", 0, 9), ("predicted", 8, 13), ("reference", 8, 13))
    }
    results = [
        MetricResult([mean(name)], Statistics({"score": column.astype(np.float64)}))
        for name, column in scores.items()
    ]
    results.append(MetricResult([mean("faithfulness")], judged, status, reasons, evidence))
    results.append(MetricResult([Measure(Signature("pooled_f1"), POOLED, None)], Statistics(counts)))
    asked = np.random.default_rng(0)
    inputs = {"questions": texts(12, asked), "predicted_answers": texts(12, generator)}
    return ChunkPart(FrozenColumn(), {name: FrozenColumn(column) for name, column in inputs.items()}, results)


def mean(name: str) -> Measure:
    """A mean of item scores."""
    return Measure(Signature(name), Mean(), "score")


if __name__ == "__main__":
    sys.exit(main())
