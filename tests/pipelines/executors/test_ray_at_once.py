"""Equal parts, and a killed worker, in one cluster of Ray: starting a cluster takes most of a test's time."""

import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.skipif(find_spec("ray") is None, reason="Ray is not installed")]
CODE = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parents[2])!r})
import ray
from pipelines.executors.harmful import HarmfulEvaluator
from thresher import evaluate

if __name__ == "__main__":
    ray.init(address="local", num_cpus=2, include_dashboard=False, _node_ip_address="127.0.0.1")
    answers = {{
        "questions": [f"question {{n}}" for n in range(9)],
        "predicted_answers": ["Paris", "", "the 3rd", "x"] * 2 + [None],
        "ground_truth_answers": ["Paris", "Rome", "3rd", None] * 2 + ["y"],
    }}
    here = evaluate("qa", answers, out="here", chunk_size=2)
    there = evaluate("qa", answers, out="there", chunk_size=2, engine="ray", workers=2)
    form = "csv"
    assert here.individual_aggregate_score_report(form) == there.individual_aggregate_score_report(form)
    questions = {{"questions": ["q0", "q1", "kill once", "q3", "q4", "q5"]}}
    metrics = [HarmfulEvaluator("log")]
    killed = evaluate(metrics, questions, out="killed", chunk_size=1, engine="ray", workers=2)
    assert killed.results[0].item_scores().tolist() == [2.0, 2.0, 9.0, 2.0, 2.0, 2.0]
    print(killed.complete)
"""


def parts(run):
    return {part.name: part.read_bytes() for part in (run / "parts").iterdir()}


def test_parts_have_the_same_bytes_and_a_worker_that_dies_costs_its_chunk(tmp_path):
    (tmp_path / "script.py").write_text(CODE)
    command = [sys.executable, "script.py"]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, timeout=240)
    assert ended.stdout.splitlines()[-1:] == ["True"], ended.stderr
    assert parts(tmp_path / "here") == parts(tmp_path / "there")
    asked = [line.split(" ", 1)[1] for line in (tmp_path / "log").read_text().splitlines()]
    assert asked.count("kill once") == 2
    assert len(asked) <= 6 + 2, "the chunks that the two workers were computing"
