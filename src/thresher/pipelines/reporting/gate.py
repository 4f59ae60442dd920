"""A gate inside a pipeline: a router by requirements."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal, get_args

from haystack import component

from thresher.errors import GateError, InputError, RunDirectoryError
from thresher.kernels.inference.interval import checked_level
from thresher.metrics import check_option
from thresher.pipelines.reporting._outputs import outputs, stored_or_given
from thresher.reports.analysis import Verdicts
from thresher.reports.comparisons.margins import Margins
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates import GateOutcome, gate, parse, undecided
from thresher.reports.gates.decision import RequirementOutcome
from thresher.reports.gates.gate import DecideBy
from thresher.reports.gates.missing_scores import checked_share
from thresher.reports.thresholds.chosen_on import ChoiceOfItems
from thresher.results.choices import check_choice
from thresher.surface import in_pipeline

OnFailure = Literal["report", "raise"]
_SOCKETS = {
    RequirementOutcome.PASSED: "passed",
    RequirementOutcome.FAILED: "failed",
    RequirementOutcome.INCONCLUSIVE: "inconclusive",
    RequirementOutcome.UNDECIDED: "undecided",
}


@component
class Gate:
    """Requirements that results have to meet, as `thresher gate` checks them; routes results by the outcome.

    Connect `passed` to what deploys, publishes or stores the results: that runs only if every requirement is
    met.

    Args:
        require: requirements, e.g. `["valor_faithfulness>=0.8", "no-regression within 0.02"]`, or one.
        baseline: directory or file of a stored run, to which `baseline` and `no-regression` refer.
        on_failure: `report` sends the results to `failed`, `inconclusive` or `undecided`; `raise` ends the
            pipeline with a GateError unless the gate passed.
        decide_by: `interval` passes what is shown and fails what is refuted; `value` takes values as certain.
        level: level of the intervals, 0.5 to 1.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats.
        margin: how much worse a run may be, for `no-regression` without `within`.
        margins: the same for single metrics.
        verdicts: `comparable` decides nothing where settings or data differ; `always` does.
        allow_missing: share of the scores, 0 to 1 or as `2%`, that may be missing.
        choose_on: `column=value`: `held_out` chooses thresholds on these items and checks them on the others.

    Raises:
        InputError: for a requirement that cannot be read or an unknown choice, and from `run` for an unknown
            metric or column.
        GateError: from `run`, with `on_failure="raise"`, if the gate did not pass.
    """

    def __init__(
        self,
        require: list[str] | str,
        *,
        baseline: str | None = None,
        on_failure: OnFailure = "report",
        decide_by: DecideBy = "interval",
        level: float = 0.95,
        cluster: str | None = None,
        repeats: str | None = None,
        margin: float | None = None,
        margins: Mapping[str, float] | None = None,
        verdicts: Verdicts = "comparable",
        allow_missing: float | str = 0.0,
        choose_on: str | None = None,
    ) -> None:
        check_choice("on_failure", on_failure, get_args(OnFailure))
        check_choice("decide_by", decide_by, get_args(DecideBy))
        checked_level(level)
        checked_share(allow_missing)
        ChoiceOfItems(choose_on)
        require = [require] if isinstance(require, str) else require
        check_option("require", require, Sequence[str])
        if not require:
            raise InputError(f"require={require!r} must be a list of requirements, e.g. ['token_f1>=0.8']")
        for text in require:
            parse(text)
        Margins.checked(margins, margin, margins or ())
        self.require, self.baseline, self.on_failure = require, baseline, on_failure
        self.decide_by, self.level, self.cluster, self.repeats = decide_by, level, cluster, repeats
        self.margin, self.margins = margin, margins
        self.verdicts, self.allow_missing, self.choose_on = verdicts, allow_missing, choose_on

    @component.output_types(
        passed=EvaluationResults,
        failed=EvaluationResults,
        inconclusive=EvaluationResults,
        undecided=EvaluationResults,
        outcome=str,
        report=dict[str, Any],
        markdown=str,
    )
    def run(self, results: EvaluationResults, baseline: EvaluationResults | None = None) -> dict[str, Any]:
        """Check the requirements.

        Args:
            results: the run.
            baseline: the run to which `baseline` and `no-regression` refer.

        Returns:
            The results under one of `passed`, `failed`, `inconclusive` (too few items to decide) and
            `undecided` (nothing to compare: scores missing, other data, no baseline); `outcome`: the name of
            that output; `report`: JSON data; `markdown`, for a pull request.
        """
        with in_pipeline():
            outcome = self._outcome(results, baseline)
        if self.on_failure == "raise" and not outcome.passed:
            raise GateError(outcome.explanation())
        socket = _SOCKETS[outcome.outcome]
        report = outputs(outcome.report())["report"]
        return {socket: results, "outcome": socket, "report": report, "markdown": outcome.to_markdown()}

    def _outcome(self, results: EvaluationResults, given: EvaluationResults | None) -> GateOutcome:
        try:
            baseline = stored_or_given("Gate", self.baseline, given)
        except RunDirectoryError as error:
            return undecided(results.name or "run", self.require, str(error))
        return gate(
            results,
            self.require,
            baseline=baseline,
            decide_by=self.decide_by,
            level=self.level,
            cluster=self.cluster,
            repeats=self.repeats,
            verdicts=self.verdicts,
            margins=self.margins,
            margin=self.margin,
            allow_missing=self.allow_missing,
            choose_on=self.choose_on,
        )
