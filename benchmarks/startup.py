"""Processor time of whole commands on little data, which is mostly that of imports.

    python benchmarks/startup.py [--repeats 5]

Each command runs in a process of its own, in turns. The figures are medians of user and system time. `import
haystack` is the floor of commands that run a pipeline; other packages are measured if they are installed.
"""

import argparse
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path

os.environ["HAYSTACK_TELEMETRY_ENABLED"] = "False"

ROWS = 107
PYTHON = (sys.executable, "-c")
THRESHER = (sys.executable, "-m", "thresher")
COMMANDS: Mapping[str, Sequence[str]] = {
    "python -c pass": (*PYTHON, "pass"),
    "python -c 'import haystack'": (*PYTHON, "import haystack"),
    "thresher --version": (*THRESHER, "--version"),
    "thresher --help": (*THRESHER, "--help"),
    "thresher list": (*THRESHER, "list"),
    "thresher run qa": (*THRESHER, "run", "qa", "--data", "answers.jsonl", "--out", "b", "--overwrite"),
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
    repeats = parser.parse_args().repeats
    commands = {**COMMANDS, **{name: peer for name, peer in PEERS.items() if find_spec(name)}}
    folder = Path(tempfile.mkdtemp())
    try:
        write_data(folder)
        times: dict[str, list[float]] = {name: [] for name in commands}
        for _ in range(repeats):
            for name, command in commands.items():
                times[name].append(processor_time(command, folder))
    finally:
        shutil.rmtree(folder)
    for name, seconds in times.items():
        print(f"{name:30} {statistics.median(seconds):6.3f} s")
    for name in PEERS.keys() - commands.keys():
        print(f"{name:30} not installed")


def write_data(folder: Path) -> None:
    """Write the data, and two runs of them."""
    row = {"question": "Where do the trams run?", "ground_truth_answers": "They run in Rome"}
    answers = ("They run in Milan", "In Rome", "They run in Rome")
    rows = [{"id": number, **row, "predicted_answers": answers[number % 3]} for number in range(ROWS)]
    (folder / "answers.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in rows))
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
