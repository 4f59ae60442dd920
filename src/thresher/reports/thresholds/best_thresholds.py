"""The best threshold of each metric against labels, chosen on one part of the items and told on the other."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import SEED, LeastCost, find_threshold, split_mask
from thresher.kernels.inference.objectives import Objective
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.names import check_metric_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.thresholds.labelled_scores import Labelled, scores_and_labels
from thresher.reports.thresholds.objectives import objective_of
from thresher.reports.thresholds.reported_threshold import FoundThreshold
from thresher.results import Direction

Mask = npt.NDArray[np.bool_]
SPLIT = 0.5
QUALITIES = ("precision", "recall", "specificity", "accuracy", "f")


class BestThresholds:
    """The best threshold of each metric, with its quality on items that it was not chosen on.

    Args:
        run: the run.
        label: the column or metric that says which items are positive; see `scores_and_labels`.
        metrics: names of metrics or columns of scores; without, all metrics with item scores.
        positive: the label that is positive; without, labels are true and false, or 1 and 0.
        objective: what to be good at; see `objective_of`.
        split: share of the items to choose on, at random; 1 chooses on all, and flatters.
        seed: seed of the split and of the draws for the interval of the threshold.
        cluster: name of the input column that says which items belong together; they are not torn apart.
        direction: whether higher or lower scores look positive; the metric's own without.

    Raises:
        InputError: for an unknown name or objective, labels that are not of two kinds, or where no threshold
            does what is asked.
    """

    def __init__(
        self,
        run: RunData,
        label: str | None = None,
        *,
        metrics: Sequence[str] | None = None,
        positive: Any = None,
        objective: str | Objective = "f1",
        split: float = SPLIT,
        seed: int = SEED,
        cluster: str | None = None,
        direction: Direction | None = None,
    ) -> None:
        if not 0 < split <= 1:
            raise InputError(f"split={split!r} must lie between 0 and 1")
        if direction not in (None, "higher", "lower"):
            raise InputError(f"direction={direction!r} is unknown; choose higher or lower")
        check_metric_names(metrics)
        self.run = run
        self.label = label
        self.objective = objective_of(objective)
        self.split = split
        self.seed = seed
        self.direction = direction
        self.grouping = Grouping.of(run, cluster, "")
        named = _scoring(run, label) if metrics is None else list(metrics)
        self.data_of = [scores_and_labels(run, name, label, positive) for name in named]

    @cached_property
    def found(self) -> list[FoundThreshold]:
        """One threshold per metric."""
        return [self._found(data) for data in self.data_of]

    @property
    def notes(self) -> list[str]:
        """What to know first."""
        if self.split == 1:
            return ["Chosen and told on the same items, which flatters; split them to know better."]
        told = f"Chosen on {self.split:.0%} of the items (seed {self.seed}), told on the others."
        return [told, *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """What each threshold does, in one sentence."""
        return [each.sentence for each in self.found]

    def table(self) -> Table:
        """One row a metric: the threshold, its interval, and each quality with interval."""
        columns = ["metric", "objective", "direction", "threshold", "threshold_low", "threshold_high"]
        for name in QUALITIES:
            columns += [name, f"{name}_low", f"{name}_high"]
        columns += ["tp", "fp", "fn", "tn", "chosen_on", "told_on"]
        columns += ["cost"] if isinstance(self.objective, LeastCost) else []
        return Table(
            columns, [self._row(each) for each in self.found], notes=self.notes, reading=self.reading
        )

    def data(self) -> dict[str, Any]:
        """Notes, and per metric everything about its threshold."""
        told = [
            {
                "metric": each.name,
                **each.chosen.to_dict(),
                "chosen_on": each.entries,
                "told_on": each.others,
                **({} if each.cost is None else {"cost": each.cost}),
            }
            for each in self.found
        ]
        settings = {"label": self.label, "split": self.split, "seed": self.seed}
        return {"notes": self.notes, "settings": settings, "thresholds": told, "reading": self.reading}

    def _found(self, data: Labelled) -> FoundThreshold:
        mask = self._mask(data)
        known = ~np.isnan(data.scores) & ~np.isnan(data.labels)
        every = known if mask is None else known & mask
        self._check(data, known, every)
        direction = self.direction or data.direction
        options: dict[str, Any] = {"direction": direction, "chosen_on": mask, "seed": self.seed}
        try:
            chosen = find_threshold(data.scores, data.labels, self.objective, **options)
        except InputError as error:
            raise InputError(f"{data.name}: {error}") from error
        others = int(known.sum() - every.sum())
        return FoundThreshold(data.name, chosen, int(every.sum()), others, self.objective)

    def _check(self, data: Labelled, known: Mask, every: Mask) -> None:
        """Refuse labels of one kind, and a part to choose or to tell on that has none."""
        if self.label is not None and known.any() and not (data.labels[known] == 0).any():
            raise InputError(f"{data.name}: every labelled item is positive, so any threshold would do")
        if self.split < 1 and known.any() and not 0 < every.sum() < known.sum():
            told = "to choose on" if not every.any() else "to tell it on"
            raise InputError(
                f"{data.name}: split={self.split:g} leaves no labelled entry {told}; choose nearer to 0.5"
            )

    def _mask(self, data: Labelled) -> Any:
        """The entries to choose on; those of one item or cluster stay together."""
        if self.split == 1:
            return None
        clusters = self.grouping.clusters
        if clusters is None and len(data.owners) == len(self.run):
            return split_mask(data.labels, share=self.split, seed=self.seed)
        groups: Any = data.owners if clusters is None else clusters[data.owners]
        return split_mask(data.labels, share=self.split, clusters=groups, seed=self.seed)

    def _row(self, each: FoundThreshold) -> list[Any]:
        chosen, told = each.chosen, each.told
        limits = [chosen.interval.low, chosen.interval.high] if chosen.interval else [None, None]
        row = [each.name, chosen.objective, chosen.direction, chosen.threshold, *limits]
        for name in QUALITIES:
            known = told.intervals[name]
            row += [told.values[name], *([known.low, known.high] if known else [None, None])]
        cost = [] if each.cost is None else [each.cost]
        return [*row, told.tp, told.fp, told.fn, told.tn, each.entries, each.others, *cost]


def _scoring(run: RunData, label: str | None) -> list[str]:
    scoring = [name for name, metric in run.metrics.items() if metric.measure.item_score is not None]
    return [name for name in scoring if name != label]
