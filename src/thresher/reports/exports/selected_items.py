"""Choose items of a run by their columns, scores, status, changes against a baseline, or flakiness."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.flaky import stability
from thresher.reports.comparisons.join import join
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.repeats import repeated_scores
from thresher.reports.runs.run_data import RunData
from thresher.reports.slices.conditions import mask_of
from thresher.reports.slices.parts import named_columns
from thresher.results.status import LOST

Mask = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Choice:
    """Which items to choose: those that meet every condition.

    Attributes:
        where: a condition on columns and scores, such as `language == "de" and token_f1 < 0.5`.
        below: metric -> the items with a score below this number.
        regressed_from: the items with a worse score than in this run.
        metric: the metric of `regressed_from` and `flaky`; default: the first primary measure.
        failed: the items with a failed or unreadable score in any metric.
        flaky: the items whose repeats have different scores.
    """

    where: str | None = None
    below: Mapping[str, float] = field(default_factory=dict)
    regressed_from: RunData | None = None
    metric: str | None = None
    failed: bool = False
    flaky: bool = False


def chosen_items(run: RunData, choice: Choice) -> Int64s:
    """Return the positions of the chosen items: the largest losses or lowest scores first, else in order.

    Raises:
        InputError: for an unknown column or metric, a condition that cannot be read, runs without items in
            common, and `flaky` for a run without repeats.
    """
    mask = np.ones(len(run), np.bool_)
    order = np.zeros(len(run))
    if choice.where is not None:
        mask &= mask_of(choice.where, {"id": run.ids, **named_columns(run)}, len(run))
    for name, limit in choice.below.items():
        scores = _item_metric(run, name).scores
        mask &= scores < limit
        order = scores
    if choice.failed:
        mask &= np.logical_or.reduce([np.isin(result.status, LOST) for result in run.results])
    if choice.flaky:
        mask &= _flaky(run, choice.metric)
    if choice.regressed_from is not None:
        losses = _losses(run, choice.regressed_from, choice.metric)
        mask &= losses > 0
        order = -losses
    positions = np.flatnonzero(mask)
    return positions[np.argsort(order[positions], kind="stable")]


def _losses(run: RunData, baseline: RunData, name: str | None) -> Floats:
    """Per item by how much its score is worse than in the baseline; NaN if one of them has none."""
    metric = _item_metric(run, name)
    if metric.name not in baseline.metrics:
        raise InputError(f"{baseline.name or 'the baseline'} has no metric {metric.name!r}")
    joined = join(baseline, run)
    before = _item_metric(baseline, metric.name).scores[joined.here]
    losses = np.full(len(run), math.nan)
    losses[joined.there] = before - metric.scores[joined.there]
    return losses if metric.measure.direction == "higher" else -losses


def _flaky(run: RunData, name: str | None) -> Mask:
    """All repeats of the items whose repeats have different scores."""
    grouping = Grouping.of(run)
    if grouping.repeated is None:
        raise InputError("no item is repeated: flaky items need a column `repeat_of` in the data of the run")
    table = repeated_scores(_item_metric(run, name).scores, grouping.repeated)
    return np.asarray(stability(table).flaky[grouping.repeated])


def _item_metric(run: RunData, name: str | None) -> Metric:
    if name is None:
        primary = [metric for metric in run.primary if run.metrics[metric].measure.item_score is not None]
        if not primary:
            raise InputError("no primary measure has scores per item: name a metric")
        return run.metrics[primary[0]]
    metric = run.metric(name)
    if metric.measure.item_score is None:
        raise InputError(f"{name} has no scores per item, so no item can be chosen by it")
    return metric
