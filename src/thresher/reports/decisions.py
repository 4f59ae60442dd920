"""What results are asked for when something has to be decided: gates, human labels, figures."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.reports.run_data import RunData

if TYPE_CHECKING:
    from thresher.reports.comparison import Verdicts
    from thresher.reports.gates import GateOutcome
    from thresher.reports.gates.gate import DecideBy


class Decisions(RunData):
    """Results that something can be decided on; the arguments are those of `RunData`."""

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
    ) -> "GateOutcome":
        """Hold the results against requirements, e.g. `faithfulness>=0.8`; see `thresher.reports.gates.gate`.

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
        )
