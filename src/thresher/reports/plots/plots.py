"""The methods of `results.plot`."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import Interval, IntervalEstimate, ScoredLabels
from thresher.reports.analysis import Analysis
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.comparison_row import ComparisonRow
from thresher.reports.figures.confusion import counts_by_key, matrix
from thresher.reports.figures.curves import curves
from thresher.reports.figures.distribution import distribution
from thresher.reports.figures.figure import Axis, RowFigure, Whisker
from thresher.reports.figures.thresholds import operating_points, passing
from thresher.reports.plots.matplotlib import draw
from thresher.reports.rendering.numbers import interval_heading
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import ARROWS, display_name, distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport, chosen_metrics
from thresher.reports.scores.sorted_scores import SortedScores, sorted_scores
from thresher.reports.slices.slice_report import SliceReport
from thresher.reports.thresholds.labelled_scores import scores_and_labels
from thresher.results import Detail

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_MOST_LABELS = 30
"""Labels of a confusion matrix whose names can be read in a figure."""


@dataclass(frozen=True)
class Plots:
    """Figures of one run. Each method returns matplotlib's Axes; save them by `axes.figure.savefig("x.png")`.

    Nothing global changes: no window opens, no style is set. `ax` draws on existing axes instead.

    Attributes:
        run: the run.
    """

    run: RunData

    def intervals(
        self, metrics: Sequence[str] | None = None, *, ax: "Axes | None" = None, **options: Any
    ) -> "Axes":
        """Draw values with their intervals.

        Args:
            metrics: names of metrics; default: all with the bounds that most metrics share.
            ax: axes to draw on.
            options: `cluster`, `repeats` and `level`; see `RunReport`.
        """
        names = self._on_one_scale() if metrics is None else list(chosen_metrics(self.run, metrics))
        report = RunReport(self.run, Analysis(metrics=names, **options))
        left_out = len(self.run.metrics) - len(names) if metrics is None else 0
        more = f" (not drawn: {left_out} on other scales)" if left_out else ""
        title = f"{self.run.name or 'run'}: {counted(len(self.run), 'item')}{more}"
        whiskers = tuple(_value(display_name(name), report.estimates[name]) for name in names)
        return draw(RowFigure(title, _axis(report), whiskers), ax)

    def comparison(
        self,
        other: RunData,
        metrics: Sequence[str] | None = None,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> "Axes":
        """Draw the differences of another run from this one with their intervals, marked by verdict.

        Args:
            other: the run that is compared with this one.
            metrics: names of the metrics to draw and to test; default: all that both runs have, and the
                primary ones are tested.
            ax: axes to draw on.
            options: `cluster`, `repeats`, `margins`, `margin`, `verdicts`, `primary`, `level`; see
                `ComparisonReport`.
        """
        report = ComparisonReport([self.run, other], Analysis(metrics=metrics, **options))
        title = f"{report.names[1]} minus {report.names[0]}" if report.rows else ""
        name = f"difference with {interval_heading(report.level)}; at the right: verdict, won/tied/lost"
        return draw(RowFigure(title, Axis(name), tuple(map(_difference, report.rows)), zero=True), ax)

    def distributions(self, metric: str, *others: RunData, ax: "Axes | None" = None) -> "Axes":
        """Draw a histogram of the item scores of a metric, with those of other runs over it."""
        runs = [self.run, *others]
        names = distinct_run_names([run.name for run in runs]) if others else [self.run.name or "run"]
        scores = dict(enumerate(_scores_of(run.metric(metric)) for run in runs))
        span = (
            min(column.at(0) for column in scores.values()),
            max(column.at(column.count - 1) for column in scores.values()),
        )
        name = display_name(self.run.metric(metric).name)
        return draw(distribution(name, scores, dict(enumerate(names)), span), ax)

    def slices(
        self, metric: str, by: Sequence[str] | str, *, ax: "Axes | None" = None, **options: Any
    ) -> "Axes":
        """Draw the value of each slice with its interval, the worst first.

        Args:
            metric: name of the metric.
            by: columns and conditions; see `thresher report --slice`.
            ax: axes to draw on.
            options: `cluster`, `repeats` and `level`; see `SliceReport`.
        """
        report = SliceReport(self.run, by, Analysis(metrics=[metric], **options))
        parts = report.rows
        whiskers = tuple(_value(f"{part.name} ({part.estimate.items})", part.estimate) for part in parts)
        title = display_name(self.run.metric(metric).name)
        return draw(RowFigure(title, _axis(report), whiskers), ax)

    def curve(
        self, metric: str | None = None, name: str | None = None, *, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw a curve, for example precision against recall.

        Args:
            metric: name of the metric; default: the first that has a curve.
            name: name of the curve; default: the metric's first.
            ax: axes to draw on.
        """
        detail, title = self._detail(metric, name, "curve")
        figures, left_out = curves(detail)
        more = f" ({counted(left_out, 'more label')} not drawn)" if left_out else ""
        return draw(replace(figures[0], title=f"{title}{more}"), ax)

    def confusion(self, metric: str | None = None, *, key: str = "", ax: "Axes | None" = None) -> "Axes":
        """Draw a confusion matrix.

        Args:
            metric: name of the metric; default: the first that has a confusion matrix.
            key: the label key; needed where there are several.
            ax: axes to draw on.
        """
        detail, title = self._detail(metric, None, "confusion")
        counts = counts_by_key(detail)
        key = key if key in counts or len(counts) != 1 else next(iter(counts))
        if key not in counts:
            raise InputError(f"{detail.name} has label keys {', '.join(map(repr, counts))}; pass one as key=")
        confused = matrix(title, counts[key])
        if len(confused.columns) > _MOST_LABELS:
            raise InputError(
                f"{title} has {counted(len(confused.columns), 'label')}, too many to draw; see the list in "
                "the report"
            )
        return draw(confused, ax)

    def thresholds(
        self, metric: str, label: str | None = None, *, positive: Any = None, ax: "Axes | None" = None
    ) -> "Axes":
        """Draw the share of items that reach each threshold; with labels, precision, recall and F1.

        Args:
            metric: name of the metric.
            label: column, metric or condition that says which items are good; see `thresher thresholds`.
            positive: the label of good items; default: labels are true and false, or 1 and 0.
            ax: axes to draw on.
        """
        if label is not None:
            pairs = scores_and_labels(self.run, metric, label, positive)
            scored = ScoredLabels.of(pairs.scores, pairs.labels, pairs.direction)
            return draw(operating_points(display_name(metric), scored), ax)
        chosen = self.run.metric(metric)
        name = display_name(chosen.name)
        return draw(passing(name, _scores_of(chosen), chosen.measure.direction), ax)

    def _on_one_scale(self) -> list[str]:
        """The metrics with the bounds that most have."""
        by_bounds: dict[tuple[float, float], list[str]] = {}
        for name, metric in self.run.metrics.items():
            by_bounds.setdefault(metric.measure.bounds, []).append(name)
        return max(by_bounds.values(), key=len, default=[])

    def _detail(self, metric: str | None, name: str | None, form: str) -> tuple[Detail, str]:
        """A breakdown of one form, and its title."""
        details = {title: self._details(title, form) for title in self.run.metrics}
        having = [title for title, of_metric in details.items() if of_metric]
        chosen = (having or [""])[0] if metric is None else self.run.metric(metric).name
        for detail in details.get(chosen, []):
            if name in (None, detail.name):
                return detail, display_name(chosen)
        what = f"{form} {name!r}" if name else form
        raise InputError(
            f"{chosen or 'this run'} has no {what} to draw; metrics with one: {', '.join(having) or 'none'}"
        )

    def _details(self, metric: str, form: str) -> list[Detail]:
        result = self.run.metrics[metric].result
        details = [result.detail(breakdown.name) for breakdown in result.breakdowns]
        return [detail for detail in details if detail.form == form]


