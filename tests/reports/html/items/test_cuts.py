import numpy as np
import pytest

from thresher import EvaluationResults
from thresher.reports.html.items.cuts import cuts


def made(scores, direction="higher", **columns):
    metrics = [{"name": "hit", "scores": scores, "direction": direction}]
    inputs = {"id": [str(item) for item in range(len(scores))], **columns}
    return EvaluationResults.from_dict({"inputs": inputs, "metrics": metrics})


def test_each_score_is_a_cut_and_the_counts_say_how_many_have_it():
    (found,) = cuts([made([0.5, 1, 0.5, None], label=[1, 1, 0, 1])])["hit"]
    assert found == {"cuts": [0.5, 1.0], "all": [2, 1], "labels": {"label": [[1, 1], [1, 0]]}}


def test_items_without_a_label_count_among_all_only():
    (found,) = cuts([made([0.2, 0.4, 0.6], label=[True, None, False])])["hit"]
    assert found["all"] == [1, 1, 1]
    assert found["labels"]["label"] == [[1, 0, 0], [0, 0, 1]]


def test_another_metric_of_zeros_and_ones_may_be_the_truth_but_none_is_its_own():
    run = EvaluationResults.from_dict(
        {
            "inputs": {"id": ["a", "b"]},
            "metrics": [{"name": "judge", "scores": [0.1, 0.9]}, {"name": "human", "scores": [0, 1]}],
        }
    )
    found = cuts([run])
    assert list(found["judge"][0]["labels"]) == ["human"]
    assert found["human"][0]["labels"] == {}


@pytest.mark.parametrize("direction", ["higher", "lower"])
def test_counts_at_the_cuts_are_exact_where_there_are_too_many_scores(direction):
    rng = np.random.default_rng(3)
    scores = rng.random(5000).round(5)
    label = (rng.random(5000) < scores).astype(int)
    (found,) = cuts([made(scores.tolist(), direction, label=label.tolist())])["hit"]
    assert 300 < len(found["cuts"]) <= 400
    for place in (0, 100, len(found["cuts"]) - 1):
        cut = found["cuts"][place]
        passing = scores <= cut if direction == "lower" else scores >= cut
        part = slice(None, place + 1) if direction == "lower" else slice(place, None)
        assert sum(found["all"][part]) == passing.sum()
        assert sum(found["labels"]["label"][0][part]) == (passing & (label == 1)).sum()


def test_a_run_without_scores_has_no_cuts():
    assert cuts([made([None, None])]) == {}
