"""Metrics of a run whose scored labels have thresholds: detections, and labels of classifiers."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from thresher.errors import InputError
from thresher.kernels.classification.roc_auc import RocAuc
from thresher.kernels.classification.scored_decisions import scored_decisions
from thresher.kernels.classification.two_labels import TwoLabels, label_text
from thresher.kernels.detection.average_precision import MeanAveragePrecision
from thresher.kernels.detection.ranked import View
from thresher.kernels.inference import BestF, LeastCost, PrecisionAtRecall, RecallAtPrecision, Youden
from thresher.kernels.inference.objectives import Objective
from thresher.kernels.thresholds.best_threshold import Average, BestThreshold
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, Ragged, Statistics
from thresher.surface import given

_MOST = 5_000_000
"""Scores of a metric that is not named: bringing more into order takes more than 300 MB."""
_BOTH = 2
_VALUES: dict[type[Objective], str] = {
    RecallAtPrecision: "recall",
    PrecisionAtRecall: "precision",
    Youden: "Youden's index",
    LeastCost: "cost per item",
}


@dataclass(frozen=True, eq=False)
class LabelSearch:
    """What the thresholds of one metric are chosen for.

    Attributes:
        name: name of the metric, whose scores the thresholds are for.
        result: its result, which says which items are scored.
        statistics: ranked decisions.
        objective: what the thresholds are chosen for.
        beta: beta of the F that is shown.
        overlap: which objects match, e.g. `IoU 0.5`; empty if unknown, None for labels of items.
        positive: of two labels of a classifier, the positive one; None otherwise.
    """

    name: str
    result: MetricResult
    statistics: Statistics
    objective: Objective
    beta: float
    overlap: str | None = None
    positive: str | None = None

    @property
    def averages(self) -> tuple[Average, ...]:
        """How the values of all labels are averaged: other values than F are of pooled counts.

        The counts of two labels of a classifier are those of one decision, seen from both sides: none.
        """
        several = len(self.statistics.labels) > 1
        if self.overlap is None and len(self.statistics.labels) == _BOTH:
            return ()
        is_f = isinstance(self.objective, BestF)
        return ("micro", "macro", "per_label") if is_f and several else ("micro",)

    @property
    def quantity(self) -> str:
        """What is best at the threshold, e.g. `F1 at IoU 0.5` or `cost per item`."""
        return f"{self.value} at {self.overlap}" if self.overlap else self.value

    @property
    def value(self) -> str:
        """The same without the overlap."""
        if isinstance(self.objective, BestF):
            return f"F{self.objective.beta:g}"
        return _VALUES[type(self.objective)]


def label_searches(
    run: RunData,
    metrics: Sequence[str] | None = None,
    objective: Objective | None = None,
    positive: object = None,
) -> list[LabelSearch]:
    """Return the searches of a run, one per metric; none if it has no scored labels.

    The statistics of a metric that searches thresholds are used; without one, those of average precision at
    IoU 0.5, or at the only IoU threshold of a metric, and of ROC AUC, which hold the same scores. Of metrics
    that are not named, those with primary measures come first, and one with the same decisions as an earlier
    one, such as both of Pascal VOC's, is left out.

    Args:
        run: the run.
        metrics: names of metrics; None for all.
        objective: what to choose for; None for the metric's own F, or F1.
        positive: of two labels of a classifier, the positive one; None for that of the run, or the usual one.

    Raises:
        InputError: for an objective that needs true negatives, which detections lack, and for a positive
            label that is not one of two.
    """
    named = list(run.metrics.values()) if metrics is None else [run.metric(name) for name in metrics]
    found: dict[int, tuple[Metric, Statistics]] = {}
    for metric in named:
        if id(metric.result) in found:
            continue
        statistics = decisions_of(metric, _MOST if metrics is None else None)
        if statistics is not None:
            found[id(metric.result)] = metric, statistics
    own = [pair for pair in found.values() if isinstance(pair[0].measure.reduction, BestThreshold)]
    pairs = own or list(found.values())
    if metrics is None:
        pairs = _distinct(sorted(pairs, key=lambda pair: not pair[0].result.primary))
    return [_search(run, metric, statistics, objective, positive) for metric, statistics in pairs]


def _distinct(pairs: Sequence[tuple[Metric, Statistics]]) -> list[tuple[Metric, Statistics]]:
    """The metrics without those that have the decisions of an earlier one."""
    distinct: list[tuple[Metric, Statistics]] = []
    for metric, statistics in pairs:
        if not any(_equal(statistics, known) for _, known in distinct):
            distinct.append((metric, statistics))
    return distinct


def _equal(first: Statistics, second: Statistics) -> bool:
    """Whether two metrics have the same labels, decisions and true objects."""
    return list(first.labels) == list(second.labels) and all(
        np.array_equal(one.offsets, other.offsets)
        and all(np.array_equal(one[name], other[name]) for name in one)
        for one, other in ((first.ragged[name], second.ragged[name]) for name in ("decisions", "truths"))
    )


def _search(
    run: RunData, metric: Metric, statistics: Statistics, objective: Objective | None, positive: object
) -> LabelSearch:
    own = metric.result.measures[0].reduction
    beta = own.number if isinstance(own, BestThreshold) and own.goal == "f" else 1.0
    objective = BestF(beta) if objective is None else objective
    name = metric.result.name if isinstance(own, BestThreshold) else metric.name
    shown = objective.beta if isinstance(objective, BestF) else beta
    search = LabelSearch(name, metric.result, statistics, objective, shown)
    if _classifies(metric):
        return replace(search, positive=_positive(run, statistics, positive))
    check_negatives(objective)
    return replace(search, overlap=metric.measure.rule.rpartition(", ")[2])


def check_negatives(objective: Objective) -> None:
    """Raise for an objective that needs true negatives, which detected objects do not have."""
    if objective.needs_negatives:
        raise InputError(
            f"objective {objective.name} needs true negatives, which detections do not have; choose f1, f2, "
            "f0.5, precision-at-recall=R, recall-at-precision=P or cost=FP,FN"
        )


def _classifies(metric: Metric) -> bool:
    """Whether a metric is one of labels of items: that of objects is signed with the matcher's settings."""
    return "compare_as" not in dict(metric.measure.signature.settings)


