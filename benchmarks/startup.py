"""Processor time of whole commands on little data, which is mostly that of imports, or on more.

    python benchmarks/startup.py [--repeats 5] [--rows 100000]

Each command runs in a process of its own, in turns. The figures are medians of user and system time. `import
haystack` is the floor of commands that run a pipeline; other packages are measured if they are installed.
A row has a question of 12 words and two answers of 40. The line of a run with two workers has the processor
seconds of all processes, of the command's own and of the others, and the seconds by the clock.
"""

import argparse
import json
import os
import random
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

from processes import Cost, cost

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"
# pip compiles modules when it installs them. Those of a checkout are compiled by the runs that write the
# data, which are not measured.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

WORDS = [f"word{number}" for number in range(5_000)]
PYTHON = (sys.executable, "-c")
THRESHER = (sys.executable, "-m", "thresher")
COMMANDS: Mapping[str, Sequence[str]] = {
    "python -c pass": (*PYTHON, "pass"),
    "python -c 'import haystack'": (*PYTHON, "import haystack"),
    "thresher --version": (*THRESHER, "--version"),
    "thresher --help": (*THRESHER, "--help"),
    "thresher list": (*THRESHER, "list"),
    "thresher run qa": (*THRESHER, "run", "qa", "--data", "answers.jsonl", "--out", "new"),
    "thresher report": (*THRESHER, "report", "a"),
    "thresher compare": (*THRESHER, "compare", "a", "b"),
}
PEERS: Mapping[str, Sequence[str]] = {
    "ragas": (*PYTHON, "import ragas"),
    "deepeval": (*PYTHON, "from deepeval.cli.main import app"),
    "lm_eval": (sys.executable, "-m", "lm_eval", "--help"),
}


def main() -> None:
    """Print a line per command."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--rows", type=int, default=107)
    options = parser.parse_args()
    commands = {**COMMANDS, **{name: peer for name, peer in PEERS.items() if find_spec(name)}}
    folder = Path(tempfile.mkdtemp())
    try:
        write_data(folder, options.rows)
        times: dict[str, list[float]] = {name: [] for name in commands}
        shared: list[Cost] = []
        for _ in range(options.repeats):
            for name, command in commands.items():
                times[name].append(processor_time(command, folder))
            shutil.rmtree(folder / "new")  # a finished run is only reported
            shared.append(cost((*COMMANDS["thresher run qa"], "--workers", "2"), folder))
            shutil.rmtree(folder / "new")
    finally:
        shutil.rmtree(folder)
    for name, seconds in times.items():
        print(f"{name:30} {statistics.median(seconds):6.3f} s")
    median = Cost(*map(statistics.median, zip(*shared, strict=True)))
    where = f"{median.spent:.3f} s + {median.others:.3f} s in others; {median.taken:.3f} s by the clock"
    print(f"{'thresher run qa, 2 workers':30} {median.spent + median.others:6.3f} s ({where})")
    for name in PEERS.keys() - commands.keys():
        print(f"{name:30} not installed")


def write_data(folder: Path, rows: int, words: Sequence[str] = WORDS) -> None:
    """Write the data, and two runs of them."""
    rng = random.Random(7)  # repeatable, not secret
    with (folder / "answers.jsonl").open("w", encoding="utf-8") as file:
        for number in range(rows):
            reference = rng.choices(words, k=40)
            answer = [word if rng.random() < 0.6 else rng.choice(words) for word in reference]
            texts = {
                "question": rng.choices(words, k=12),
                "predicted_answers": answer,
                "ground_truth_answers": reference,
            }
            row = {"id": f"q{number}", **{name: " ".join(text) for name, text in texts.items()}}
            file.write(f"{json.dumps(row)}\n")
    for name in ("a", "b"):
        processor_time((*THRESHER, "run", "qa", "--data", "answers.jsonl", "--out", name), folder)


def processor_time(command: Sequence[str], folder: Path) -> float:
    """Seconds of user and system time of a process."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, check=True, capture_output=True)  # noqa: S603  # our own commands
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


if __name__ == "__main__":
    main()
