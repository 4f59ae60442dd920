"""Peak memory and time of commands by the number of items, and the speed-up of two workers.

    python benchmarks/scale.py [--sizes 10000 100000 1000000] [--large] [--only memory speed-up]

Answers of 12 random words are written as JSONL and as Parquet, for two systems. Each command runs in a fresh
process: `run qa` of system A from JSONL and of system B from Parquet, then `report`, `compare`, `gate`,
`thresholds` and an HTML page of these runs. `peak` is the largest resident memory of the process and its
children together in MB (sampled every 20 ms, at least the kernel's own record of the largest process).
`CPU` and `wall` are seconds; other work on the machine shows in `wall`. The last table divides the peak at
the largest size by the one at 100,000 items: promised is at most 1.2. Exit code: 1 if that is exceeded, or
if one and two workers disagree in a number.

Data and runs are stored in a temporary folder (0.9 GB for a million items), or in `--folder`, which stays.
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
FLAT_FROM, MOST_GROWTH = 100_000, 1.2
LARGE = 10_000_000
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


def timed(folder: Path, *words: str) -> Cost:
    """Run `thresher` with these words in a folder; raise if it fails."""
    start, peaks = time.perf_counter(), [0]
    environment = os.environ | {"HAYSTACK_TELEMETRY_ENABLED": "False"}
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
    """Write the data of both systems, a block of rows at a time."""
    import json

    import pyarrow as pa
    import pyarrow.parquet as pq

    rng = random.Random(1)
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(2_000)]
    schema = pa.schema([(name, pa.string()) for name in ("id", "question", "response", "reference")])
    with (folder / "a.jsonl").open("w") as lines, pq.ParquetWriter(folder / "b.tmp", schema) as table:
        for start in range(0, items, _WRITTEN):
            blocks: dict[str, list[dict[str, str]]] = {"a": [], "b": []}
            for number in range(start, min(items, start + _WRITTEN)):
                reference = rng.choices(words, k=12)
                shared = {"id": f"item-{number:09d}", "question": " ".join(rng.choices(words, k=12))}
                for system, changed in (("a", 4), ("b", 3)):
                    answer = [*rng.choices(words, k=changed), *reference[changed:]]
                    row = {**shared, "response": " ".join(answer), "reference": " ".join(reference)}
                    blocks[system].append(row)
            lines.writelines(json.dumps(row) + "\n" for row in blocks["a"])
            table.write_table(pa.Table.from_pylist(blocks["b"], schema))
    (folder / "b.tmp").rename(folder / "b.parquet")


def commands() -> dict[str, tuple[str, ...]]:
    """Name -> words of each measured command, in the order in which they are run."""
    return {
        "run, JSONL": ("run", "qa", "--data", "a.jsonl", "--out", "a", "-q"),
        "run, Parquet": ("run", "qa", "--data", "b.parquet", "--out", "b", "-q"),
        "report": ("report", "a", "--format", "json"),
        "compare": ("compare", "a", "b", "--format", "json"),
        "gate": ("gate", "a", "--require", "token_f1>=0.1"),
        "thresholds": ("thresholds", "a", "--metric", "token_f1"),
        "html": ("report", "a", "-o", "a.html"),
    }


def memory(root: Path, sizes: Sequence[int]) -> bool:
    """Print the costs of each command by size; return whether memory is flat from 100,000 items on."""
    costs: dict[str, dict[int, Cost]] = {name: {} for name in commands()}
    for size in sizes:
        folder = root / str(size)
        folder.mkdir(parents=True, exist_ok=True)
        write_data(folder, size)
        for run in ("a", "b"):
            shutil.rmtree(folder / run, ignore_errors=True)
        print(f"\n{size:,} items\n{'command':14}{'wall':>8}{'CPU':>8}{'peak':>8}", flush=True)
        for name, words in commands().items():
            cost = costs[name][size] = timed(folder, *words)
            print(f"{name:14}{cost.wall:8.1f}{cost.cpu:8.1f}{cost.peak:8.0f}", flush=True)
    return flat(costs, max(sizes))


def flat(costs: dict[str, dict[int, Cost]], largest: int) -> bool:
    """Print the growth of the peaks from 100,000 items to the largest size."""
    if largest <= FLAT_FROM or any(FLAT_FROM not in by_size for by_size in costs.values()):
        return True
    growth = {name: by_size[largest].peak / by_size[FLAT_FROM].peak for name, by_size in costs.items()}
    print(f"\npeak at {largest:,} items / peak at {FLAT_FROM:,} items")
    for name, ratio in growth.items():
        print(f"{name:14}{ratio:8.2f}{'' if ratio <= MOST_GROWTH else f'  more than {MOST_GROWTH}'}")
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
    parser.add_argument("--folder", type=Path, help="keep data and runs here")
    parser.add_argument("--write", type=int, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.write is not None:
        write_now(options.folder, options.write)
        return 0
    sizes = [*options.sizes, *([LARGE] if options.large else [])]
    with tempfile.TemporaryDirectory() as name:
        root = (options.folder or Path(name)).resolve()
        fine = [memory(root, sizes)] if "memory" in options.only else []
        fine += [speed_up(root, min(max(sizes), FLAT_FROM))] if "speed-up" in options.only else []
    return 0 if all(fine) else 1


if __name__ == "__main__":
    sys.exit(main())