def _positive(run: RunData, statistics: Statistics, positive: object) -> str | None:
    """The positive one of two labels: the given one, that of the run's other measures, or the usual one."""
    labels = {str(label) for label in statistics.labels}
    if positive is not None:
        name = label_text(positive)
        if len(labels) == _BOTH and name in labels:
            return name
        shown = ", ".join(map(repr, sorted(labels)[:5]))
        raise InputError(
            f"{given('positive', positive)} is for two labels and names one of them; the run has {shown}"
        )
    if len(labels) != _BOTH:
        return None
    known = (getattr(metric.measure.reduction, "positive", None) for metric in run.metrics.values())
    stated = next((label for label in known if label in labels), None)
    if stated is not None:
        return str(stated)
    try:
        return TwoLabels.of(labels).positive
    except InputError:
        return None


def decisions_of(metric: Metric, most: int | None = None) -> Statistics | None:
    """The ranked decisions behind a metric, unless there are more than `most`; None if it has none."""
    reduction, statistics = metric.measure.reduction, metric.result.statistics
    build: Callable[[], Statistics] | None = None
    if isinstance(reduction, BestThreshold):
        return statistics
    if isinstance(reduction, RocAuc) and _fit(statistics.ragged["scores"], most):
        build = partial(_of_labels, statistics)
    elif isinstance(reduction, MeanAveragePrecision) and reduction.exact:
        view = View(*reduction.view)
        one = view.last - view.first == 1 and (view.thresholds == 1 or metric.name.endswith("_50"))
        if one and not view.area and _fit(statistics.ragged["predictions"], most):
            build = partial(_of_objects, statistics, view.first)
    return None if build is None else statistics.memo(("decisions", metric.name), build)


def _fit(entries: Ragged, most: int | None) -> bool:
    return most is None or entries.entries <= most


def _of_labels(statistics: Statistics) -> Statistics:
    scores, truths = statistics.ragged["scores"], statistics.ragged["truths"]
    ragged = {"decisions": scored_decisions(scores, truths, statistics.labels), "truths": truths}
    return Statistics({}, ragged, statistics.labels, ("decisions.label", "truths.label"))


def _of_objects(statistics: Statistics, iou: int) -> Statistics:
    predictions, truths = statistics.ragged["predictions"], statistics.ragged["truths"]
    rows = np.flatnonzero((predictions["ignored"][:, 0] >> iou) & 1 == 0)
    true_rows = np.flatnonzero(~truths["ignored"][:, 0])
    columns = {
        "label": predictions["label"][rows],
        "score": predictions["score"][rows],
        "hit": ((predictions["hits"][rows, 0] >> iou) & 1).astype(np.uint8),
    }
    lengths = np.bincount(predictions.owners[rows], minlength=statistics.size)
    true_lengths = np.bincount(truths.owners[true_rows], minlength=statistics.size)
    ragged = {
        "decisions": Ragged(lengths, columns),
        "truths": Ragged(true_lengths, {"label": truths["label"][true_rows]}),
    }
    return Statistics({}, ragged, statistics.labels, ("decisions.label", "truths.label"))
