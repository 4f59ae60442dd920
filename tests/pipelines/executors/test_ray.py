"""Runs on Ray itself: equal parts; what is lost when a worker, a node or the driver ends."""

import json
import os
import signal
import subprocess
import sys
import time
from importlib.util import find_spec
from pathlib import Path

import pytest

from thresher import open_run

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")]
START = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
from pathlib import Path
from pipelines.executors.harmful import HarmfulEvaluator
from thresher import evaluate
"""
DRIVE = """
import json
if __name__ == "__main__":
    folder, seconds, questions = sys.argv[1], float(sys.argv[2]), json.loads(sys.argv[3])
    metric = HarmfulEvaluator(folder + "/log", seconds=seconds)
    data = {"questions": questions}
    results = evaluate([metric], data, out=folder + "/run", chunk_size=1, engine="ray", workers=2)
    print(len(results), results.complete)
"""
EQUAL = """
if __name__ == "__main__":
    answers = {
        "questions": [f"question {n}" for n in range(9)],
        "predicted_answers": ["Paris", "", "the 3rd", "x"] * 2 + [None],
        "ground_truth_answers": ["Paris", "Rome", "3rd", None] * 2 + ["y"],
    }
    here = evaluate("qa", answers, out="here", chunk_size=2)
    there = evaluate("qa", answers, out="there", chunk_size=2, engine="ray", workers=2)
    form = "csv"
    assert here.individual_aggregate_score_report(form) == there.individual_aggregate_score_report(form)
    import ray
    assert not ray.is_initialized(), "it is stopped"
    ray.init(address="local", num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    evaluate("qa", answers, out="again", chunk_size=2, engine="ray")
    assert ray.is_initialized(), "it is left running"
    from haystack.components.generators.chat import MockChatGenerator
    from thresher.components import ValorCoherenceEvaluator
    from thresher.judges import asking
    judged = [ValorCoherenceEvaluator(MockChatGenerator('{"reason": "r", "rating": 4}'))]
    data = {"response": [f"Answer {n}." for n in range(12)]}
    with asking(max_calls=7, cache=False) as account:
        partial = evaluate(judged, data, out="judged", chunk_size=2, engine="ray")
    assert 0 < account.calls <= 7, account
    assert (account.spent, partial.complete) == (True, False), account
    asked = account.calls
    with asking(cache=False) as account:
        whole = evaluate(judged, data, out="judged", engine="ray")
    assert (account.calls, whole.complete) == (12 - asked, True), account
    assert {node["NodeManagerAddress"] for node in ray.nodes()} == {"127.0.0.1"}
    ray.shutdown()
"""
NODE = """
import os, threading, time
os.environ["RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"] = "0"
os.environ["RAY_USAGE_STATS_ENABLED"] = "0"

def log():
    path = Path("log")
    return path.read_text().splitlines() if path.exists() else []

if __name__ == "__main__":
    import ray
    from ray.cluster_utils import Cluster
    cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
    second = cluster.add_node(num_cpus=1)
    cluster.wait_for_nodes()

    def lose():
        while len({line.split()[0] for line in log()}) < 2 or len(log()) < 6:
            time.sleep(0.05)
        cluster.remove_node(second, allow_graceful=False)

    loser = threading.Thread(target=lose)
    loser.start()
    questions = [f"q{n}" for n in range(20)]
    metric = HarmfulEvaluator("log", seconds=0.3)
    results = evaluate(
        [metric], {"questions": questions}, out="run", chunk_size=1, engine="ray", address=cluster.address
    )
    loser.join()
    assert results.complete and len(results) == 20
    print(len(log()))
    cluster.shutdown()
"""


def script(tmp_path, code):
    (tmp_path / "script.py").write_text(START + code)
    return [sys.executable, "script.py"]


def drive(tmp_path, seconds, questions):
    command = [*script(tmp_path, DRIVE), str(tmp_path), str(seconds), json.dumps(questions)]
    return subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def lines(tmp_path):
    path = tmp_path / "log"
    return path.read_text().splitlines() if path.exists() else []


def runs(process):
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_parts_have_the_same_bytes_and_ray_is_left_as_it_was(tmp_path):
    ended = subprocess.run(script(tmp_path, EQUAL), cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    parts = {
        name: {part.name: part.read_bytes() for part in (tmp_path / name / "parts").iterdir()}
        for name in ("here", "there", "again")
    }
    assert parts["here"] == parts["there"] == parts["again"]


def test_a_worker_that_dies_costs_its_chunk_and_one_that_always_dies_is_given_up(tmp_path):
    questions = [f"q{n}" for n in range(8)]
    questions[1], questions[5] = "kill once", "kill"
    process = drive(tmp_path, 0.05, questions)
    printed, errors = process.communicate(timeout=240)
    assert printed == "7 False\n", errors
    assert "chunk 5 (items 6 to 6) was given up: its process died 3 times" in errors
    asked = [line.split(" ", 1)[1] for line in lines(tmp_path)]
    assert asked.count("kill") == 3
    assert len(asked) <= 8 + 1 + 2 + 2
    assert open_run(tmp_path / "run").provenance["given_up"] == [5]


def test_workers_end_with_a_killed_driver_and_the_next_run_continues(tmp_path):
    process = drive(tmp_path, 1.0, [f"q{n}" for n in range(6)])
    end = time.monotonic() + 120
    while len(lines(tmp_path)) < 4 and time.monotonic() < end:
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    workers = {line.split()[0] for line in lines(tmp_path)}
    time.sleep(2.0)
    assert not [worker for worker in workers if runs(worker)]
    process.communicate()
    begun = len(lines(tmp_path))
    printed, errors = drive(tmp_path, 1.0, [f"q{n}" for n in range(6)]).communicate(timeout=240)
    assert printed == "6 True\n", errors
    assert len(lines(tmp_path)) <= 6 + 2
    assert begun < 6
    assert not list((tmp_path / "run").rglob("*.tmp"))


def test_a_node_that_is_lost_costs_its_chunk(tmp_path):
    ended = subprocess.run(script(tmp_path, NODE), cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert ended.returncode == 0, ended.stderr
    assert int(ended.stdout.splitlines()[-1]) <= 20 + 1
    assert open_run(tmp_path / "run").complete
