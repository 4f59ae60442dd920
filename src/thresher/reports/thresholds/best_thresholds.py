"""The best threshold of each metric against labels: chosen on some items, reported on others."""

from collections.abc import Sequence
from functools import cached_property
from typing import Any, TypedDict, get_args

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference import SEED, LeastCost, find_threshold, split_mask
from thresher.kernels.inference.objectives import Objective
from thresher.reports.rendering.numbers import interval_text, number, significant, with_interval
from thresher.reports.report import Report
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.names import check_metric_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.thresholds.chosen_on import ChoiceOfItems
from thresher.reports.thresholds.exported import exported_scores
from thresher.reports.thresholds.label_searches import check_negatives
from thresher.reports.thresholds.labelled_scores import Labelled, scores_and_labels
from thresher.reports.thresholds.objectives import objective_of
from thresher.reports.thresholds.percentiles import THRESHOLD_SECTIONS
from thresher.reports.thresholds.reported_threshold import ReportedThreshold
from thresher.results import Direction
from thresher.results.choices import check_choice
from thresher.surface import given

Mask = npt.NDArray[np.bool_]
QUALITIES = ("precision", "recall", "specificity", "accuracy", "f")
_SHOWN = ("precision", "recall", "f")
_COLUMNS = ("metric", "objective", "direction", "threshold", "threshold_low", "threshold_high")
_COUNTS = ("tp", "fp", "fn", "tn")


class ThresholdOptions(TypedDict, total=False):
    """Options of the best thresholds; `BestThresholds` describes them."""

    positive: object
    objective: str | Objective
    split: float
    choose_on: str | None
    seed: int
    cluster: str | None
    direction: Direction | None


