"""The search of thresholds against a search written from the definition, on random data with ties."""

import numpy as np
import pytest

from thresher.kernels.inference import LeastCost, ScoredLabels, Youden
from thresher.kernels.thresholds.best_threshold import BestThreshold, best_value, chosen_threshold
from thresher.kernels.thresholds.choice import best_of_labels
from thresher.kernels.thresholds.decisions import ranked_decisions
from thresher.results import Label, Ragged, Statistics

LABELS = 3


def random_statistics(generator, items=12):
    """Decisions with many equal scores; some labels have no truth or no decision."""
    decided, true = generator.integers(0, 5, items), generator.integers(0, 3, items)
    entries = int(decided.sum())
    labels = generator.integers(0, generator.integers(1, LABELS + 1), entries).astype(np.int8)
    columns = {
        "label": labels,
        "score": np.round(generator.random(entries), 1),
        "hit": (generator.random(entries) < generator.choice([0.0, 0.5, 0.9])).astype(np.uint8),
    }
    return Statistics(
        {},
        {
            "decisions": Ragged(decided, columns),
            "truths": Ragged(true, {"label": generator.integers(0, LABELS, int(true.sum())).astype(np.int8)}),
        },
        [Label.of(name) for name in "abc"],
        ("decisions.label", "truths.label"),
    )


def counts(statistics, weights, labels, threshold):
    decisions, truths = statistics.ragged["decisions"], statistics.ragged["truths"]
    kept = (decisions["score"] >= threshold) & np.isin(decisions["label"], labels)
    per_decision = decisions.per_entry(weights)
    tp = float(per_decision[kept & (decisions["hit"] == 1)].sum())
    fp = float(per_decision[kept & (decisions["hit"] == 0)].sum())
    positives = float(truths.per_entry(weights)[np.isin(truths["label"], labels)].sum())
    return tp, fp, positives


def f_beta(tp, fp, positives, beta):
    return (1 + beta**2) * tp / (tp + fp + beta**2 * positives) if tp + fp + positives else 0.0


def candidates(statistics, weights, labels):
    decisions = statistics.ragged["decisions"]
    rows = np.isin(decisions["label"], labels) & (decisions.per_entry(weights) > 0)
    return sorted(set(decisions["score"][rows].tolist()), reverse=True)


def slow_label(statistics, weights, labels, reduction):
    """(value, threshold) by trying each score; None without truths or where no threshold will do."""
    if not counts(statistics, weights, labels, 2.0)[2]:
        return None
    tried = []
    for threshold in candidates(statistics, weights, labels):
        tp, fp, positives = counts(statistics, weights, labels, threshold)
        precision, recall = tp / (tp + fp), tp / positives
        if reduction.goal == "f":
            tried.append((f_beta(tp, fp, positives, reduction.number), threshold))
        elif reduction.goal == "recall_at_precision" and precision >= reduction.number:
            tried.append((recall, threshold))
        elif reduction.goal == "precision_at_recall" and recall >= reduction.number:
            tried.append((precision, -threshold))
    if not tried:
        return (0.0, None) if reduction.goal == "f" else None
    best = max(value for value, _ in tried)
    return best, abs(max(threshold for value, threshold in tried if value >= best - 1e-12))


def slow_macro(statistics, weights, reduction):
    present = [code for code in range(LABELS) if counts(statistics, weights, [code], 2.0)[2]]
    tried = [(0.0, None)]
    for threshold in candidates(statistics, weights, list(range(LABELS))):
        values = [
            f_beta(*counts(statistics, weights, [code], threshold), reduction.number) for code in present
        ]
        tried.append((float(np.mean(values)) if values else 0.0, threshold))
    return max(value for value, _ in tried) if present else float("nan")


def same(chosen, threshold, value):
    """Where nothing is right, all thresholds are equally bad: the highest is named if all items count."""
    return chosen == threshold or value == 0 or (np.isnan(chosen) and threshold is None)


REDUCTIONS = [
    BestThreshold("f", 1.0),
    BestThreshold("f", 2.0),
    BestThreshold("recall_at_precision", 0.6),
    BestThreshold("precision_at_recall", 0.4),
]


@pytest.mark.parametrize("seed", range(40))
def test_all_searches_agree_with_the_definition(seed):
    generator = np.random.default_rng(seed)
    statistics = random_statistics(generator)
    weights = generator.integers(0, 3, statistics.size).astype(float)
    ranked = ranked_decisions(statistics)
    every = list(range(LABELS))
    for reduction in REDUCTIONS:
        expected = slow_label(statistics, weights, every, reduction)
        value, threshold = (np.nan, None) if expected is None else expected
        assert reduction(statistics, weights) == pytest.approx(value, abs=1e-12, nan_ok=True)
        assert same(chosen_threshold(ranked, reduction.objective, "micro", weights), threshold, value)
        choices = best_of_labels(ranked, reduction.objective, weights)
        for code in every:
            value, threshold = slow_label(statistics, weights, [code], reduction) or (np.nan, None)
            assert choices.values[code] == pytest.approx(value, abs=1e-12, nan_ok=True)
            assert same(choices.thresholds[code], threshold, value)
    for beta in (1.0, 0.5):
        macro = BestThreshold("f", beta, "macro")
        expected = slow_macro(statistics, weights, macro)
        assert macro(statistics, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)


