"""Complete reports of fixed data, as reports and JSON show them: fields, levels, seeds and methods.

Other tests compare the numbers with independent implementations; this one shows that no number and no field
changes unnoticed. After a change on purpose, `UPDATE_REPORTS=1 pytest
tests/kernels/inference/test_reports.py` writes `reports.json` anew; read its difference before a commit.
"""

import json
import math
import os
from pathlib import Path

import numpy as np
import pytest

from thresher.kernels.inference import (
    BestF,
    LeastCost,
    PrecisionAtRecall,
    ScoredLabels,
    Target,
    Youden,
    cohen_kappa,
    compare,
    corrected,
    draw_to_label,
    estimate,
    find_threshold,
    gwet_ac1,
    holm,
    interval,
    judge_quality,
    krippendorff_alpha,
    masks_of,
    prediction_powered_mean,
    rogan_gladen,
    slices,
    split_mask,
)
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, recorded_result

REPORTS = Path(__file__).with_name("reports.json")
POOLED = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
ITEMS = np.arange(60)
CLUSTERS = np.repeat(np.arange(9), [2, 3, 4, 5, 6, 8, 9, 11, 12]).tolist()
REPEATS = (ITEMS // 2).tolist()
LANGUAGES = ["de", "en", "fr", None, "de"] * 12


def spread_out(step, items=60):
    """Numbers from 0 to 1 that look random and are the same on every machine."""
    return np.modf(np.arange(1, items + 1) * step)[0].round(3)


def scored(scores, direction="higher", bounds=None):
    entries = [None if math.isnan(score) else score for score in np.asarray(scores, dtype=float).tolist()]
    return Target(recorded_result("m", entries, direction=direction, bounds=bounds), "m")


def pooled(step):
    rows = {"predicted": 1 + ITEMS % 4, "reference": 1 + ITEMS % 3}
    rows["overlap"] = np.floor(spread_out(step) * (1 + np.minimum(rows["predicted"], rows["reference"])))
    return Target(MetricResult([Measure(Signature.of("f1", {}), POOLED, None)], Statistics(rows)), "f1")


class Jumping(RatioOfSums):
    """A ratio of which random weights make the interval."""

    smooth = False


def jumping(step):
    target = pooled(step)
    reduction = Jumping(POOLED.numerator, POOLED.denominator)
    measure = Measure(Signature.of("f1", {}), reduction, None)
    return Target(MetricResult([measure], target.result.statistics), "f1")


HITS = scored(spread_out(0.618) < 0.7, bounds=(0, 1))
BETTER = scored(spread_out(0.618) < 0.85, bounds=(0, 1))
GRADES = scored(spread_out(0.414), bounds=(0, 1))
RAISED = scored(np.minimum(1, spread_out(0.414) + 0.3 * spread_out(0.732)), bounds=(0, 1))
TIMES = scored(5 + spread_out(0.236), "lower")
SLOWER = scored(5.2 + spread_out(0.854), "lower")
GAPS = scored(np.where(ITEMS % 7, spread_out(0.317), np.nan), bounds=(0, 1))
PAIRS = {
    "rates": (HITS, BETTER),
    "grades": (GRADES, RAISED),
    "lower": (TIMES, SLOWER),
    "gaps": (GRADES, GAPS),
    "pooled": (pooled(0.618), pooled(0.732)),
    "equal": (HITS, HITS),
    "jumping": (jumping(0.618), jumping(0.732)),
}
VERDICTS = (spread_out(0.618) < 0.7).astype(float)
LABELS = np.where(ITEMS % 3, (spread_out(0.618) < 0.6 + 0.2 * (ITEMS % 2)), np.nan)
RATINGS = [(spread_out(step) * 4).astype(int).tolist() for step in (0.618, 0.6181, 0.617)]


def estimates(**options):
    return {name: estimate(pair[1], **options).to_dict() for name, pair in PAIRS.items()}


def comparisons(**options):
    return {name: compare(*pair, **options).to_dict() for name, pair in PAIRS.items()}


def parts(target, **options):
    return [part.to_dict() for part in slices(target, masks_of(LANGUAGES), **options)]


def threshold(objective=None, direction="higher", **options):
    sign = 1 if direction == "higher" else -1
    truth = spread_out(0.618) + 0.3 * spread_out(0.317) < 0.6
    scores = sign * (1 - spread_out(0.618))
    return find_threshold(scores, truth, objective, direction=direction, **options).to_dict()


def curve(direction, **options):
    sign = 1 if direction == "higher" else -1
    data = ScoredLabels.of(sign * spread_out(0.618, 12).round(1), spread_out(0.317, 12) < 0.6, direction)
    points = data.points(**options)
    columns = {**vars(points), "F2": points.f_beta(2.0), "F1": points.f_beta()}
    columns |= {name: getattr(points, name) for name in ("precision", "recall", "specificity")}
    return {name: texts_of(column) for name, column in columns.items()}


def texts_of(column):
    return column if isinstance(column, str) else [f"{value:.6g}" for value in column]


def alone(*pair):
    """Reports of a pair of which a single item is scored in both."""
    one = np.arange(60) == 1
    report = compare(*(target.over(one) for target in pair))
    return {**report.to_dict(), "span": str(report.span)}


def first(target, items):
    return target.over(np.arange(60) < items)


def labelled(items, rate=0.9):
    """Verdicts of which the first are labelled, mostly alike."""
    verdicts = (spread_out(0.618, 120) < rate).astype(float)
    labels = np.where(np.arange(120) < items, spread_out(0.317, 120) < rate, np.nan)
    return verdicts, labels


def family():
    return [comparison.to_dict() for comparison in corrected([compare(*pair) for pair in PAIRS.values()])]


CASES = {
    "estimates": estimates,
    "estimates of 90 %": lambda: estimates(level=0.9),
    "estimates over clusters": lambda: estimates(clusters=CLUSTERS, level=0.9),
    "estimates over repeats": lambda: estimates(repeats=REPEATS),
    "comparisons": comparisons,
    "comparisons of 90 %": lambda: comparisons(level=0.9, margin=0.2),
    "comparisons over clusters": lambda: comparisons(clusters=CLUSTERS, margin=0.1),
    "comparisons over repeats": lambda: comparisons(repeats=REPEATS, seed=5),
    "comparisons of one item": lambda: {name: alone(*pair) for name, pair in PAIRS.items()},
    "family": family,
    "slices": lambda: parts(HITS),
    "slices of grades": lambda: parts(GRADES, level=0.9),
    "slices of gaps over clusters": lambda: parts(GAPS, clusters=CLUSTERS),
    "slices, lower": lambda: parts(TIMES),
    "slices, pooled": lambda: parts(pooled(0.618), seed=7),
    "slices, pooled over clusters": lambda: parts(pooled(0.618), clusters=CLUSTERS, level=0.9),
    "threshold": threshold,
    "threshold of 90 %": lambda: threshold(BestF(2.0), level=0.9, draws=50, seed=3),
    "threshold, Youden": lambda: threshold(Youden(), chosen_on=ITEMS % 2 == 0, level=0.9, draws=0),
    "threshold, costs": lambda: threshold(LeastCost(1, 3), "lower", draws=30),
    "threshold, recall": lambda: threshold(PrecisionAtRecall(0.8), "lower", chosen_on=ITEMS < 40, draws=30),
    "curve": lambda: curve("higher"),
    "curve of weights, lower": lambda: curve("lower", weights=np.arange(1.0, 13.0)),
    "judge": lambda: judge_quality(VERDICTS, LABELS, level=0.9).to_dict(),
    "corrected mean": lambda: prediction_powered_mean(spread_out(0.414), LABELS, level=0.9).to_dict(),
    "corrected rate": lambda: prediction_powered_mean(VERDICTS, LABELS, bounds=(0, 1)).to_dict(),
    "Rogan and Gladen": lambda: rogan_gladen(VERDICTS, LABELS, level=0.9).to_dict(),
    "labels, many and all": lambda: {
        str(items): [
            rogan_gladen(*labelled(items)).to_dict(),
            prediction_powered_mean(*labelled(items)).to_dict(),
            judge_quality(*labelled(items)).to_dict(),
        ]
        for items in (99, 100, 101, 120)
    },
    "no item of one kind": lambda: [
        judge_quality([1, 0, 1], [1, 1, 1]).to_dict(),
        judge_quality([1, 0, 1], [0, 0, np.nan]).to_dict(),
        cohen_kappa(["a", "b"], ["a", "b"]).to_dict(),
        cohen_kappa(["a", "a"], ["a", "a"]).to_dict(),
        gwet_ac1([["a", None], [None, "a"]]).to_dict(),
        krippendorff_alpha([[1, 1, 1], [1, 1, 1]]).to_dict(),
    ],
    "few items": lambda: [
        estimate(first(target, items)).to_dict()
        for target in (HITS, GRADES, TIMES, pooled(0.618), jumping(0.618))
        for items in (1, 2, 3)
    ],
    "interval": lambda: [interval(pair[1].result).to_dict() for pair in PAIRS.values()],
    "kappa": lambda: [
        cohen_kappa(*RATINGS[:2], weights=weights, level=0.9).to_dict()
        for weights in ("none", "linear", "quadratic")
    ],
    "alpha": lambda: [
        krippendorff_alpha(RATINGS, metric, level=0.9, seed=2).to_dict()
        for metric in ("nominal", "ordinal", "interval")
    ],
    "AC1": lambda: gwet_ac1(RATINGS, level=0.9, seed=2).to_dict(),
    "draws": lambda: {
        "to label": draw_to_label(60, 5, seed=2, among=ITEMS % 2 == 0),
        "split": np.flatnonzero(split_mask(VERDICTS, share=0.3, seed=2)).tolist(),
        "clusters": np.flatnonzero(split_mask(VERDICTS, share=0.3, clusters=CLUSTERS)).tolist(),
    },
    "corrections of integers": lambda: holm([0, 1, 1]).tolist(),
}


def rounded(data):
    """The same with six digits: the last ones depend on the processor."""
    if isinstance(data, dict):
        return {name: rounded(value) for name, value in data.items()}
    if isinstance(data, (list, tuple)):
        return [rounded(value) for value in data]
    return float(f"{data:.6g}") if isinstance(data, float) else data


@pytest.mark.parametrize("case", CASES)
def test_nothing_in_a_report_changes_unnoticed(case):
    report = json.loads(json.dumps(rounded(CASES[case]()), allow_nan=False))
    if os.environ.get("UPDATE_REPORTS"):
        known = json.loads(REPORTS.read_text()) if REPORTS.exists() else {}
        REPORTS.write_text(json.dumps(known | {case: report}, indent=1) + "\n")
    assert report == nearly(json.loads(REPORTS.read_text())[case])


def nearly(data):
    """Data in which each number equals those that are near it."""
    if isinstance(data, dict):
        return {name: nearly(value) for name, value in data.items()}
    if isinstance(data, list):
        return [nearly(value) for value in data]
    return pytest.approx(data, rel=2e-5, abs=1e-9) if isinstance(data, float) else data