class BestThresholds(Report[Table]):
    """The best threshold of each metric, with its quality on items that it was not chosen on.

    Args:
        run: the run.
        label: the column or metric that says which items are positive; see `scores_and_labels`.
        metrics: names of metrics or columns of scores; None for all metrics with item scores.
        positive: the label that is positive; None if labels are true and false, or 1 and 0.
        objective: what the threshold optimises; see `objective_of`.
        split: share of the items to choose on, at random (default: 0.5); 1 chooses on all, which flatters.
        choose_on: `column=value`: choose on these items instead, report on the others.
        seed: seed of the split and of the draws for the interval of the threshold.
        cluster: input column of clusters, which the split does not divide.
        direction: whether higher or lower scores look positive; None for the metric's own.

    Raises:
        InputError: for an unknown name or objective, labels that are not of two kinds, or where no threshold
            meets the objective.
    """

    page_sections = THRESHOLD_SECTIONS

    def __init__(
        self,
        run: RunData,
        label: str | None = None,
        *,
        metrics: Sequence[str] | None = None,
        positive: object = None,
        objective: str | Objective = "f1",
        split: float | None = None,
        choose_on: str | None = None,
        seed: int = SEED,
        cluster: str | None = None,
        direction: Direction | None = None,
    ) -> None:
        if split is not None and not 0 < split <= 1:
            raise InputError(f"{given('split', split)} must lie between 0 and 1")
        if direction is not None:
            check_choice("direction", direction, get_args(Direction))
        check_metric_names(metrics)
        self.run = run
        self.label = label
        self.objective = objective_of(objective)
        if label is None:
            check_negatives(self.objective)
        items = ChoiceOfItems(choose_on, split=split, seed=seed)
        self.split = items.share
        self.named = items.named(run)
        self.choose_on = choose_on
        self.seed = seed
        self.direction = direction
        self.grouping = Grouping.of(run, cluster, "")
        names = _scoring(run, label) if metrics is None else list(metrics)
        self.labelled = [scores_and_labels(run, name, label, positive) for name in names]

    @cached_property
    def thresholds(self) -> list[ReportedThreshold]:
        """One threshold per metric."""
        return [self._threshold(data) for data in self.labelled]

    @property
    def notes(self) -> list[str]:
        """What to know before the numbers."""
        if self.choose_on is not None:
            return [ChoiceOfItems(self.choose_on).sentence(), *self.grouping.notes]
        if self.split == 1:
            return [
                "Chosen and reported on the same items, which flatters; split them for an honest estimate."
            ]
        split = f"Chosen on {self.split:.0%} of the items (seed {self.seed}), reported on the others."
        return [split, *self.grouping.notes]

    @property
    def reading(self) -> list[str]:
        """What each threshold does, in one sentence."""
        return [threshold.sentence for threshold in self.thresholds]

    def table(self) -> Table:
        """Return one row per metric: the threshold, its interval, and each quality with interval."""
        qualities = [f"{name}{end}" for name in QUALITIES for end in ("", "_low", "_high")]
        cost = ["cost"] if isinstance(self.objective, LeastCost) else []
        columns = [*_COLUMNS, *qualities, *_COUNTS, "chosen_on", "held_out", *cost]
        return Table(columns, map(_row, self.thresholds), notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return one row per metric, rounded: the cut, precision, recall and F, and what was flattering."""
        cost = ["cost"] if any(known.cost is not None for known in self.thresholds) else []
        f_name = f"F{self.thresholds[0].quality.beta:g}" if self.thresholds else "F"
        columns = ["metric", "positive", "other samples", "precision", "recall", f_name, *cost]
        columns += ["F where chosen", "tp/fp/fn/tn"]
        return Table(columns, map(_summary_row, self.thresholds), notes=self.notes, reading=self.reading)

    def data(self) -> dict[str, Any]:
        """Return notes, and per metric everything about its threshold."""
        thresholds = [
            {
                "metric": known.name,
                **known.chosen.to_dict(),
                "chosen_on": known.entries,
                "held_out": known.others,
                **({} if known.cost is None else {"cost": known.cost}),
            }
            for known in self.thresholds
        ]
        settings = {"label": self.label, "split": self.split, "seed": self.seed}
        return {"notes": self.notes, "settings": settings, "thresholds": thresholds, "reading": self.reading}

    def export(self) -> dict[str, Any]:
        """Return the threshold for a deployment; `thresher.load_thresholds` reads the written file.

        Raises:
            InputError: for several metrics, whose scores differ.
        """
        if len(self.thresholds) > 1:
            names = ", ".join(known.name for known in self.thresholds)
            raise InputError(
                f"several metrics have thresholds: {names}; choose one, for example with --metric"
            )
        (known,) = self.thresholds
        data = known.chosen.to_dict()
        return exported_scores(self.run.name, known.name, data["objective"], self.notes[0], data)

    def default(self) -> Table:
        """Return the table."""
        return self.table()

    def page_arguments(self) -> dict[str, Any]:  # noqa: D102
        names = [data.name for data in self.labelled if data.name in self.run.metrics]
        tables = {"Best thresholds": self.summary()}
        return {"runs": [self.run], "primary": names or None, "tables": tables}

    def _threshold(self, data: Labelled) -> ReportedThreshold:
        mask = self._mask(data)
        known = ~np.isnan(data.scores) & ~np.isnan(data.labels)
        chosen_on = known if mask is None else known & mask
        self._check(data, known, chosen_on)
        direction = self.direction or data.direction
        options: dict[str, Any] = {"direction": direction, "chosen_on": mask, "seed": self.seed}
        try:
            chosen = find_threshold(data.scores, data.labels, self.objective, **options)
        except InputError as error:
            raise InputError(f"{data.name}: {error}") from error
        others = int(known.sum() - chosen_on.sum())
        return ReportedThreshold(data.name, chosen, int(chosen_on.sum()), others, self.objective)

    def _check(self, data: Labelled, known: Mask, chosen_on: Mask) -> None:
        """Raise for labels of one kind, and for a split that leaves one part empty."""
        if self.label is not None and known.any() and not (data.labels[known] == 0).any():
            raise InputError(f"{data.name}: every labelled item is positive, so any threshold would do")
        divided = self.named is not None or self.split < 1
        if divided and known.any() and not 0 < chosen_on.sum() < known.sum():
            purpose = "to choose on" if not chosen_on.any() else "to report on"
            part, remedy = given("split", self.split), "choose nearer to 0.5"
            if self.named is not None:
                part, remedy = given("choose_on", self.choose_on), "label more"
            raise InputError(f"{data.name}: {part} leaves no labelled entry {purpose}; {remedy}")

    def _mask(self, data: Labelled) -> Any:
        """The entries to choose on; those of one item or cluster stay together."""
        if self.named is not None:
            return self.named[data.owners]
        if self.split == 1:
            return None
        clusters = self.grouping.clusters
        if clusters is None and len(data.owners) == len(self.run):
            return split_mask(data.labels, share=self.split, seed=self.seed)
        groups: Any = data.owners if clusters is None else clusters[data.owners]
        return split_mask(data.labels, share=self.split, clusters=groups, seed=self.seed)


def _row(known: ReportedThreshold) -> list[Any]:
    chosen, quality = known.chosen, known.quality
    row = [known.name, chosen.objective, chosen.direction, chosen.threshold, *_ends(chosen.interval)]
    for name in QUALITIES:
        row += [quality.values[name], *_ends(quality.intervals[name])]
    counts = [getattr(quality, name) for name in _COUNTS]
    return [*row, *counts, known.entries, known.others, *([] if known.cost is None else [known.cost])]


def _ends(interval: Any) -> list[float | None]:
    return [None, None] if interval is None else [interval.low, interval.high]


def _summary_row(known: ReportedThreshold) -> list[str]:
    chosen, quality = known.chosen, known.quality
    sign = ">=" if chosen.direction == "higher" else "<="
    qualities = [with_interval(quality.values[name], quality.intervals[name]) for name in _SHOWN]
    return [
        known.name,
        f"{sign} {significant(chosen.threshold, 4)}",
        interval_text(chosen.interval),
        *qualities,
        *([] if known.cost is None else [number(known.cost, 3)]),
        number(chosen.chosen.values["f"], 3),
        "/".join(str(getattr(quality, name)) for name in _COUNTS),
    ]


def _scoring(run: RunData, label: str | None) -> list[str]:
    scoring = [name for name, metric in run.metrics.items() if metric.measure.item_score is not None]
    return [name for name in scoring if name != label]
