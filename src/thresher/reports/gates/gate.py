"""Decide whether a run meets requirements."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference import Target
from thresher.kernels.inference.block_totals import prepare_totals
from thresher.kernels.inference.interval import LEVEL, checked_level
from thresher.reports.analysis import Verdicts
from thresher.reports.comparisons.margins import Margins
from thresher.reports.gates.context import GateContext, UndecidableError
from thresher.reports.gates.decision import DecidedBy, Decision, RequirementOutcome
from thresher.reports.gates.missing_scores import MissingScores, checked_share
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.quantities.base import Check, Measurement
from thresher.reports.gates.quantities.held_out import HeldOutValue
from thresher.reports.gates.quantities.no_regression import NoRegression
from thresher.reports.gates.requirement import Requirement, checks_of, parse
from thresher.reports.gates.sentences import sentence
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.run_data import RunData
from thresher.reports.thresholds.chosen_on import ChoiceOfItems
from thresher.results.choices import check_choice
from thresher.surface import given

DecideBy = Literal["interval", "value"]


def gate(
    run: RunData,
    requirements: Sequence[str] | str,
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
    choose_on: str | None = None,
) -> GateOutcome:
    """Check a run against requirements.

    Args:
        run: the run.
        requirements: for example `token_f1>=0.8`; see `thresher.reports.gates.grammar`.
        baseline: the run to which `baseline` and `no-regression` refer.
        decide_by: `interval` passes what is shown and fails what is refuted, everything else is inconclusive;
            `value` decides by the value as if it were certain.
        level: level of the intervals, 0.5 to 1.
        cluster: name of the input column that says which items belong together. Default: the column
            `cluster`, if there is one, else `conversation_id`, if several items have one conversation. An
            empty name treats items as independent.
        repeats: name of the input column that says which items repeat one another; repeats are averaged
            first. Default: the column `repeat_of`, if there is one.
        verdicts: `comparable` decides nothing if settings or data differ between the runs; `always` does.
        margins: metric -> how much worse it may be, for `no-regression` without `within`.
        margin: the same for all metrics that `margins` does not name.
        allow_missing: share of the scores, 0 to 1 or as `2%`, that may be missing; see
            `missing_scores`. A required coverage decides for its metric instead.
        choose_on: `column=value`: `held_out` chooses thresholds on these items and checks them on the others.
            Default: random halves.

    Raises:
        InputError: for a requirement that cannot be read, an unknown metric, column or option, and for a
            margin or `choose_on` that no requirement uses.
    """
    texts = [requirements] if isinstance(requirements, str) else list(requirements)
    if not texts:
        raise InputError("a gate needs requirements; give one or more, e.g. valor_faithfulness>=0.8")
    check_choice("decide_by", decide_by, get_args(DecideBy))
    check_choice("verdicts", verdicts, get_args(Verdicts))
    parsed = [parse(text) for text in texts]
    regressions = [one.quantity for one in parsed if isinstance(one.quantity, NoRegression)]
    checked_margins = _checked_margins(regressions, run, baseline, margins, margin)
    check_choose_on(choose_on, parsed)
    always = verdicts == "always"
    context = GateContext(run, baseline, cluster, repeats, always, checked_margins, choose_on)
    missing = MissingScores(context, checked_share(allow_missing), parsed)
    level = looked_level(checked_level(level), [run, *([] if baseline is None else [baseline])])
    decisions = _decisions(missing, level, by_value=decide_by == "value")
    notes = context.notes(primary_only=any(not quantity.metrics for quantity in regressions))
    names = (run.name or "run", None if baseline is None else baseline.name or "baseline")
    return GateOutcome(*names, len(run), tuple(decisions), tuple(notes), decide_by, level, missing.allowed)


def undecided(run: str, requirements: Sequence[str] | str, reason: str) -> GateOutcome:
    """Return the outcome of a gate that could not compare anything, e.g. because a run cannot be read."""
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


def check_choose_on(choose_on: str | None, requirements: Sequence[Requirement]) -> None:
    """Raise for another form than `column=value`, and if no requirement uses it."""
    ChoiceOfItems(choose_on)
    if choose_on is not None and not any(isinstance(one.quantity, HeldOutValue) for one in requirements):
        raise InputError(f"{given('choose_on', choose_on)}: no requirement is `held_out(METRIC)`")


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
            reason = check.undecidable or missing.reason(check)
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
    _prepare_totals(checks, context)
    measurements = [check.measure(level) for check in checks]
    by = [_decided_by(measurement, by_value=by_value) for measurement in measurements]
    outcomes = list(map(_conclude, checks, measurements, by))
    withdrawn = _withdrawn_failures(checks, outcomes, by, level)
    for position, check in enumerate(checks):
        measurement, family = measurements[position], withdrawn.get(position, 0)
        outcome = RequirementOutcome.INCONCLUSIVE if family else outcomes[position]
        text = sentence(check, measurement, outcome, by[position], family)
        other = measurement.baseline_value
        yield Decision(
            requirement=check.requirement,
            subject=check.subject,
            outcome=outcome,
            sentence=text,
            value=measurement.run_value,
            baseline=other,
            difference=None if other is None else measurement.value,
            interval=None if _is_unchanged(measurement) else measurement.interval,
            bar=check.threshold.number + 0.0,  # -0.0 becomes 0.0
            decided_by=by[position],
            counted=measurement.counted,
            worst=() if outcome is RequirementOutcome.PASSED else check.quantity.worst_items(check, context),
            **_counts(check, context),
        )


def _prepare_totals(checks: Sequence[Check], context: GateContext) -> None:
    """Let stored runs be read once for the checked measures and slices, and not for the other measures."""
    chosen = [Target(context.run.metrics[check.metric].result, check.metric, check.items) for check in checks]
    pairs = []
    if any(check.threshold.baseline for check in checks):
        pair = context.pair
        names = dict.fromkeys(check.metric for check in checks if check.metric in pair.shared)
        pairs = [pair.targets(metric) for metric in names]
    prepare_totals(chosen, pairs)


def _counts(check: Check, context: GateContext) -> dict[str, int]:
    """Items that a check covers, and how many of them have a score, of the baseline too if it is compared."""
    if check.baseline is not None and not check.quantity.covers_unscored:
        scored = check.target.mask
    else:
        scored = context.run.metrics[check.metric].result.scored & check.items
    return {"scored": int(np.count_nonzero(scored)), "items": int(np.count_nonzero(check.items))}


def _decided_by(measurement: Measurement, *, by_value: bool) -> DecidedBy | None:
    """Return what decides about a number; None if the number does not exist."""
    if math.isnan(measurement.value):
        return None
    return "fact" if measurement.exact else "value" if by_value else "interval"


def _is_unchanged(measurement: Measurement) -> bool:
    """Whether the answers are those of the baseline, so that no interval says anything of them."""
    return measurement.comparison is not None and measurement.comparison.unchanged


def _conclude(check: Check, measurement: Measurement, by: DecidedBy | None) -> RequirementOutcome:
    """Return failed if the whole interval is on the bad side of the threshold, passed if on the good side.

    Against the baseline itself an interval that ends at 0 does not pass, as it is not `better` in a
    comparison: such an interval comes from a test that does not reject a difference of 0.
    """
    threshold = check.threshold
    if by is None:
        return RequirementOutcome.UNDECIDED
    if by != "interval":
        reached = threshold.reached(measurement.value)
        return RequirementOutcome.PASSED if reached else RequirementOutcome.FAILED
    interval, comparison = measurement.interval, measurement.comparison
    if _is_unchanged(measurement):
        return RequirementOutcome.PASSED if threshold.reached(0.0) else RequirementOutcome.FAILED
    if interval is None or not measurement.decides:
        return RequirementOutcome.INCONCLUSIVE
    if threshold.reached_by_none(interval):
        return RequirementOutcome.FAILED
    compares_equal = comparison is not None and not threshold.number
    required = threshold.strict if compares_equal else threshold
    shown = required.reached_by_all(interval) and not measurement.undone_by_missing(required)
    return RequirementOutcome.PASSED if shown else RequirementOutcome.INCONCLUSIVE


def _withdrawn_failures(
    checks: Sequence[Check], outcomes: Sequence[RequirementOutcome], by: Sequence[str | None], level: float
) -> dict[int, int]:
    """Return the failures that Holm's correction withdraws: position -> number of checks in the family.

    Without it a gate with many checks would fail by chance too often; with it a gate over equal runs fails
    in at most 5 % at a level of 95 %. Passing needs no correction, because all checks have to pass.
    """
    withdrawn: dict[int, int] = {}
    for family in {check.family for check in checks} - {None}:
        members = [position for position, check in enumerate(checks) if check.family == family]
        tested = [position for position in members if by[position] == "interval"]
        failed = [position for position in tested if outcomes[position] is RequirementOutcome.FAILED]
        withdrawn |= dict.fromkeys(_holm(checks, failed, len(tested), level), len(members))
    return withdrawn


def _holm(checks: Sequence[Check], failed: list[int], tests: int, level: float) -> list[int]:
    """The failures that remain after Holm's steps, each at the level 1 - (1 - level) / remaining tests."""
    while failed:
        strict = 1 - (1 - level) / tests
        remaining = [position for position in failed if not _fails(checks[position], strict)]
        if len(remaining) == len(failed):
            break
        tests -= len(failed) - len(remaining)
        failed = remaining
    return failed


def _fails(check: Check, level: float) -> bool:
    interval = check.measure(level).interval
    return interval is not None and check.threshold.reached_by_none(interval)
