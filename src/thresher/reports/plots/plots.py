"""What `results.plot` draws."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from thresher.errors import InputError
from thresher.kernels.inference import ScoredLabels
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.plots import details, spread, whiskers
from thresher.reports.runs.metric import Metric
from thresher.reports.runs.names import display_name, distinct_run_names
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport, chosen_metrics
from thresher.reports.slices.parts import parts_of
from thresher.reports.thresholds.labelled_scores import scores_and_labels
from thresher.results import Detail

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Plots:
    """Figures of one run. Each method returns matplotlib's Axes; `axes.figure.savefig("file.png")` keeps one.

    Nothing global changes: no window opens, no style is set. `ax` draws on axes of your own instead.

    Attributes:
        run: the run.
    """

    run: RunData

    def intervals(
        self, metrics: Sequence[str] | None = None, *, ax: "Axes | None" = None, **options: Any
    ) -> "Axes":
        """Values with their intervals.

        Args:
            metrics: names of metrics; without, all that share the scale of most.
            ax: axes to draw on.
            options: `cluster` and `repeats`; see `RunReport`.
        """
        found = RunReport(self.run, **options).estimates
        names = self._names(metrics) if metrics is not None else self._on_one_scale()
        rows = [(display_name(name), found[name]) for name in names]
        left_out = len(self.run.metrics) - len(names) if metrics is None else 0
        more = f" (not drawn: {left_out} on other scales)" if left_out else ""
        return whiskers.values(rows, f"{self.run.name or 'run'}: {len(self.run)} items{more}", ax)

    def comparison(
        self,
        other: RunData,
        metrics: Sequence[str] | None = None,
        *,
        ax: "Axes | None" = None,
        **options: Any,
    ) -> "Axes":
        """Differences of another run to this one with their intervals, marked by verdict.

        Args:
            other: the run that is compared with this one.
            metrics: names of the metrics to draw and to test; without, all that both runs have, of which
                the primary ones are tested.
            ax: axes to draw on.
            options: `cluster`, `repeats`, `margins`, `margin`, `verdicts`, `primary`; see `ComparisonReport`.
        """
        rows = ComparisonReport([self.run, other], metrics=metrics, **options).rows
        return whiskers.differences(rows, ax)

    def distributions(self, metric: str, *others: RunData, ax: "Axes | None" = None) -> "Axes":
        """How the item scores of a metric are spread, those of other runs beside them."""
        runs = [self.run, *others]
        names = distinct_run_names([run.name for run in runs]) if others else [self.run.name or "run"]
        found = [self._scored(run.metric(metric)) for run in runs]
        return spread.histograms(list(zip(names, found, strict=True)), self.run.metric(metric).name, ax)

    def slices(self, metric: str, by: Sequence[str] | str, *, ax: "Axes | None" = None) -> "Axes":
        """The value of each part of the data with its interval, worst first.

        Args:
            metric: name of the metric.
            by: columns and conditions; see `thresher report --slice`.
            ax: axes to draw on.
        """
        from thresher.kernels.inference import Target, slices

        name = self.run.metric(metric).name
        found = slices(Target(self.run.metrics[name].result, name), parts_of(self.run, by).of(name))
        rows = [(f"{each.name} ({each.estimate.items})", each.estimate) for each in found]
        return whiskers.values(rows, display_name(name), ax)

    def curve(
        self, metric: str | None = None, name: str | None = None, *, ax: "Axes | None" = None
    ) -> "Axes":
        """A curve, e.g. precision against recall.

        Args:
            metric: name of the metric; the first that has a curve without.
            name: name of the curve; the metric's first without.
            ax: axes to draw on.
        """
        found, title = self._detail(metric, name, "curve")
        return details.curve(found, title, ax)

    def confusion(self, metric: str | None = None, *, key: str = "", ax: "Axes | None" = None) -> "Axes":
        """A confusion matrix.

        Args:
            metric: name of the metric; the first that has a confusion matrix without.
            key: which label key; needed where there are several.
            ax: axes to draw on.
        """
        found, title = self._detail(metric, None, "confusion")
        return details.confusion(found, title, key, ax)

    def thresholds(
        self, metric: str, label: str | None = None, *, positive: Any = None, ax: "Axes | None" = None
    ) -> "Axes":
        """What each threshold does: the share of items that reach it; with labels, precision, recall and F1.

        Args:
            metric: name of the metric.
            label: column, metric or condition that says which items are good; see `thresher thresholds`.
            positive: the label that is good; without, labels are true and false, or 1 and 0.
            ax: axes to draw on.
        """
        if label is not None:
            found = scores_and_labels(self.run, metric, label, positive)
            sorted_once = ScoredLabels.of(found.scores, found.labels, found.direction)
            return spread.operating(sorted_once, metric, ax)
        chosen = self.run.metric(metric)
        return spread.passing(self._scored(chosen), chosen.name, chosen.measure.direction, ax)

    def _names(self, metrics: Sequence[str]) -> list[str]:
        return list(chosen_metrics(self.run, metrics))

    def _on_one_scale(self) -> list[str]:
        """The metrics with the bounds that most have."""
        by_bounds: dict[tuple[float, float], list[str]] = {}
        for name, metric in self.run.metrics.items():
            by_bounds.setdefault(metric.measure.bounds, []).append(name)
        return max(by_bounds.values(), key=len, default=[])

    def _scored(self, metric: Metric) -> Any:
        if metric.measure.item_score is None:
            raise InputError(f"{metric.name} has no scores per item, so there is nothing to draw")
        scores = metric.scores[metric.result.scored]
        if not len(scores):
            raise InputError(f"no item is scored by {metric.name}, so there is nothing to draw")
        return scores

    def _detail(self, metric: str | None, name: str | None, form: str) -> tuple[Detail, str]:
        """A breakdown of one form, and what it is called."""
        having = {each: found for each in self.run.metrics if (found := self._details(each, form))}
        wanted = next(iter(having), "") if metric is None else self.run.metric(metric).name
        for detail in having.get(wanted, []):
            if name in (None, detail.name):
                return detail, display_name(wanted)
        what = f"{form} {name!r}" if name else form
        raise InputError(
            f"{wanted or 'this run'} has no {what} to draw; metrics with one: {', '.join(having) or 'none'}"
        )

    def _details(self, metric: str, form: str) -> list[Detail]:
        result = self.run.metrics[metric].result
        found = [result.detail(each.name) for each in result.breakdowns]
        return [detail for detail in found if detail.form == form]
