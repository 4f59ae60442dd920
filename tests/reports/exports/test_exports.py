"""Runs in the forms of Haystack, ragas and Hugging Face."""

import importlib.util
import sys
from types import SimpleNamespace

import pytest

from thresher import EvaluationResults, evaluate
from thresher.errors import MissingDependencyError

ROWS = {
    "id": ["a", "b", "c"],
    "questions": ["Who?", "Where?", "When?"],
    "contexts": [["He."], ["Rome.", "Oslo."], ["1900."]],
    "predicted_answers": ["he", "in Oslo", None],
    "ground_truth_answers": ["he", ["Oslo", "Bern"], "1900"],
    "topic": [{"name": "x"}, None, [1, 2]],
}


@pytest.fixture(scope="module")
def run():
    return evaluate("token_f1", ROWS, name="main")


def test_haystacks_class_holds_values_and_item_scores(run):
    theirs = run.to_haystack()
    assert theirs.run_name == "main"
    assert theirs.results["token_f1"]["score"] == run.metrics["token_f1"].value
    assert theirs.results["token_f1_micro"]["score"] == run.metrics["token_f1_micro"].value
    assert theirs.aggregated_report()["metrics"] == list(run.metrics)
    again = EvaluationResults.from_dict(theirs)
    assert again.metrics["token_f1"].coverage == "2/3"
    assert list(again.inputs) == list(run.inputs)


def test_haystacks_class_needs_a_column_so_ids_are_one():
    bare = EvaluationResults.from_dict({"inputs": {}, "metrics": [{"name": "hit", "scores": [1, 0]}]})
    assert bare.to_haystack().inputs == {"id": ["row-1", "row-2"]}


def test_samples_of_ragas_have_one_reference_and_all_references(run):
    first, second, third = run.to_ragas()
    assert first == {
        "user_input": "Who?",
        "response": "he",
        "retrieved_contexts": ["He."],
        "reference": "he",
        "references": "he",
        "token_f1": 1.0,
        "token_f1_micro": 1.0,
    }
    assert (second["reference"], second["references"]) == ("Oslo", ["Oslo", "Bern"])
    assert (third["response"], third["token_f1"]) == (None, None)


@pytest.mark.skipif(importlib.util.find_spec("ragas") is None, reason="ragas is not installed")
def test_ragas_reads_the_samples(run):
    from ragas import EvaluationDataset

    assert EvaluationDataset.from_list(run.to_ragas()).samples[1].reference == "Oslo"


def test_columns_of_one_type_are_arrow_and_others_json(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", SimpleNamespace(Dataset=lambda table: table.to_pylist()))
    rows = list(run.to_datasets())
    assert rows[1]["contexts"] == ["Rome.", "Oslo."]
    assert [row["topic"] for row in rows] == ['{"name": "x"}', None, "[1, 2]"]
    assert [row["token_f1_status"] for row in rows] == ["scored", "scored", "missing"]


def test_a_missing_package_is_named(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "datasets", None)
    with pytest.raises(
        MissingDependencyError, match=r"^datasets is not installed: run `pip install datasets`$"
    ):
        run.to_datasets()
