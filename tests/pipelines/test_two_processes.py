"""Two processes that start together on one cache, or on one run directory, share the asking."""

import time

import numpy as np
import pytest

from pipelines.judged_runs import ended_with_the_test, mock_judge, write_items
from processes import Forked
from thresher import open_run

ITEMS = 30
CALLS = 8 * ITEMS
START = """
import sys
from thresher.cli.main import main
print("ready", flush=True)
sys.stdin.readline()
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture
def server():
    with mock_judge(60.0) as server:
        yield server


@pytest.fixture
def begin(server, tmp_path):
    """Start as many processes as there are run directories, in the same moment."""
    data = write_items(tmp_path, ITEMS)
    with ended_with_the_test() as processes:

        def started(*names):
            for name in names:
                options = ["--data", data, "--skip-missing", "--out", tmp_path / name, "--quiet"]
                judge = ["--judge-model", "mock", "--judge-url", server.url, "--cache", tmp_path / "c.sqlite"]
                processes.append(Forked(START, "run", "rag", *options, *judge))
            for process in processes:
                assert process.stdout.readline() == "ready\n"
            for process in processes:
                process.stdin.write("go\n")
                process.stdin.flush()
            return processes

        yield started


def scores(folder):
    return {result.name: result.item_scores().tolist() for result in open_run(folder).results}


@pytest.mark.slow
@pytest.mark.parametrize("names", [("a", "b"), ("a", "a")], ids=["one cache", "one run directory"])
def test_together_they_ask_hardly_more_than_one_alone(server, begin, tmp_path, names):
    processes = begin(*names)
    errors = [process.communicate(timeout=300)[1] for process in processes]
    assert [process.returncode for process in processes] == [0, 0], errors
    assert len(server.seen) == CALLS
    assert server.calls <= 1.05 * CALLS
    scores_of_runs = [scores(tmp_path / name) for name in names]
    assert scores_of_runs[0] == scores_of_runs[1]
    assert not np.isnan(list(scores_of_runs[0].values())).any()


@pytest.mark.slow
def test_one_that_is_killed_holds_up_the_other_for_some_seconds_and_nothing_is_lost(server, begin, tmp_path):
    killed, other = begin("a", "b")
    while server.calls < CALLS // 3:
        assert killed.poll() is None, killed.communicate()[1]
        time.sleep(0.01)
    killed.kill()
    start = time.monotonic()
    _, errors = other.communicate(timeout=300)
    assert other.returncode == 0, errors
    assert time.monotonic() - start < 60
    assert server.calls <= CALLS + 20, "what the killed one had in flight is asked again, and no more"
    assert not np.isnan(list(scores(tmp_path / "b").values())).any()
