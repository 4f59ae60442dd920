"""CPU time and peak memory of commands by the number of items, and the speed-up of two workers.

    python benchmarks/scale.py [--sizes 10000 100000 1000000] [--large] [--only memory speed-up]
        [--commands compare export] [--landed CHECKOUT] [--folder FOLDER]

Answers of 5 to 60 random words are written for four systems: `a` as JSONL and `b` as Parquet with the same items in
the same order, `c` and `d` as JSONL, each in an order of its own, without 0.5 % of the items and without 1 % of the
answers. Each is run with `token_f1,rouge,bleu` (8 measures, 20 statistics an item), then every command that reads
runs is measured, each in a fresh process. `peak` is the largest resident memory of the process and its children
together in MB (sampled every 20 ms, at least the kernel's own record of the largest process). `CPU` (user and system)
and `wall` are seconds; other work on the machine shows in `wall`. `--landed` measures the commands with the code of
another checkout, too, one after the other. The last table divides the peak at the largest size by the one at 100,000
items: promised is at most 1.3. Exit code: 1 if that is exceeded, if one and two workers disagree in a number, or if
the landed code prints something else.

Data and runs are stored in a temporary folder (3 GB for a million items), or in `--folder`, which stays; runs that
are there are not made again unless a command `run` is chosen.
"""

import argparse
import os
import random
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

THRESHER = (sys.executable, "-m", "thresher")
FLAT_FROM, MOST_GROWTH = 100_000, 1.3
LARGE = 10_000_000
METRICS = "token_f1,rouge,bleu"
RUNS = {"a": "a.jsonl", "b": "b.parquet", "c": "c.jsonl", "d": "d.jsonl"}
_INTERVAL = 0.02
_WRITTEN = 50_000
"""Rows that the writer of the data holds at a time."""


@dataclass(frozen=True)
class Cost:
    """What a command took."""

    wall: float
    cpu: float
    peak: float


def descendants(root: int) -> list[int]:
    """Ids of a process and all processes below it."""
    below: dict[int, list[int]] = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((folder / "stat").read_text().rpartition(")")[2].split()[1])
        except (OSError, ValueError, IndexError):  # it ended meanwhile
            continue
        below.setdefault(parent, []).append(int(folder.name))
    tree = [root]
    for process in tree:
        tree += below.get(process, [])
    return tree


def resident(process: int) -> int:
    """Resident memory of a process in bytes; 0 if it ended."""
    try:
        return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    except (OSError, IndexError):
        return 0


