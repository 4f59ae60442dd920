import numpy as np

from thresher import EvaluationResults
from thresher.reports.runs.repeats import repeated_scores


def test_scores_become_items_by_tries():
    table = repeated_scores(np.array([1.0, 2, 3, 4]), np.array([1, 0, 1, 1]))
    assert np.array_equal(table, [[2, np.nan, np.nan], [1, 3, 4]], equal_nan=True)
    assert repeated_scores(np.zeros(0), np.zeros(0, np.int64)).shape == (0, 0)


def run_of(scores, **inputs):
    inputs = {"id": [f"r{row}" for row in range(len(scores))], **inputs}
    metrics = [
        {"name": "hit", "scores": scores, "bounds": [0, 1]},
        {"name": "other", "scores": scores, "bounds": [0, 1], "primary": False},
    ]
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})


def test_a_report_says_which_part_of_an_error_is_chance():
    repeats = {"repeat_of": ["a", "a", "b", "b", "c", "c", "d", "d"]}
    notes = run_of([1, 0, 1, 1, 0, 0, 1, 1], **repeats).report().notes
    expected = (
        "hit: 1 of 4 items with several tries are flaky; 25 % flip between two tries. Chance between tries "
        "alone gives the mean of one try a standard error of 0.18, that of all tries 0.12."
    )
    assert expected in notes
    assert not any("other" in note for note in notes)
    graded = run_of([0.5, 0.25, 1, 1, 0, 0, 1, 1], **repeats).report().notes
    assert any("1 of 4 items with several tries have different scores. Chance" in note for note in graded)
    assert not any("flaky" in note for note in run_of([1, 1, 0, 0, 1, 1, 0, 0], **repeats).report().notes)
    assert not any("flaky" in note for note in run_of([1, 0, 1, 0]).report().notes)