def _scores_of(metric: Metric) -> SortedScores:
    """The scores of the scored items.

    Raises:
        InputError: if there is none.
    """
    if metric.measure.item_score is None:
        raise InputError(f"{metric.name} has no scores per item, so there is nothing to draw")
    (scores,) = sorted_scores([metric])
    if not scores.count:
        raise InputError(f"no item is scored by {metric.name}, so there is nothing to draw")
    return scores


def _value(name: str, estimate: IntervalEstimate) -> Whisker:
    return Whisker(estimate.value, _ends(estimate.interval), name=name, label=f"{estimate.value:.3g}")


def _axis(report: RunReport | SliceReport) -> Axis:
    return Axis(f"value with {interval_heading(report.level)}")


def _difference(row: ComparisonRow) -> Whisker:
    change, verdict = row.comparison, row.verdict
    counts = "" if change.wins is None else f" {change.wins}/{change.ties}/{change.losses}"
    note = f"{verdict or ('no verdict' if row.tested else 'secondary')}{counts}"
    name, ends = f"{display_name(row.metric)} {ARROWS[change.direction]}", _ends(change.interval)
    return Whisker(change.difference, ends, verdict, name, note=note, margin=change.margin)


def _ends(interval: Interval | None) -> tuple[float, float] | None:
    return None if interval is None else (interval.low, interval.high)
