import pytest

from thresher import EvaluationResults, InputError, evaluate, item_history


def run_of(name, scores, answers=None, started=""):
    ids = ["a", "b"]
    data = {
        "run": name,
        "inputs": {"id": ids, "question": ["A?", "B?"], **({"response": answers} if answers else {})},
        "metrics": [
            {"name": "hit", "scores": scores, "bounds": [0, 1]},
            {"name": "extra", "scores": [0.5, 0.25], "primary": False},
        ],
    }
    run = EvaluationResults.from_dict(data)
    return EvaluationResults(run.inputs, run.results, name=name, provenance={"started": started})


RUNS = [
    run_of("third", [1, 0], ["x", "y"], "2026-01-03"),
    run_of("first", [1, 1], ["x", "x"], "2026-01-01"),
    run_of("second", [1, None], ["x", "long " * 30], "2026-01-02"),
]


def test_scores_and_changes_of_the_answer():
    report = item_history(RUNS, "b")
    table = report.table()
    assert table["run"] == ["first", "second", "third"]
    assert table["hit"] == [1, "missing", 0]
    assert table["changed"] == [None, True, True]
    assert table["answer"][1] == "long " * 30
    assert table.reading == ("b: the answer changed 2 times in 3 runs.",)
    assert "…" in report.render("table")
    assert report.data()["changes"] == 2
    assert item_history(RUNS, "A?").data()["changes"] == 0


def test_metrics_can_be_chosen_and_runs_lack_the_item():
    other = EvaluationResults.from_dict(
        {"run": "other", "inputs": {"id": ["z"]}, "metrics": [{"name": "hit", "scores": [1]}]}
    )
    report = item_history([*RUNS, other], "b", ["extra"])
    assert report.table()["extra"] == [0.25] * 3
    assert "Without b: other." in report.table().notes
    with pytest.raises(InputError, match="no run has the item 'q'"):
        item_history(RUNS, "q")
    with pytest.raises(InputError, match="no metric 'nope'"):
        item_history(RUNS, "b", ["nope"])


def test_runs_without_answers():
    runs = [run_of("one", [1, 0]), run_of("two", [1, 1])]
    table = item_history(runs, "a").table()
    assert table["answer"] == [None, None]
    assert table.reading == ()


def test_runs_that_ask_other_questions_under_an_id_are_named():
    other = run_of("other", [1, 0], ["x", "y"], "2026-01-04")
    inputs = {**other.inputs, "question": ["A?", "C?"]}
    other = EvaluationResults(inputs, other.results, name="other", provenance=other.provenance)
    [note] = item_history([*RUNS, other], "b").table().notes
    assert (
        note == "The runs ask different questions under this id: 'B?' in first, second, third; 'C?' in other."
    )
    assert not item_history([*RUNS, other], "a").table().notes
    assert item_history(RUNS[::2], "b").table().reading == ("b: the answer changed once in 2 runs.",)


def test_a_pooled_primary_measure_gives_way_to_metrics_of_items():
    answers = {"id": ["a", "b"], "ground_truths": ["x", "y"], "predictions": ["x", "x"]}
    runs = [evaluate("classification", answers, name=name) for name in ("one", "two")]
    assert item_history(runs, "b").table()["classification_accuracy"] == [0, 0]
