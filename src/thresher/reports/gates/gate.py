"""Deciding whether a run may pass."""

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy as np

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, checked_level
from thresher.reports.comparison import Verdicts
from thresher.reports.gates.checks import Check, checks_of
from thresher.reports.gates.deciding import Verdict, decide
from thresher.reports.gates.decision import Decision, Outcome
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.parsing import parse
from thresher.reports.gates.requirement import Quantity, Requirement
from thresher.reports.gates.sentences import sentence
from thresher.reports.gates.sides import Sides, UndecidableError
from thresher.reports.gates.worst import worst_items
from thresher.reports.margins import Margins
from thresher.reports.run_data import RunData

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
    decisions = _decisions(parsed, sides, checked_level(level), by_value=decide_by == "value")
    everything = any(each.quantity is Quantity.NO_REGRESSION and not each.metrics for each in parsed)
    notes = [*sides.notes, *(sides.untested if everything and baseline is not None else [])]
    names = (run.name or "run", None if baseline is None else baseline.name or "baseline")
    return GateOutcome(*names, len(run), tuple(decisions), tuple(notes), decide_by, level)


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
    decisions = [_undecided(parse(text), reason) for text in requirements]
    return GateOutcome(run, None, 0, tuple(decisions))


def _decisions(
    requirements: Sequence[Requirement], sides: Sides, level: float, *, by_value: bool
) -> list[Decision]:
    asked: list[tuple[Requirement, list[Check] | str]] = [
        (requirement, _checks(requirement, sides)) for requirement in requirements
    ]
    every = [check for _, checks in asked if not isinstance(checks, str) for check in checks]
    verdicts = iter(decide(every, level=level, by_value=by_value))
    decisions = []
    for requirement, checks in asked:
        if isinstance(checks, str):
            decisions.append(_undecided(requirement, checks))
        else:
            decisions += [_decision(next(verdicts), sides) for _ in checks]
    return decisions


def _checks(requirement: Requirement, sides: Sides) -> list[Check] | str:
    """The checks of a requirement, or why there are none."""
    try:
        checks = list(checks_of(requirement, sides))
    except UndecidableError as error:
        return str(error)
    return _unfinished(sides, requirement) or checks


def _unfinished(sides: Sides, requirement: Requirement) -> str:
    named = {"the run": sides.run, "the baseline": sides.baseline if requirement.needs_baseline else None}
    for name, run in named.items():
        if run is not None and not run.provenance.get("complete", True):
            return (
                f"{name} is unfinished: {len(run)} of {run.provenance['items']} items are done; run it again"
            )
    return ""


def _undecided(requirement: Requirement, reason: str) -> Decision:
    about = ", ".join(requirement.metrics) or "the primary measures"
    return Decision(requirement.text, about, Outcome.UNDECIDED, f"{about}: {reason.rstrip('.')}.")


def _decision(verdict: Verdict, sides: Sides) -> Decision:
    check, found = verdict.check, verdict.found
    result = sides.run.metrics[check.metric].result
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
        scored=int(np.count_nonzero(result.scored & check.items)),
        items=int(np.count_nonzero(check.items)),
        worst=() if passed else worst_items(check, sides),
    )
