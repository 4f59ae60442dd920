import json
import math
from pathlib import Path

import numpy as np
import pytest

from thresher.errors import InputError
from thresher.kernels.inference import Target, estimate
from thresher.kernels.inference.agreement import cohen_kappa, fleiss_kappa
from thresher.kernels.inference.krippendorff import krippendorff_alpha
from thresher.kernels.inference.panels import (
    PanelMean,
    effective_votes,
    judge_biases,
    judge_variance,
    learnt_weights,
    panel_columns,
)
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics

GOLDEN = Path(__file__).parents[2] / "golden" / "judges2"
VOTES = json.loads((GOLDEN / "juries_votes.json").read_text("utf-8"))["cases"]
RATINGS = json.loads((GOLDEN / "juries_ratings.json").read_text("utf-8"))["cases"]


def _table(rows):
    return np.array([[np.nan if entry is None else entry for entry in row] for row in rows], dtype=np.float64)


def test_agreement_of_golden_votes():
    for case in VOTES:
        raters, expected = list(zip(*case["votes"], strict=True)), case["expect"]
        fleiss = fleiss_kappa(raters)
        assert fleiss.value == pytest.approx(expected["fleiss_kappa"]), case["id"]
        assert fleiss.items == expected["fleiss_on_items"]
        alpha = krippendorff_alpha(raters).value
        assert alpha == pytest.approx(expected["krippendorff_alpha_nominal"]), case["id"]
        for pair, kappa in expected["cohen_kappa"].items():
            one, other = map(int, pair.split("-"))
            assert cohen_kappa(raters[one], raters[other]).value == pytest.approx(kappa, abs=1e-9)


def test_effective_votes_of_golden_errors_are_at_most_the_judges():
    for case in VOTES:
        votes, truth = _table(case["votes"]), np.array(case["truth"])
        judges = votes.shape[1]
        expected = min(judges, case["expect"]["effective_votes"])
        assert effective_votes(votes != truth[:, None]) == pytest.approx(expected), case["id"]
        accuracy = (votes == truth[:, None]).mean(axis=0)
        assert accuracy == pytest.approx(case["expect"]["judge_accuracy"])


def test_biases_and_agreement_of_golden_ratings():
    for case in RATINGS:
        ratings, expected = _table(case["ratings"]), case["expect"]
        assert judge_biases(ratings) == pytest.approx(expected["bias_of_judge"]), case["id"]
        for scale in ("ordinal", "interval"):
            alpha = krippendorff_alpha(ratings.T.tolist(), scale).value
            assert alpha == pytest.approx(expected[f"krippendorff_alpha_{scale}"]), case["id"]


def test_fleiss_kappa_is_undefined_without_differences():
    assert math.isnan(fleiss_kappa([["a", "a"], ["a", "a"]]).value)
    assert math.isnan(fleiss_kappa([["a", None], ["a", "b"]]).value)


def test_learnt_weights_follow_the_labels():
    rng = np.random.default_rng(1)
    truth = rng.integers(0, 2, 400)
    right = rng.random((400, 3)) < [0.95, 0.7, 0.5]
    votes = np.where(right, truth[:, None], 1 - truth[:, None]).astype(float)
    good, fair, chance = learnt_weights(votes, truth)
    assert good == pytest.approx(math.log(0.95 / 0.05), abs=0.6)
    assert fair == pytest.approx(math.log(0.7 / 0.3), abs=0.4)
    assert chance < 0.3
    votes[5:, 2] = np.nan
    assert learnt_weights(votes, np.where(np.arange(400) < 300, truth, np.nan))[0] > fair


@pytest.mark.parametrize(
    ("votes", "labels", "message"),
    [
        ([[0, 1]], [1, 0], "one label per row"),
        ([[0, 2]], [1], "votes must be 0, 1 or NaN"),
        ([[0, 1]], [3], "labels must be 0, 1 or NaN"),
        ([[0, 0], [1, 1]], [1, 0], "no judge is right in more than half"),
    ],
)
def test_weights_that_cannot_be_learnt(votes, labels, message):
    with pytest.raises(InputError, match=message):
        learnt_weights(votes, labels)


def test_labels_of_shards_are_joined():
    scores = np.array([[1.0, 0.0]])
    parts = [panel_columns({}, scores, [[votes]]) for votes in (("yes", "no"), ("A", "yes"))]
    whole = type(parts[0]).concatenate(parts)
    codes = whole.ragged["label_votes"]["votes"]
    assert [[whole.labels[code].value for code in row] for row in codes] == [["yes", "no"], ["A", "yes"]]


def panel(votes, scores, bounds=(-math.inf, math.inf)):
    """A measure of a panel of judges; its votes are labels where it has finite bounds."""
    voted = math.isfinite(bounds[1])
    rows = [[[["no", "yes"][int(vote)] for vote in row] if voted else row.tolist()] for row in votes]
    reduction = PanelMean(judges=votes.shape[1])
    measure = Measure(Signature.of("m", {}), reduction, "score", bounds=bounds)
    return Target(MetricResult([measure], panel_columns({"score": scores}, votes, rows)), "m")


def _covered(spread_of_judges, judges, items, *, runs=400, verdicts=False):
    """Share of simulated panels whose interval with and without judges has the mean of the population."""
    rng, held = np.random.default_rng(3), np.zeros(2)
    for _ in range(runs):
        level = rng.normal(0, 1, (items, 1)) + rng.normal(0, spread_of_judges, judges)
        if verdicts:  # a rate of a half in the population, by symmetry
            votes = (rng.random((items, judges)) < 1 / (1 + np.exp(-level))).astype(float)
            scores, truth, bounds = (votes.mean(axis=1) > 0.5).astype(float), 0.5, (0, 1)
        else:
            votes = level + rng.normal(0, 1, (items, judges))
            scores, truth, bounds = votes.mean(axis=1), 0.0, (-math.inf, math.inf)
        found = estimate(panel(votes, scores, bounds)), estimate(scored(scores, bounds))
        held += [one.interval.low <= truth <= one.interval.high for one in found]
    return held / runs


def scored(scores, bounds):
    measure = Measure(Signature.of("m", {}), Mean(), "score", bounds=bounds)
    return Target(MetricResult([measure], Statistics({"score": scores})), "m")


@pytest.mark.parametrize("verdicts", [False, True])
@pytest.mark.parametrize("judges", [3, 5])
def test_intervals_include_the_differences_between_judges(judges, verdicts):
    """Simulated panels drawn from a population of judges, without and with differences between them."""
    equal, plain = _covered(0.0, judges, 100, verdicts=verdicts)
    assert 0.92 <= equal <= 0.995
    assert 0.92 <= plain <= 0.99
    different, ignored = _covered(0.7, judges, 100, verdicts=verdicts)
    assert 0.90 <= different <= 0.99
    assert ignored < 0.75


def test_one_judge_or_item_adds_nothing():
    lost = np.array([[0.0, np.nan], [1.0, np.nan], [1.0, np.nan]])
    assert judge_variance(lost)[0] == 0
    assert judge_variance(np.zeros((0, 2)))[0] == 0
    assert judge_variance(np.array([[0.0, 1.0], [np.nan, 1.0]]))[0] == 0
    assert judge_variance(np.array([[0.0, 1.0], [0.0, 1.0], [0.5, 1.0]]))[0] > 0


def test_equal_scores_of_judges_who_differ_have_an_interval():
    votes = np.tile([0.2, 0.6], (30, 1))
    found = estimate(panel(votes, votes.mean(axis=1)))
    assert found.interval.low < 0.4 < found.interval.high
