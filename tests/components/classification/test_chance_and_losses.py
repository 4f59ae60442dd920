"""Kappa, MCC, balanced and top-k accuracy, log loss and Brier score against scikit-learn and by hand."""

import warnings

import numpy as np
import pytest
from sklearn import metrics as sklearn_metrics

from thresher.components.classification import (
    ClassificationBalancedAccuracyEvaluator,
    ClassificationBrierScoreEvaluator,
    ClassificationCohenKappaEvaluator,
    ClassificationLogLossEvaluator,
    ClassificationMatthewsCorrelationEvaluator,
    ClassificationTopkAccuracyEvaluator,
    LabelScores,
)
from thresher.errors import DataWarning, InputError
from thresher.kernels.inference import Target, estimate

LABELS = 4


def rows(scores):
    return [dict(enumerate(row)) for row in scores.tolist()]


@pytest.fixture(scope="module", params=range(4))
def data(request):
    """Truths, probabilities, weights; as a matrix, or as dictionaries."""
    generator = np.random.default_rng(request.param)
    items = int(generator.integers(8, 60))
    truths = np.resize(np.arange(LABELS), items)
    scores = np.round(generator.dirichlet(np.full(LABELS, [0.1, 1, 5][request.param % 3]), items), 3)
    weights = generator.integers(0, 4, items).astype(float)
    weights[:LABELS] = 1
    form = LabelScores(scores, range(LABELS)) if request.param % 2 else rows(scores)
    return truths, scores, weights, form


def values(evaluator, data, measure=None):
    result = evaluator.run(ground_truths=data[0], predictions=data[3])["result"]
    return [result.value(measure, weights) for weights in (None, data[2])]