@contextmanager
def watched(root: int, peaks: list[int]) -> Iterator[None]:
    """Sample the memory of a process tree until the block ends."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(_INTERVAL):
            peaks.append(sum(map(resident, descendants(root))))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


def timed(folder: Path, *words: str, source: Path | None = None) -> Cost:
    """Run `thresher` with these words in a folder; raise if it fails.

    Args:
        folder: the folder.
        words: the words of the command.
        source: the `src` of a checkout whose code runs; default: that of this environment.
    """
    start, peaks = time.perf_counter(), [0]
    environment = os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"}
    environment |= {} if source is None else {"PYTHONPATH": str(source)}
    with (folder / "last.log").open("w") as log:
        process = subprocess.Popen(  # noqa: S603  # our own command
            (*THRESHER, *words), cwd=folder, env=environment, stdout=log, stderr=subprocess.STDOUT
        )
        with watched(process.pid, peaks):
            _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"thresher {' '.join(words)}: exit code {process.returncode}\n{log_tail(folder)}")
    peak = max(*peaks, usage.ru_maxrss * 1024) / 1e6
    return Cost(time.perf_counter() - start, usage.ru_utime + usage.ru_stime, peak)


def log_tail(folder: Path) -> str:
    """The end of what the last command printed."""
    return (folder / "last.log").read_text()[-2000:]


def write_data(folder: Path, items: int) -> None:
    """Write `a.jsonl` and `b.parquet`, in another process: the memory of this one is in every peak."""
    if not (folder / "b.parquet").exists():
        command = [sys.executable, __file__, "--write", str(items), "--folder", str(folder)]
        subprocess.run(command, check=True)  # noqa: S603  # our own script


def write_now(folder: Path, items: int) -> None:
    """Write the data of the systems, a block of rows at a time."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(2_000)]

    def row(number: int, system: str) -> dict[str, str | None]:
        rng = random.Random(number)
        reference = rng.choices(words, k=rng.randint(5, 60))
        shared = {"id": f"item-{number:09d}", "question": " ".join(rng.choices(words, k=12))}
        shared |= {"reference": " ".join(reference), "kind": f"kind {number % 7}"}
        own = random.Random(f"{system}{number}")
        answer = [word if own.random() < 0.7 else own.choice(words) for word in reference]
        lacks = system in "cd" and own.random() < 0.01
        return {**shared, "response": None if lacks else " ".join(answer)}

    for system in "acd":
        order = list(range(items))
        if system != "a":
            random.Random(system).shuffle(order)
            order = order[: items - items // 200]
        with (folder / f"{system}.jsonl").open("w") as lines:
            lines.writelines(json.dumps(row(number, system)) + "\n" for number in order)
    schema = pa.schema([(name, pa.string()) for name in ("id", "question", "reference", "kind", "response")])
    with pq.ParquetWriter(folder / "b.tmp", schema) as table:
        for start in range(0, items, _WRITTEN):
            rows = [row(number, "b") for number in range(start, min(items, start + _WRITTEN))]
            table.write_table(pa.Table.from_pylist(rows, schema))
    (folder / "b.tmp").rename(folder / "b.parquet")


def commands() -> dict[str, tuple[str, ...]]:
    """Name -> words of each measured command, in the order in which they are run."""
    runs = {
        f"run {name}": ("run", METRICS, "--data", data, "--out", name, "-q") for name, data in RUNS.items()
    }
    gate = ("gate", "b", "--require", "token_f1>=0.1", "--format", "json")
    return {
        **runs,
        "report": ("report", "a", "--format", "json"),
        "compare": ("compare", "a", "b", "--format", "json"),
        "compare, other order": ("compare", "a", "c", "--format", "json"),
        "gate": gate,
        "gate with baseline": (*gate, "--baseline", "a"),
        "slices": ("report", "a", "--slice", "kind", "--format", "json"),
        "leaderboard": ("leaderboard", *RUNS, "--format", "json"),
        "thresholds": ("thresholds", "a", "--metric", "token_f1"),
        "inputs-below, 20": (
            "inputs-below",
            "c",
            "--metric",
            "token_f1",
            "--threshold",
            "0.7",
            "--max-rows",
            "20",
        ),
        "inputs-below, all": (
            "inputs-below",
            "c",
            "--metric",
            "token_f1",
            "--threshold",
            "2",
            "-o",
            "low.jsonl",
        ),
        "export": ("export", "a", "-o", "all.jsonl"),
        "html": ("report", "a", "-o", "a.html"),
    }


def memory(
    root: Path, sizes: Sequence[int], chosen: Sequence[str] | None = None, landed: Path | None = None
) -> bool:
    """Print the costs of each command by size; return whether memory is flat from 100,000 items on.

    Args:
        root: folder of data and runs.
        sizes: numbers of items.
        chosen: the beginnings of the names of commands; None for all.
        landed: a checkout whose code runs the same commands before.
    """
    costs: dict[str, dict[int, Cost]] = {}
    fine = True
    for size in sizes:
        folder = root / str(size)
        folder.mkdir(parents=True, exist_ok=True)
        write_data(folder, size)
        print(f"\n{size:,} items\n{'command':34}{'wall':>8}{'CPU':>8}{'peak':>8}", flush=True)
        for name, words in commands().items():
            is_run, asked = words[0] == "run", chosen is None or name.startswith(tuple(chosen))
            if not asked and not (is_run and not (folder / words[-2]).exists()):
                continue
            if is_run:
                shutil.rmtree(folder / words[-2], ignore_errors=True)
            before = None
            if landed is not None and not is_run:
                show(f"{name} (landed)", timed(folder, *words, source=landed / "src"))
                before = (folder / "last.log").read_text()
            cost = costs.setdefault(name, {})[size] = timed(folder, *words)
            same = before in (None, (folder / "last.log").read_text())
            show(name, cost, "" if same else "  PRINTS SOMETHING ELSE")
            fine &= same
    return flat(costs, max(sizes)) and fine


def show(name: str, cost: Cost, remark: str = "") -> None:
    """Print the cost of a command."""
    print(f"{name:34}{cost.wall:8.1f}{cost.cpu:8.1f}{cost.peak:8.0f}{remark}", flush=True)


def flat(costs: dict[str, dict[int, Cost]], largest: int) -> bool:
    """Print the growth of the peaks from 100,000 items to the largest size."""
    costs = {name: by_size for name, by_size in costs.items() if {FLAT_FROM, largest} <= by_size.keys()}
    if largest <= FLAT_FROM or not costs:
        return True
    growth = {name: by_size[largest].peak / by_size[FLAT_FROM].peak for name, by_size in costs.items()}
    print(f"\npeak at {largest:,} items / peak at {FLAT_FROM:,} items")
    for name, ratio in growth.items():
        print(f"{name:34}{ratio:8.2f}{'' if ratio <= MOST_GROWTH else f'  more than {MOST_GROWTH}'}")
    return max(growth.values()) <= MOST_GROWTH


def speed_up(root: Path, items: int = 100_000) -> bool:
    """Print the times of one and of two workers; return whether their reports are equal."""
    folder = root / f"workers-{items}"
    folder.mkdir(parents=True, exist_ok=True)
    write_data(folder, items)
    print(f"\nrun qa, {items:,} items\n{'workers':14}{'wall':>8}{'CPU':>8}{'peak':>8}", flush=True)
    costs, reports = [], []
    for workers in ("1", "2"):
        out = folder / f"with-{workers}"
        shutil.rmtree(out, ignore_errors=True)
        words = ("run", "qa", "--data", "a.jsonl", "--name", "speed", "--out", out.name, "-q")
        cost = timed(folder, *words, "--workers", workers)
        costs.append(cost)
        timed(folder, "report", out.name, "--format", "json")
        reports.append((folder / "last.log").read_text())
        print(f"{workers:14}{cost.wall:8.1f}{cost.cpu:8.1f}{cost.peak:8.0f}", flush=True)
    load = os.getloadavg()[0]
    ratio = costs[0].wall / costs[1].wall
    print(f"speed-up {ratio:.2f} on {os.cpu_count()} cores, load of the machine {load:.1f}")
    same = reports[0] == reports[1]
    print(f"reports are {'equal' if same else 'DIFFERENT'}")
    return same


def main() -> int:
    """Print the tables."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--large", action="store_true", help=f"also {LARGE:,} items")
    parser.add_argument("--only", nargs="+", choices=("memory", "speed-up"), default=("memory", "speed-up"))
    parser.add_argument("--commands", nargs="+", help="beginnings of the names of commands")
    parser.add_argument("--landed", type=Path, help="a checkout whose code is measured, too")
    parser.add_argument("--folder", type=Path, help="keep data and runs here")
    parser.add_argument("--write", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write is not None:
        write_now(options.folder, options.write)
        return 0
    sizes = [*options.sizes, *([LARGE] if options.large else [])]
    with tempfile.TemporaryDirectory() as name:
        root = (options.folder or Path(name)).resolve()
        landed = options.landed and options.landed.resolve()
        fine = [memory(root, sizes, options.commands, landed)] if "memory" in options.only else []
        fine += [speed_up(root, min(max(sizes), FLAT_FROM))] if "speed-up" in options.only else []
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
