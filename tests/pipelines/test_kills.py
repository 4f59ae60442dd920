"""Processes that share a run directory and an answer cache are killed; the numbers stay the same.

`benchmarks/kills.py` does the same with eight processes and hundreds of kills.
"""

import random
import sqlite3
import time
from contextlib import closing

import pytest

from pipelines.judged_runs import ended_with_the_test, mock_judge, write_items
from processes import Forked
from thresher import open_run, verify_run

ITEMS, PROCESSES, KILLS = 8, 3, 3
PROGRAM = """
import sys
from thresher.cli.main import main
from thresher.judges.engine import leases
leases.LIFE, leases.BEAT = 1.5, 0.3  # short waits for the answers of a killed process
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def server():
    with mock_judge(50.0) as server:
        yield server


@pytest.fixture
def begin(server, tmp_path):
    """Start a process on a run directory; all of them share the answer cache of this name."""
    data = write_items(tmp_path, ITEMS)
    with ended_with_the_test() as processes:

        def started(name):
            options = ["--data", data, "--out", tmp_path / name, "--chunk-size", 2, "--quiet"]
            cache = tmp_path / f"{name}.sqlite"
            judge = ["--judge-model", "mock", "--judge-url", server.url, "--cache", cache]
            processes.append(Forked(PROGRAM, "run", "valor_context_relevance,token_f1", *options, *judge))
            return processes[-1]

        yield started


def numbers(folder):
    results = open_run(folder)
    scores = {result.name: result.item_scores().tolist() for result in results.results}
    return list(results.ids), {name: list(column) for name, column in results.inputs.items()}, scores


@pytest.mark.slow
def test_killed_processes_lose_nothing_and_leave_nothing(begin, tmp_path):
    assert begin("alone").wait(120) == 0
    rng, killed = random.Random(4), 0  # noqa: S311
    processes = [begin("shared") for _ in range(PROCESSES)]
    while killed < KILLS and any(process.poll() is None for process in processes):
        time.sleep(rng.expovariate(4))
        place = rng.randrange(PROCESSES)
        if processes[place].poll() is None:
            processes[place].kill()
            killed += processes[place].wait(60) < 0
            processes[place] = begin("shared")
    assert [process.wait(120) for process in processes] == [0] * PROCESSES
    assert killed
    assert begin("shared").wait(120) == 0, "one more start, which cleans up"
    assert numbers(tmp_path / "shared") == numbers(tmp_path / "alone")
    assert open_run(tmp_path / "shared").provenance["complete"]
    assert verify_run(tmp_path / "shared").whole
    assert not list((tmp_path / "shared").rglob("*.tmp"))
    with closing(sqlite3.connect(tmp_path / "shared.sqlite")) as cache:
        assert cache.execute("PRAGMA integrity_check").fetchone() == ("ok",)
