"""Decide whether a run meets requirements."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, checked_level
from thresher.reports.comparisons.comparison_report import Verdicts
from thresher.reports.comparisons.margins import Margins
from thresher.reports.gates.checks import Check, checks_of, conclude, decided_by, withdrawn_failures
from thresher.reports.gates.context import GateContext, UndecidableError
from thresher.reports.gates.missing_scores import MissingScores, checked_share
from thresher.reports.gates.outcome import DecidedBy, Decision, GateOutcome, RequirementOutcome
from thresher.reports.gates.quantities.base import Measurement
from thresher.reports.gates.quantities.no_regression import NoRegression
from thresher.reports.gates.requirement import Requirement, parse
from thresher.reports.gates.sentences import sentence
from thresher.reports.runs.run_data import RunData
from thresher.results.choices import check_choice

DecideBy = Literal["interval", "value"]


def gate(
    run: RunData,
    requirements: Sequence[str],
    *,
    baseline: RunData | None = None,
    decide_by: DecideBy = "interval",
    level: float = LEVEL,
    cluster: str | None = None,
    repeats: str | None = None,
    verdicts: Verdicts = "comparable",
    margins: Mapping[str, float] | None = None,
    margin: float | None = None,
    allow_missing: float | str = 0.0,
) -> GateOutcome:
    """Check a run against requirements.

    Args:
        run: the run.
        requirements: for example `faithfulness>=0.8`; see `thresher.reports.gates.grammar`.
        baseline: the run to which `baseline` and `no-regression` refer.
        decide_by: `interval` passes what is shown and fails what is refuted, everything else is inconclusive;
            `value` decides by the value as if it were certain.
        level: level of the intervals, 0.5 to 1.
        cluster: name of the input column that says which items belong together. Default: the column
            `cluster`, if there is one. An empty name treats items as independent.
        repeats: name of the input column that says which items repeat one another; repeats are averaged
            first. Default: the column `repeat_of`, if there is one.
        verdicts: `comparable` decides nothing if settings or data differ between the runs; `always` does.
        margins: metric -> how much worse it may be, for `no-regression` without `within`.
        margin: the same for all metrics that `margins` does not name.
        allow_missing: share of the scores, 0 to 1 or as `2%`, that may be missing; see
            `missing_scores`. A required coverage decides for its metric instead.

    Raises:
        InputError: for a requirement that cannot be read, an unknown metric, column or option, and for a
            margin that no requirement uses.
    """
    texts = [requirements] if isinstance(requirements, str) else list(requirements)
    if not texts:
        raise InputError("a gate needs requirements; give one or more, e.g. faithfulness>=0.8")
    check_choice("decide_by", decide_by, get_args(DecideBy))
    check_choice("verdicts", verdicts, get_args(Verdicts))
    parsed = [parse(text) for text in texts]
    regressions = [one.quantity for one in parsed if isinstance(one.quantity, NoRegression)]
    checked_margins = _checked_margins(regressions, run, baseline, margins, margin)
    context = GateContext(run, baseline, cluster, repeats, verdicts == "always", checked_margins)
    missing = MissingScores(context, checked_share(allow_missing), parsed)
    decisions = _decisions(missing, checked_level(level), by_value=decide_by == "value")
    notes = context.notes(primary_only=any(not quantity.metrics for quantity in regressions))
    names = (run.name or "run", None if baseline is None else baseline.name or "baseline")
    return GateOutcome(*names, len(run), tuple(decisions), tuple(notes), decide_by, level, missing.allowed)


def undecided(run: str, requirements: Sequence[str], reason: str) -> GateOutcome:
    """Return the outcome of a gate that could not compare anything, e.g. because a run cannot be read.

    Args:
        run: name of the run.
        requirements: the requirements.
        reason: why nothing was decided.

    Raises:
        InputError: for a requirement that cannot be read.
    """
    return GateOutcome(run, None, 0, tuple(_undecided(parse(text), reason) for text in requirements))


def _checked_margins(
    regressions: Sequence[NoRegression],
    run: RunData,
    baseline: RunData | None,
    margins: Mapping[str, float] | None,
    margin: float | None,
) -> Margins:
    """The margins of `no-regression` without `within`; an error if no requirement uses them."""
    metrics = [*run.metrics, *(() if baseline is None else baseline.metrics)]
    checked = Margins.checked(margins, margin, metrics)
    used = any(quantity.margin is None for quantity in regressions)
    if (margins or margin is not None) and not used:
        raise InputError("a margin is given, but no requirement is `no-regression` without `within`")
    return checked


def _decisions(missing: MissingScores, level: float, *, by_value: bool) -> list[Decision]:
    """One decision per check; a check that lacks scores is not decided and not part of Holm's correction."""
    entries: list[Decision | Check] = []
    for requirement in missing.requirements:
        try:
            checks = list(checks_of(requirement, missing.context))
        except UndecidableError as error:
            entries.append(_undecided(requirement, str(error)))
            continue
        for check in checks:
            reason = missing.reason(check)
            counts = _counts(check, missing.context)
            entries.append(_undecided(requirement, reason, check.subject, **counts) if reason else check)
    measured = [entry for entry in entries if isinstance(entry, Check)]
    decided = iter(_decided(measured, missing.context, level, by_value=by_value))
    return [next(decided) if isinstance(entry, Check) else entry for entry in entries]


def _undecided(
    requirement: Requirement, reason: str, subject: str = "", *, scored: int = 0, items: int = 0
) -> Decision:
    subject = subject or ", ".join(requirement.quantity.metrics) or "the primary measures"
    text = f"{subject}: {reason.rstrip('.')}."
    outcome = RequirementOutcome.UNDECIDED
    return Decision(requirement.text, subject, outcome, text, scored=scored, items=items)


def _decided(
    checks: Sequence[Check], context: GateContext, level: float, *, by_value: bool
) -> Iterator[Decision]:
    measurements = [check.measure(level) for check in checks]
    by = [decided_by(measurement, by_value=by_value) for measurement in measurements]
    outcomes = list(map(conclude, checks, measurements, by))
    withdrawn = withdrawn_failures(checks, outcomes, by, level)
    for position, check in enumerate(checks):
        outcome = RequirementOutcome.INCONCLUSIVE if position in withdrawn else outcomes[position]
        measurement, family = measurements[position], withdrawn.get(position, 0)
        text = sentence(check, measurement, outcome, by[position], family)
        yield _decision(check, measurement, outcome, by[position], text, context)


def _decision(
    check: Check,
    measurement: Measurement,
    outcome: RequirementOutcome,
    by: DecidedBy | None,
    text: str,
    context: GateContext,
) -> Decision:
    passed = outcome is RequirementOutcome.PASSED
    quantity = check.requirement.quantity
    return Decision(
        requirement=check.requirement.text,
        subject=check.subject,
        outcome=outcome,
        sentence=text,
        value=measurement.run_value,
        baseline=measurement.baseline_value,
        difference=None if measurement.baseline_value is None else measurement.value,
        interval=measurement.interval,
        bar=check.threshold.number + 0.0,  # -0.0 becomes 0.0
        decided_by=by,
        counted=measurement.counted,
        worst=() if passed else quantity.worst_items(check.metric, check.items, check.threshold, context),
        **_counts(check, context),
    )


def _counts(check: Check, context: GateContext) -> dict[str, int]:
    """Items that a check covers, and how many of them have a score."""
    scored = context.run.metrics[check.metric].result.scored & check.items
    return {"scored": int(np.count_nonzero(scored)), "items": int(np.count_nonzero(check.items))}