def by_sklearn(name, data, predicted, **options):
    function = getattr(sklearn_metrics, name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # rounded probabilities do not sum to 1 exactly
        return [function(data[0], predicted, sample_weight=each, **options) for each in (None, data[2])]


def test_decisions_equal_scikit_learn(data):
    decided, order = data[1].argmax(1), {"labels": range(LABELS)}
    found = {
        "balanced_accuracy_score": (ClassificationBalancedAccuracyEvaluator(), {}),
        "matthews_corrcoef": (ClassificationMatthewsCorrelationEvaluator(), {}),
        "cohen_kappa_score": (ClassificationCohenKappaEvaluator(), {}),
    }
    for name, (evaluator, options) in found.items():
        assert values(evaluator, data) == pytest.approx(by_sklearn(name, data, decided, **options), abs=1e-14)
    adjusted = by_sklearn("balanced_accuracy_score", data, decided, adjusted=True)
    assert values(ClassificationBalancedAccuracyEvaluator(adjusted=True), data) == pytest.approx(adjusted)
    for distance in ("linear", "quadratic"):
        wanted = by_sklearn("cohen_kappa_score", data, decided, weights=distance, **order)
        evaluator = ClassificationCohenKappaEvaluator(distance=distance)
        assert values(evaluator, data) == pytest.approx(wanted, abs=1e-14)


@pytest.mark.filterwarnings("ignore:.*the probability 0")
def test_losses_and_skills(data):
    truths, scores, weights, _ = data
    losses = by_sklearn("log_loss", data, scores, labels=range(LABELS))
    assert values(ClassificationLogLossEvaluator(), data) == pytest.approx(losses, abs=1e-13)
    own = ((scores - np.eye(LABELS)[truths]) ** 2).sum(axis=1)
    brier = [np.average(own, weights=each) for each in (None, weights)]
    assert values(ClassificationBrierScoreEvaluator(), data) == pytest.approx(brier, abs=1e-14)
    half = values(ClassificationBrierScoreEvaluator(convention="half"), data)
    assert half == pytest.approx(np.array(brier) / 2, abs=1e-14)
    shares = [np.bincount(truths, each, LABELS) for each in (None, weights)]
    rates = [counts / counts.sum() for counts in shares]
    entropy = [-(rate * np.log(rate)).sum() for rate in rates]
    skills = values(ClassificationLogLossEvaluator(), data, "classification_log_loss_skill")
    assert skills == pytest.approx(1 - np.array(losses) / entropy, abs=1e-13)
    spread = [1 - (rate**2).sum() for rate in rates]
    for convention in ("sum", "half"):
        evaluator = ClassificationBrierScoreEvaluator(convention=convention)
        skills = values(evaluator, data, "classification_brier_score_skill")
        assert skills == pytest.approx(1 - np.array(brier) / spread, abs=1e-13)


@pytest.mark.parametrize("bins", [1, 7, 10])
def test_the_decomposition_adds_up_to_the_score(data, bins):
    result = ClassificationBrierScoreEvaluator(bins=bins).run(data[0], data[3])["result"]
    for weights in (np.ones(len(data[0])), data[2], data[2] / 3):
        columns = {name: np.array(column) for name, column in result.detail(weights=weights).columns.items()}
        assert columns["brier_score"].sum() == pytest.approx(result.value(weights=weights), abs=1e-14)
        for label, score in zip(map(int, columns["label"]), columns["brier_score"], strict=True):
            own = np.average((data[1][:, label] - (data[0] == label)) ** 2, weights=weights)
            assert score == pytest.approx(own, abs=1e-14)
        rates = np.bincount(data[0], weights, LABELS) / weights.sum()
        assert columns["uncertainty"] == pytest.approx(rates * (1 - rates))
        if bins == 1:
            assert columns["resolution"] == pytest.approx(0, abs=1e-14)


def test_the_decomposition_of_two_bins_by_hand():
    """Bins (0, .5] and (.5, 1] of p(yes): .2 and .4 with y = 0, 1; .8 and .6 with y = 1, 1."""
    truths, chances = ["no", "yes", "yes", "yes"], [0.2, 0.4, 0.8, 0.6]
    result = ClassificationBrierScoreEvaluator(bins=2, convention="half").run(truths, chances)["result"]
    assert result.score == pytest.approx((0.04 + 0.36 + 0.04 + 0.16) / 4)
    row = next(row for row in result.detail().rows() if row["label"] == "yes")
    assert row["reliability"] == pytest.approx(((0.3 - 0.5) ** 2 + (0.7 - 1) ** 2) / 2)
    assert row["resolution"] == pytest.approx(((0.5 - 0.75) ** 2 + (1 - 0.75) ** 2) / 2)
    assert row["uncertainty"] == pytest.approx(0.75 * 0.25)
    assert row["within_bin_variance"] == pytest.approx(0.01)
    assert row["within_bin_covariance"] == pytest.approx(0.1 * 0.5 * 2 / 4)


@pytest.mark.filterwarnings("ignore:.*the probability 0")
def test_labels_that_are_not_listed_have_the_probability_zero():
    truths, listed = ["cat", "dog", "ape"], [{"cat": 1.0}, {"dog": 0.5, "ape": 0.5}, {"cat": 1.0}]
    dense = [{label: row.get(label, 0.0) for label in ("cat", "dog", "ape")} for row in listed]
    for evaluator in (ClassificationBrierScoreEvaluator(), ClassificationLogLossEvaluator(clip=0.01)):
        sparse, full = (evaluator.run(truths, each)["result"] for each in (listed, dense))
        assert sparse.item_scores().tolist() == full.item_scores().tolist()
        for name, column in full.detail().columns.items():
            assert sparse.detail().columns[name] == pytest.approx(column, nan_ok=True)
    table = full.detail().columns
    assert dict(zip(table["label"], table["clipped"], strict=True)) == {"ape": 1.0, "cat": 0.0, "dog": 0.0}
    assert full.item_scores()[2] == pytest.approx(-np.log(0.01))


def test_a_probability_of_zero_is_reported():
    truths, predictions = ["cat", "dog", None], [{"cat": 1.0, "dog": 0.0}] * 3
    message = "1 true label has the probability 0, whose log loss is infinite; each counts 36.04"
    with pytest.warns(DataWarning, match=message):
        ClassificationLogLossEvaluator().run(truths, predictions)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ClassificationLogLossEvaluator().run(truths[:1], predictions[:1])


def test_top_k_of_a_matrix_and_of_dictionaries(data):
    truths, scores, _, _ = data
    for top_k in range(1, LABELS + 1):
        order = np.argsort(-scores, axis=1, kind="stable")[:, :top_k]
        wanted = (order == truths[:, None]).any(axis=1).astype(float).tolist()
        for form in (LabelScores(scores, range(LABELS)), rows(scores)):
            evaluator = ClassificationTopkAccuracyEvaluator(top_k=top_k)
            assert evaluator.run(truths, form)["individual_scores"] == wanted


@pytest.mark.parametrize("form", [list, lambda rows: LabelScores([[*row.values()] for row in rows], rows[0])])
def test_ties_among_the_best_labels(form):
    rows = form([{"cat": 0.4, "dog": 0.4, "ape": 0.2}, {"cat": 1 / 3, "dog": 1 / 3, "ape": 1 / 3}])
    truths = ["dog", "ape"]
    listed = ClassificationTopkAccuracyEvaluator(top_k=1).run(truths, rows)["individual_scores"]
    random = ClassificationTopkAccuracyEvaluator(top_k=1, ties="random").run(truths, rows)
    assert listed == [0.0, 0.0]
    assert random["individual_scores"] == pytest.approx([1 / 2, 1 / 3])
    assert random["result"].measure().name == "classification_topk_accuracy@1"
    absent = ClassificationTopkAccuracyEvaluator(top_k=5, ties="random").run(["owl", "cat"], rows)
    assert absent["individual_scores"] == [0.0, 1.0]


def test_kappa_of_ordinal_labels_by_hand():
    """Grades 1, 2, 5: the squared distances are 1, 9 and 16, although 3 and 4 never occur."""
    truths, decided = [1, 2, 5, 5], [1, 1, 5, 2]
    observed = 1 + 9
    expected = sum((a - b) ** 2 for a in truths for b in decided) / 4
    evaluator = ClassificationCohenKappaEvaluator(distance="quadratic")
    assert evaluator.run(truths, decided)["score"] == pytest.approx(1 - observed / expected)
    names = {1: "poor", 2: "fair", 5: "good"}
    named = ClassificationCohenKappaEvaluator(distance="quadratic", order=["poor", "fair", "good"])
    places = ClassificationCohenKappaEvaluator(distance="quadratic").run([0, 1, 2, 2], [0, 0, 2, 1])["score"]
    found = named.run([names[each] for each in truths], [names[each] for each in decided])["score"]
    assert found == pytest.approx(places)


def test_a_missing_decision_is_wrong_or_has_no_position():
    truths, predictions = ["1", "1", "2", "2"], ["1", {}, "2", "2"]
    assert ClassificationMatthewsCorrelationEvaluator().run(truths, predictions)["score"] == pytest.approx(
        sklearn_metrics.matthews_corrcoef(truths, ["1", "none", "2", "2"])
    )
    assert ClassificationCohenKappaEvaluator().run(truths, predictions)["score"] == pytest.approx(
        sklearn_metrics.cohen_kappa_score(truths, ["1", "none", "2", "2"])
    )
    result = ClassificationCohenKappaEvaluator(distance="linear").run(truths, predictions)["result"]
    assert result.reasons == {1: "no decision, so no distance from the truth"}
    assert result.score == 1.0


def test_values_that_do_not_exist_are_nan():
    for evaluator in (ClassificationMatthewsCorrelationEvaluator(), ClassificationCohenKappaEvaluator()):
        assert np.isnan(evaluator.run(["cat", "cat"], ["cat", "cat"])["score"])
    assert np.isnan(ClassificationBalancedAccuracyEvaluator().run([None], ["cat"])["score"])
    result = ClassificationLogLossEvaluator().run(["cat"], [{"cat": 1.0}])["result"]
    assert result.score == 0.0
    assert np.isnan(result.value("classification_log_loss_skill"))


def test_label_keys_are_averaged():
    truths = [{"animal": "cat", "size": "big"}, {"animal": "dog", "size": "big"}, {"size": "small"}]
    predictions = [{"animal": "cat", "size": "big"}, {"animal": "dog", "size": "small"}, {"size": "small"}]
    for evaluator in (ClassificationMatthewsCorrelationEvaluator(), ClassificationCohenKappaEvaluator()):
        alone = evaluator.run(["big", "big", "small"], ["big", "small", "small"])["score"]
        assert evaluator.run(truths, predictions)["score"] == pytest.approx((1 + alone) / 2)


@pytest.mark.parametrize("evaluator", [ClassificationLogLossEvaluator, ClassificationBrierScoreEvaluator])
def test_scores_that_are_no_probabilities_are_refused_or_left_out(evaluator):
    truths, predictions = ["cat", "dog"], [{"cat": 0.9, "dog": 0.1}, {"cat": 0.9, "dog": 0.6}]
    with pytest.raises(InputError, match=r"predictions\[1\]: the scores of its labels sum to 1.5, and"):
        evaluator().run(truths, predictions)
    result = evaluator(unnormalised="ignore").run(truths, predictions)["result"]
    assert result.reasons == {1: "scores sum to 1.5 instead of 1, so are not probabilities"}
    assert result.score == evaluator().run(truths[:1], predictions[:1])["score"]
    with pytest.raises(InputError, match=r"predictions\[0\] scores cat with 1.2; give a score from 0 to 1"):
        evaluator(unnormalised="ignore").run(["cat"], [{"cat": 1.2, "dog": -0.2}])
    rounded = [{"cat": 0.33, "dog": 0.33, "ape": 0.33}]
    assert evaluator().run(["cat"], rounded)["result"].n_scored == 1
    unscored = evaluator().run([*truths[:1], "cat"], [*predictions[:1], "cat"])["result"]
    assert unscored.reasons == {1: "a label without scores in predictions"}


@pytest.mark.parametrize(
    ("options", "truths", "message"),
    [
        (
            {"distance": "linear"},
            ["good"],
            r"ground_truths\[0\] is 'good', which is not a whole.*order=",
        ),
        (
            {"distance": "linear", "order": [1, 2]},
            [3],
            r"ground_truths\[0\] is '3', which order=.* lacks",
        ),
        ({"order": [1, 2]}, [1], "order needs distance='linear' or distance='quadratic'"),
        ({"distance": "linear", "order": [1, 1]}, [1], "at least one, each named once"),
    ],
)
def test_labels_without_a_position_are_named(options, truths, message):
    with pytest.raises(InputError, match=message):
        ClassificationCohenKappaEvaluator(**options).run(truths, truths)


@pytest.mark.parametrize(
    ("evaluator", "name"),
    [
        (ClassificationCohenKappaEvaluator(distance="quadratic"), None),
        (ClassificationMatthewsCorrelationEvaluator(), None),
        (ClassificationBalancedAccuracyEvaluator(), None),
        (ClassificationLogLossEvaluator(), "classification_log_loss_skill"),
    ],
)
def test_intervals_cover_the_value_of_the_population(evaluator, name):
    """300 samples of 80 items from a population of 40,000 items with known values."""
    generator = np.random.default_rng(5)
    truths = generator.choice(3, 40_000, p=[0.5, 0.3, 0.2])
    scores = generator.dirichlet(np.ones(3), len(truths)) + 0.6 * np.eye(3)[truths]
    scores /= scores.sum(axis=1, keepdims=True)

    def ran(rows):
        return evaluator.run(truths[rows], LabelScores(scores[rows], range(3)))["result"]

    value = ran(slice(None)).value(name)
    covered = []
    for _ in range(300):
        sample = ran(generator.integers(0, len(truths), 80))
        interval = estimate(Target(sample, sample.measure(name).name)).interval
        covered.append(interval.low <= value <= interval.high)
    assert 0.91 < np.mean(covered) < 0.985