def random_classifier(generator, items=14):
    """One true label per item; scores with ties for some of the labels."""
    truth = generator.integers(0, LABELS, items)
    scored = generator.random((items, LABELS)) < generator.choice([0.6, 1.0])
    owners, labels = np.nonzero(scored)
    columns = {
        "label": labels.astype(np.int8),
        "score": np.round(generator.normal(0, 2, len(labels)) + 2 * (truth[owners] == labels)),
        "hit": (truth[owners] == labels).astype(np.uint8),
    }
    ragged = {
        "decisions": Ragged(scored.sum(axis=1), columns),
        "truths": Ragged(np.ones(items, int), {"label": truth.astype(np.int8)}),
    }
    return Statistics({}, ragged, [Label.of(name) for name in "abc"], ("decisions.label", "truths.label"))


def slow_cost(statistics, weights, labels, objective, negatives):
    """(value, threshold) by trying each score, and keeping nothing."""
    positives = counts(statistics, weights, labels, np.inf)[2]
    if not positives:
        return np.nan, np.nan
    tried = []
    for threshold in [np.inf, *candidates(statistics, weights, labels)]:
        tp, fp, _ = counts(statistics, weights, labels, threshold)
        fn, tn = positives - tp, negatives - fp
        if isinstance(objective, Youden):
            tried.append((tp / positives - fp / negatives if negatives else np.nan, threshold))
        else:
            paid = objective.false_positive * fp + objective.false_negative * fn
            paid += objective.true_positive * tp + objective.true_negative * tn
            tried.append((-paid / weights.sum(), threshold))
    best = max(value for value, _ in tried)
    if np.isnan(best):
        return np.nan, np.nan
    chosen = max(threshold for value, threshold in tried if value >= best - 1e-12)
    return (best if isinstance(objective, Youden) else -best), chosen


OF_COSTS = [LeastCost(1, 5), LeastCost(5, 1), LeastCost(0.1, 0.3, -0.2), LeastCost(0, 1), LeastCost(1, 0)]
OF_NEGATIVES = [Youden(), LeastCost(1, 5, -2, -1), LeastCost(1, 3, 0, 2), LeastCost(-1, 1)]


@pytest.mark.parametrize("seed", range(40))
def test_costs_and_youden_agree_with_all_cuts(seed):
    generator = np.random.default_rng(seed)
    for statistics, objectives in [
        (random_statistics(generator), OF_COSTS),
        (random_classifier(generator), [*OF_COSTS, *OF_NEGATIVES]),
    ]:
        weights = generator.integers(0, 3, statistics.size).astype(float)
        ranked = ranked_decisions(statistics)
        every = list(range(LABELS))
        truths = [counts(statistics, weights, [code], np.inf)[2] for code in every]
        for objective in objectives:
            choices = best_of_labels(ranked, objective, weights)
            for code in every:
                negatives = sum(truths) - truths[code]
                expected = slow_cost(statistics, weights, [code], objective, negatives)
                assert (choices.values[code], choices.thresholds[code]) == pytest.approx(
                    expected, abs=1e-12, nan_ok=True
                )
            expected = slow_cost(statistics, weights, every, objective, (LABELS - 1) * sum(truths))
            chosen = chosen_threshold(ranked, objective, "micro", weights)
            value = best_value(ranked, objective, "micro", weights)
            assert (value, chosen) == pytest.approx(expected, abs=1e-12, nan_ok=True)


@pytest.mark.parametrize("objective", [*OF_COSTS, *OF_NEGATIVES])
def test_one_label_has_the_threshold_of_its_scores(objective):
    """The search of labels and that of a column of scores choose the same."""
    generator = np.random.default_rng(3)
    truth, scores = generator.integers(0, 2, 60), np.round(generator.normal(0, 1, 60), 1)
    points = ScoredLabels.of(scores, truth).points()
    columns = {"label": np.zeros(60, np.int8), "score": scores, "hit": truth.astype(np.uint8)}
    ragged = {
        "decisions": Ragged(np.ones(60, int), columns),
        "truths": Ragged(np.ones(60, int), {"label": (1 - truth).astype(np.int8)}),
    }
    statistics = Statistics({}, ragged, [Label.of("a"), Label.of("b")], ("decisions.label", "truths.label"))
    chosen = best_of_labels(ranked_decisions(statistics), objective, np.ones(60)).thresholds[0]
    assert chosen == points.thresholds[objective.pick(points)]
