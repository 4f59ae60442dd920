"""Deciding whether a run may pass."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, checked_level
from thresher.reports.comparisons.comparison_report import Verdicts
from thresher.reports.comparisons.margins import Margins
from thresher.reports.gates.checks import Check, checks_of
from thresher.reports.gates.deciding import Verdict, decide
from thresher.reports.gates.decision import Decision, Outcome
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.parsing import parse
from thresher.reports.gates.requirement import Quantity, Requirement
from thresher.reports.gates.sentences import sentence
from thresher.reports.gates.shortfall import Allowance, checked_share, shortfall
from thresher.reports.gates.sides import Sides, UndecidableError
from thresher.reports.gates.worst import worst_items
from thresher.reports.runs.completeness import unfinished_sentence
from thresher.reports.runs.run_data import RunData

DecideBy = Literal["interval", "value"]
CHOICES: tuple[str, ...] = get_args(DecideBy)


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
        requirements: what it has to reach, e.g. `faithfulness>=0.8`; see `thresher.reports.gates.parsing`.
        baseline: the run that `baseline` and `no-regression` mean.
        decide_by: `interval` passes what is shown and fails what is refuted, the rest is inconclusive;
            `value` lets the value decide as if it were certain.
        level: of the intervals, 0.5 to 1.
        cluster: name of the input column that says which items belong together; without, the column
            `cluster` if there is one. An empty name takes items as independent.
        repeats: name of the input column that says which items repeat one another; without, the column
            `repeat_of` if there is one. Repeats are averaged first.
        verdicts: `comparable` decides nothing where settings or data differ between the runs; `always` does.
        margins: metric -> how much worse it may be, for `no-regression` without `within`.
        margin: the same for all metrics that `margins` does not name.
        allow_missing: share of the scores, 0 to 1 or as `2%`, that may be missing; see
            `thresher.reports.gates.shortfall`. A requirement of a coverage decides for its metric instead.

    Raises:
        InputError: for a requirement that cannot be read, an unknown metric, column or option, and for a
            margin that no requirement uses.
    """
    texts = [requirements] if isinstance(requirements, str) else list(requirements)
    if not texts:
        raise InputError("a gate needs requirements; give one or more, e.g. faithfulness>=0.8")
    if decide_by not in CHOICES:
        raise InputError(f"decide_by={decide_by!r} is unknown; choose one of {', '.join(CHOICES)}")
    if verdicts not in ("comparable", "always"):
        raise InputError(f"verdicts={verdicts!r} is unknown; choose comparable or always")
    parsed = [parse(text) for text in texts]
    sides = Sides(
        run,
        baseline,
        cluster,
        repeats,
        verdicts == "always",
        _margins(parsed, run, baseline, margins, margin),
    )
    allowance = Allowance.of(checked_share(allow_missing), parsed)
    decisions = _decisions(parsed, sides, allowance, checked_level(level), by_value=decide_by == "value")
    everything = any(each.quantity is Quantity.NO_REGRESSION and not each.metrics for each in parsed)
    unfinished = [unfinished_sentence(each) for each in (run, baseline) if each is not None]
    untested = sides.untested if everything and baseline is not None else []
    notes = [*filter(None, unfinished), *sides.notes, *untested]
    names = (run.name or "run", None if baseline is None else baseline.name or "baseline")
    return GateOutcome(*names, len(run), tuple(decisions), tuple(notes), decide_by, level, allowance.share)


def _margins(
    requirements: Sequence[Requirement],
    run: RunData,
    baseline: RunData | None,
    margins: Mapping[str, float] | None,
    margin: float | None,
) -> Margins:
    """The margins of `no-regression` without `within`; an error where nothing would use them."""
    metrics = [*run.metrics, *(() if baseline is None else baseline.metrics)]
    checked = Margins.checked(margins, margin, metrics)
    used = any(each.quantity is Quantity.NO_REGRESSION and each.bar is None for each in requirements)
    if (margins or margin is not None) and not used:
        raise InputError("a margin is given, but no requirement is `no-regression` without `within`")
    return checked


def undecided(run: str, requirements: Sequence[str], reason: str) -> GateOutcome:
    """The outcome where there is nothing to hold against requirements, e.g. a run that cannot be read.

    Args:
        run: what to call the run.
        requirements: what it should have reached.
        reason: why nothing was decided.

    Raises:
        InputError: for a requirement that cannot be read.
    """
    decisions = [_open(parse(text), reason) for text in requirements]
    return GateOutcome(run, None, 0, tuple(decisions))


def _decisions(
    requirements: Sequence[Requirement], sides: Sides, allowance: Allowance, level: float, *, by_value: bool
) -> list[Decision]:
    """One decision for each check; checks that lack scores are not decided, nor corrected for."""
    checks = [(requirement, _checks(requirement, sides)) for requirement in requirements]
    asked = [(requirement, check) for requirement, each in checks for check in each]
    short = [check if isinstance(check, str) else shortfall(check, sides, allowance) for _, check in asked]
    decidable = [check for (_, check), why in zip(asked, short, strict=True) if not why]
    decided = decide([each for each in decidable if isinstance(each, Check)], level=level, by_value=by_value)
    verdicts = iter(decided)
    return [
        _undecided(requirement, why, sides, check) if why else _decision(next(verdicts), sides)
        for (requirement, check), why in zip(asked, short, strict=True)
    ]


def _checks(requirement: Requirement, sides: Sides) -> Sequence[Check | str]:
    """The checks of a requirement, or why there are none."""
    try:
        return list(checks_of(requirement, sides))
    except UndecidableError as error:
        return [str(error)]


def _undecided(requirement: Requirement, reason: str, sides: Sides, check: Check | str) -> Decision:
    if isinstance(check, Check):
        return _open(requirement, reason, check.subject, **_counts(check, sides))
    return _open(requirement, reason)


def _open(
    requirement: Requirement, reason: str, about: str = "", *, scored: int = 0, items: int = 0
) -> Decision:
    """A decision that could not be made."""
    about = about or ", ".join(requirement.metrics) or "the primary measures"
    sentence = f"{about}: {reason.rstrip('.')}."
    return Decision(requirement.text, about, Outcome.UNDECIDED, sentence, scored=scored, items=items)


def _counts(check: Check, sides: Sides) -> dict[str, int]:
    """Items that a check is about, and those of them that have a score."""
    scored = sides.run.metrics[check.metric].result.scored & check.items
    return {"scored": int(np.count_nonzero(scored)), "items": int(np.count_nonzero(check.items))}


def _decision(verdict: Verdict, sides: Sides) -> Decision:
    check, found = verdict.check, verdict.found
    passed = verdict.outcome is Outcome.PASSED
    return Decision(
        requirement=check.requirement.text,
        subject=check.subject,
        outcome=verdict.outcome,
        sentence=sentence(verdict),
        value=found.own,
        baseline=found.other,
        difference=None if found.other is None else found.value,
        interval=found.interval,
        bar=verdict.bar.number + 0.0,
        decided_by=verdict.decided_by,
        counted=found.counted,
        worst=() if passed else worst_items(check, sides),
        **_counts(check, sides),
    )
