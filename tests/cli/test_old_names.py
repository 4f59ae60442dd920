"""Old names of metrics and measures on the command line: they work, with one line on standard error."""

import json
from pathlib import Path

import pytest

from thresher.cli import main

ROW = {"id": "1", "retrieved_documents": ["a"], "ground_truth_documents": ["a"]}


@pytest.mark.parametrize("name", ["recall", "RecallEvaluator"])
def test_a_metric_is_run_and_gated_by_its_former_name(name, workplace, capsys):
    Path("d.jsonl").write_text(json.dumps(ROW))
    assert main(["run", name, "--data", "d.jsonl", "--quiet"]) == 0
    captured = capsys.readouterr()
    assert "retrieval_recall" in captured.out
    assert captured.err.count(f"'{name}' is deprecated since 0.2") == 1
    assert main(["gate", "runs/d", "--require", "min(recall)>=0.5"]) == 0
    assert capsys.readouterr().err.count("write 'retrieval_recall'") == 1
