"""Results of every metric are equal after they were written as a file and read again."""

import json

import numpy as np
import pytest

from laws.cases import CASES, made
from thresher import EvaluationResults, build
from thresher.components import metric_names
from thresher.judges import estimating

IMAGE = {"labels": ["cat"], "boxes": [[0, 0, 10, 10]], "keypoints": [[[at, at, 2] for at in range(17)]]}
CHECKED = {"absent": ["dog"], "frequency": ["rare"]}
IMAGES = {"predictions": [IMAGE | {"scores": [0.9]}], "ground_truths": [IMAGE]}


def results_of(name):
    """A run of one metric on the inputs of its case."""
    inputs = CASES[name].inputs
    pipeline = build({name: made(name)}, run_name=name)
    images = IMAGES
    if name == "detection_lvis":
        images = IMAGES | {"ground_truths": [IMAGE | {"federated": CHECKED}]}
    with estimating():
        return pipeline.run(images if "matches" in inputs else inputs)["collector"]["results"]


@pytest.mark.parametrize("name", metric_names())
@pytest.mark.filterwarnings("ignore")
def test_reports_slices_and_intervals_are_equal_after_a_round_trip(name):
    results = results_of(name)
    text = results.to_json()
    again = EvaluationResults.from_json(text)
    assert again.to_json() == text
    assert EvaluationResults.from_dict(results.to_dict()).to_json() == text
    assert reports(again) == reports(results)


def reports(run):
    """What reports say of a run, of its first items, and of a weighted draw."""
    weights = np.arange(len(run)) % 3
    drawn = {name: metric.result.value(name, weights) for name, metric in run.metrics.items()}
    details = [
        [result.detail(breakdown.name).to_dict() for breakdown in result.breakdowns] for result in run.results
    ]
    first = run.take(range(len(run) // 2)).individual_detailed_score_report(output_format="json")
    return [run.report().render("json"), repr(drawn), details, json.loads(first)]
