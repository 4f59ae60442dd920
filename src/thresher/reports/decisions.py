"""What results are asked for when something has to be decided: gates, human labels, figures."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from thresher.reports.runs.run_data import RunData

if TYPE_CHECKING:
    from thresher.reports.comparisons.comparison_report import Verdicts
    from thresher.reports.gates import GateOutcome
    from thresher.reports.gates.gate import DecideBy
    from thresher.reports.labels import LabelReport
    from thresher.reports.labels.label_report import Labels
    from thresher.reports.plots import Plots
    from thresher.reports.table import Table


class Decisions(RunData):
    """Results that something can be decided on; the arguments are those of `RunData`."""

    @property
    def plot(self) -> "Plots":
        """Figures with matplotlib (the extra `plot`): `results.plot.intervals()` and others."""
        from thresher.reports.plots import Plots

        return Plots(self)

    def gate(
        self,
        requirements: Sequence[str],
        *,
        baseline: RunData | None = None,
        decide_by: "DecideBy" = "interval",
        level: float = 0.95,
        cluster: str | None = None,
        repeats: str | None = None,
        verdicts: "Verdicts" = "comparable",
        margins: Mapping[str, float] | None = None,
        margin: float | None = None,
        allow_missing: float | str = 0.0,
    ) -> "GateOutcome":
        """Check requirements, e.g. `faithfulness>=0.8`; see `thresher.reports.gates.gate`.

        Returns:
            The outcome, true if every requirement is met: `outcome`, `exit_code`, `decisions`,
            `to_markdown()`, `to_junit()`, `to_dict()`.

        Raises:
            InputError: for a requirement that cannot be read, an unknown metric, column or option.
        """
        from thresher.reports.gates import gate

        return gate(
            self,
            requirements,
            baseline=baseline,
            decide_by=decide_by,
            level=level,
            cluster=cluster,
            repeats=repeats,
            verdicts=verdicts,
            margins=margins,
            margin=margin,
            allow_missing=allow_missing,
        )

    def draw_to_label(self, number: int = 100, **options: Any) -> "Table":
        """Random items for people to label, without scores; see `thresher.reports.labels.draw`.

        Args:
            number: items to draw; all if there are fewer.
            options: `seed`, `metric`, `by`, `raters`, `with_scores`.
        """
        from thresher.reports.labels import draw

        return draw(self, number, **options)

    def judge_by_labels(
        self,
        labels: "Labels",
        metric: str,
        *,
        threshold: float | None = None,
        columns: Sequence[str] = (),
    ) -> "LabelReport":
        """Hold a metric's scores against human labels; see `thresher.reports.labels.judge_by_labels`.

        Args:
            labels: the sheet with labels filled in (a path), or labels by item id.
            metric: the metric whose scores are the judge's.
            threshold: what counts as good, for scores and labels alike.
            columns: the sheet's columns of labels, one per rater.

        Raises:
            InputError: if the sheet or the metric cannot be used; says which row and why.
        """
        from thresher.reports.labels import judge_by_labels

        return judge_by_labels(self, labels, metric, threshold=threshold, columns=columns)
