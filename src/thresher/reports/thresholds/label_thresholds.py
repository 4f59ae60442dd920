"""The best thresholds of detections and of a classifier's labels, with their value on other items."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError
from thresher.kernels.inference import SEED, LeastCost
from thresher.kernels.inference.objectives import Objective
from thresher.reports.rendering.numbers import estimate_text, interval_text, number, significant
from thresher.reports.report import Report
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.names import check_metric_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.thresholds.chosen_on import ChoiceOfItems
from thresher.reports.thresholds.exported import exported_labels
from thresher.reports.thresholds.held_out import HonestThreshold, ReportedSearch
from thresher.reports.thresholds.label_searches import LabelSearch, label_searches
from thresher.reports.thresholds.label_sentences import sentences
from thresher.reports.thresholds.objectives import objective_of
from thresher.surface import option

if TYPE_CHECKING:
    from thresher.reports.figures.figure import Figure

_COLUMNS = ("quantity", "metric", "objective", "average", "key", "label")
_ENDS = ("threshold", "threshold_low", "threshold_high")
_VALUES = ("value_chosen", "value", "value_low", "value_high", "optimism", "precision", "recall")
AVERAGES = {
    "micro": "all labels",
    "macro": "mean of labels, one threshold",
    "per_label": "mean of labels, own thresholds",
}


class LabelThresholds(Report[Table]):
    """The best thresholds of scored labels: one for all, and one for each label.

    The value of a threshold on the items that it was chosen on is too high. The report shows it next to the
    value on other items, with interval.

    Args:
        run: the run.
        metrics: names of metrics that search thresholds (`detection_best_threshold`,
            `classification_best_threshold`), or of average precision at IoU 0.5 or ROC AUC, which hold the
            same scores; None for all.
        objective: what the thresholds optimise; see `objective_of`. None for the metric's own F. Detections
            have no true negatives, which Youden's index and their cost need.
        choose_on: `column=value`: choose on these items, report on the others; None for random parts.
        folds: number of folds; None for random parts.
        split: share of the items to choose on, of random parts (default: 0.5); 1 chooses and reports on the
            same.
        seed: seed of the parts.
        cluster: input column of clusters, which the parts do not divide.
        positive: of two labels of a classifier, the one to report; None for that of the run, or the usual one
            (1 of 0 and 1, yes of no and yes).

    Raises:
        InputError: for an unknown name or objective, one that does not fit, or a run without scored labels.
    """

    title = "Best thresholds"

    def __init__(
        self,
        run: RunData,
        metrics: Sequence[str] | None = None,
        *,
        objective: str | Objective | None = None,
        choose_on: str | None = None,
        folds: int | None = None,
        split: float | None = None,
        seed: int = SEED,
        cluster: str | None = None,
        positive: object = None,
    ) -> None:
        check_metric_names(metrics)
        chosen = None if objective is None else objective_of(objective)
        searches = label_searches(run, metrics, chosen, positive)
        if not searches:
            raise InputError(
                "no metric of this run has scored labels; add detection_best_threshold or "
                "classification_best_threshold to its metrics"
            )
        self.run = run
        self.items = ChoiceOfItems(choose_on, folds, split, seed)
        self.grouping = Grouping.of(run, cluster)
        self.searches = [self._reported(search) for search in searches]

    @cached_property
    def notes(self) -> list[str]:
        """How the items were divided."""
        return [self.items.sentence(), *self.grouping.notes]

    @cached_property
    def reading(self) -> list[str]:
        """Which thresholds to use, and what they give."""
        return [line for search in self.searches for line in sentences(search)]

    def table(self) -> Table:
        """Return one row for all labels together, and one for each label."""
        rows = [_row(search.search, known) for search, known in self._thresholds()]
        columns = [*_COLUMNS, *_ENDS, *_VALUES, "truths", "note"]
        return Table(columns, rows, notes=self.notes, reading=self.reading)

    def summary(self) -> Table:
        """Return the rows rounded, with the name of the value."""
        name = self.searches[0].search.value
        several = len(self.searches) > 1
        reported = f"{name} on {'the same items' if self.items.same_items else 'others'}"
        columns = ["threshold for", "use", "other samples", f"{name} where chosen", reported]
        columns = [*(["metric"] if several else []), *columns, "precision", "recall", "note"]
        rows = [
            [*([search.search.name] if several else []), *_summary_row(known)]
            for search, known in self._thresholds()
        ]
        return Table(columns, rows, notes=self.notes, reading=self.reading)

    def data(self) -> dict[str, Any]:
        """Return notes, and one entry per threshold."""
        return {"notes": self.notes, "thresholds": list(self.table()), "reading": self.reading}

    def default(self) -> Table:
        """Return the table."""
        return self.table()

    def export(self) -> dict[str, Any]:
        """Return the thresholds for a deployment; `thresher.load_thresholds` reads the written file.

        Raises:
            InputError: for several metrics, whose scores differ, and for two labels without a positive one.
        """
        if len(self.searches) > 1:
            names = ", ".join(search.search.name for search in self.searches)
            raise InputError(
                f"several metrics have thresholds: {names}; choose one, for example with --metric"
            )
        if not self.searches[0].overall and self.searches[0].search.positive is None:
            both = " and ".join(repr(str(known.label)) for known in self.searches[0].labels)
            raise InputError(
                f"name the label of {both} to export with {option('--positive LABEL', 'positive=')}"
            )
        return exported_labels(self.searches[0], self.run.name, self.items.sentence())

    def figures(self) -> "Sequence[Figure]":
        """Return F over the thresholds, of all labels and of each of the first ones."""
        from thresher.reports.figures.label_thresholds import threshold_figures

        figures = [(search, figure) for search in self.searches for figure in threshold_figures(search)]
        if len(self.searches) == 1:
            return [figure for _, figure in figures]
        return [replace(figure, title=f"{search.search.name}: {figure.title}") for search, figure in figures]

    def _thresholds(self) -> Iterator[tuple[ReportedSearch, HonestThreshold]]:
        for search in self.searches:
            for known in (*search.overall, *search.labels):
                yield search, known

    def _reported(self, search: LabelSearch) -> ReportedSearch:
        counted, named = search.result.scored, self.items.named(self.run)
        chosen_on = counted if named is None else counted & named
        if not counted.any() and search.overlap is None:  # of a classifier
            raise InputError(
                "the predictions have no scores, which thresholds are chosen from: give them in columns "
                "score_LABEL, or as an object label -> score in place of each prediction"
            )
        if not chosen_on.any():
            raise InputError(f"{search.name}: none of the items to choose on is scored")
        next(self.items.parts(self.run, counted, self.grouping))  # an error before the work
        return ReportedSearch(
            *(search, counted, chosen_on),
            lambda: self.items.parts(self.run, counted, self.grouping),
            self.grouping,
            self.items.same_items,
        )


def _row(search: LabelSearch, known: HonestThreshold) -> list[Any]:
    interval, label = known.reported.interval, known.label
    limits = [None, None] if interval is None else [interval.low, interval.high]
    names = ["", ""] if label is None else [label.key, label.value]
    average = known.average if label is None else "label"
    lower_is_better = isinstance(search.objective, LeastCost)
    optimism = -known.optimism if lower_is_better else known.optimism
    ends = [known.threshold, known.low, known.high]
    values = [known.chosen, known.reported.value, *limits, optimism, known.precision, known.recall]
    cells = [
        search.quantity,
        search.name,
        search.objective.name,
        average,
        *names,
        *ends,
        *values,
        known.truths,
    ]
    return [*(cell if isinstance(cell, str) or _is_finite(cell) else None for cell in cells), known.note]


def _summary_row(known: HonestThreshold) -> list[str]:
    ends = " to ".join("none" if math.isinf(end) else f"{end:.3g}" for end in (known.low, known.high))
    return [
        AVERAGES[known.average] if known.label is None else str(known.label),
        significant(known.threshold, 4, missing="-"),
        "" if math.isnan(known.low) else ends,
        number(known.chosen, 3),
        *_on_others(known),
        known.note or "",
    ]


def _is_finite(cell: float | None) -> bool:
    return cell is not None and math.isfinite(cell)


def _on_others(known: HonestThreshold) -> list[str]:
    """The value with its interval, precision and recall on other items; dashes without a threshold to use."""
    if known.note is not None and math.isnan(known.threshold):
        return ["-", "-", "-"]
    interval = known.reported.interval
    value = estimate_text(known.reported.value, interval) + (
        f" {interval_text(interval)}" if interval else ""
    )
    return [value, number(known.precision, 3), number(known.recall, 3)]
