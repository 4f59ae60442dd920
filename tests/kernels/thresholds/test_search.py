"""The search of thresholds against a search written from the definition, on random data with ties."""

import numpy as np
import pytest

from thresher.kernels.thresholds.best_threshold import BestThreshold, chosen_threshold
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
        assert same(chosen_threshold(ranked, reduction, weights), threshold, value)
        choices = best_of_labels(ranked, reduction.objective, weights)
        for code in every:
            value, threshold = slow_label(statistics, weights, [code], reduction) or (np.nan, None)
            assert choices.values[code] == pytest.approx(value, abs=1e-12, nan_ok=True)
            assert same(choices.thresholds[code], threshold, value)
    for beta in (1.0, 0.5):
        macro = BestThreshold("f", beta, "macro")
        expected = slow_macro(statistics, weights, macro)
        assert macro(statistics, weights) == pytest.approx(expected, abs=1e-12, nan_ok=True)
