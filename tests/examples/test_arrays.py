"""Example files of array jobs, with the variables that the scheduler would set: they make one run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from processes import COMMAND_LINE, run
from thresher import evaluate, open_run

pytestmark = pytest.mark.slow
EXAMPLES = Path(__file__).parents[2] / "examples"
ROWS = [{"question": f"q{n}", "answer": f"a b {n % 3}", "reference": f"a {n % 2}"} for n in range(9)]


def slurm(number):
    text = (EXAMPLES / "slurm_array.sh").read_text()
    return text, {
        "SLURM_ARRAY_TASK_ID": str(number),
        "SLURM_ARRAY_TASK_MIN": "0",
        "SLURM_ARRAY_TASK_COUNT": "4",
        "OPTIONS": "--chunk-size 2",
    }


def kubernetes(number):
    job = yaml.safe_load((EXAMPLES / "kubernetes_indexed_job.yaml").read_text())
    assert job["spec"]["completions"] == 4
    (text,) = job["spec"]["template"]["spec"]["containers"][0]["args"]
    return f"{text} --chunk-size 2", {"JOB_COMPLETION_INDEX": str(number)}


def argo(number):
    spec = yaml.safe_load((EXAMPLES / "argo_array.yaml").read_text())["spec"]
    sequence = spec["templates"][0]["steps"][0][0]["withSequence"]
    (text,) = spec["templates"][1]["container"]["args"]
    value = str(int(sequence["start"]) + number)
    return f"{text} --chunk-size 2".replace("{{inputs.parameters.number}}", value), {}


@pytest.mark.parametrize("job", [slurm, kubernetes, argo])
def test_an_array_makes_the_run_of_one_process(job, tmp_path):
    (tmp_path / "data.jsonl").write_text("\n".join(map(json.dumps, ROWS)))
    (tmp_path / "bin").mkdir()
    command = tmp_path / "bin" / "thresher"
    command.write_text(
        f'#!/bin/sh\n[ "$NUMBER" = 0 ] || exec printf "%s\\0" "$@"\nexec {sys.executable} -m thresher "$@"\n'
    )
    command.chmod(0o755)
    path = f"{command.parent}:{os.environ['PATH']}"
    place = {"DATA": str(tmp_path / "data.jsonl"), "OUT": str(tmp_path / "run"), "PATH": path}
    for number in range(4):
        text, variables = job(number)
        environment = {**os.environ, **place, **variables, "NUMBER": str(number)}
        ended = subprocess.run(["bash", "-c", text], env=environment, capture_output=True, text=True)
        if number:  # only the first task starts Python anew; the others print the words of their command
            assert ended.returncode == 0, ended.stderr
            ended = run(COMMAND_LINE, *ended.stdout.split("\0")[:-1], environment=environment)
        assert ended.returncode == 0, ended.stderr
        assert open_run(tmp_path / "run").complete == (number == 3)
    alone = evaluate("qa", tmp_path / "data.jsonl", out=tmp_path / "alone", chunk_size=2)
    together = open_run(tmp_path / "run")
    assert alone.individual_aggregate_score_report("csv") == together.individual_aggregate_score_report("csv")
