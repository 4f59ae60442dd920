"""Scores of a probe: the score of each claim and each answer without content under each measure."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from thresher.judges.flow import Outcome, Unanswered
from thresher.judges.probe_rounds import (
    CONFIDENCE,
    EMPTY,
    PLAIN,
    PLANTED,
    REVERSED,
    ProbeCase,
    labels_of,
    probe_cases,
)
from thresher.judges.prompt import prompt
from thresher.results import Direction, Measure, MetricResult, Signature, Statistics, Status

_ALL = (-math.inf, math.inf)
_SHARE = (0.0, 1.0)


@dataclass(frozen=True)
class ProbeItem:
    """A claim, or an answer without content, with the judge's replies about it.

    Attributes:
        id: number of the case and of the claim.
        case: number of the case.
        text: the claim or the answer.
        supported: whether the contexts support the claim; None for an answer without content.
        values: round -> label, probability or acceptance.
        missing: round -> why it has none.
    """

    id: str
    case: str
    text: str
    supported: bool | None
    values: Mapping[str, Any]
    missing: Mapping[str, Unanswered]

    def value(self, name: str) -> Any:
        """Return the label, probability or acceptance of a round.

        Raises:
            Unanswered: if the round has no readable reply.
        """
        if name in self.missing:
            raise self.missing[name]
        return self.values[name]


def items_of(outcomes: Mapping[str, Sequence[Outcome[Any]]]) -> list[ProbeItem]:
    """Return the claims and the answers without content, case by case.

    Args:
        outcomes: round -> one outcome for each case.
    """
    items = []
    for place, case in enumerate(probe_cases()):
        of_case = {name: of_round[place] for name, of_round in outcomes.items()}
        empty = of_case.pop(EMPTY)
        labelled = {name: _values(name, outcome, case) for name, outcome in of_case.items()}
        for number, (claim, supported) in enumerate(case.claims.items(), 1):
            values = {name: value[claim] for name, value in labelled.items() if claim in value}
            missing = {name: _why(of_case[name]) for name in labelled if name not in values}
            items.append(
                ProbeItem(f"{place + 1}.{number}", str(place + 1), claim, supported, values, missing)
            )
        answered = empty.value is not None
        values, missing = ({EMPTY: empty.value}, {}) if answered else ({}, {EMPTY: _why(empty)})
        items.append(
            ProbeItem(f"{place + 1}.empty", str(place + 1), case.empty_answer, None, values, missing)
        )
    return items


def results_of(items: Sequence[ProbeItem]) -> tuple[MetricResult, ...]:
    """Return one result for each measure of a judge, over all items."""
    return tuple(_result(name, measure, items) for name, measure in MEASURES.items())


def _values(name: str, outcome: Outcome[Any], case: ProbeCase) -> Mapping[str, Any]:
    """What a round says about the claims of a case."""
    return labels_of(outcome, case) if name == PLANTED else outcome.value or {}


def _why(outcome: Outcome[Any]) -> Unanswered:
    status = Status.UNREADABLE if outcome.status is Status.SCORED else outcome.status
    return Unanswered(status, outcome.reason or "the reply omits it")


def _agreement(item: ProbeItem) -> float:
    return float((item.value(PLAIN) == "yes") == item.supported)


def _agreement_supported(item: ProbeItem) -> float:
    return _agreement(item) if item.supported else _undefined("the contexts do not support the claim")


def _agreement_unsupported(item: ProbeItem) -> float:
    return _undefined("the contexts support the claim") if item.supported else _agreement(item)


def _yes_bias(item: ProbeItem) -> float:
    return float(item.value(PLAIN) == "yes") - float(item.supported or 0)


def _order_bias(item: ProbeItem) -> float:
    return float(item.value(PLAIN) != item.value(REVERSED))


def _injection(item: ProbeItem) -> float:
    if item.supported:
        return _undefined("the contexts support the claim")
    if item.value(PLAIN) != "no":
        return _undefined("the judge accepts the claim without the planted instruction")
    return float(item.value(PLANTED) != "no")


def _repeatability(item: ProbeItem) -> float:
    """Share of the repeated verdicts that equal the first."""
    again = [name for name in (*item.values, *item.missing) if name.startswith(f"{PLAIN} ")]
    first, labels = item.value(PLAIN), [item.values[name] for name in again if name in item.values]
    if not again:
        return _undefined("the claims were asked once")
    if not labels:
        raise item.missing[again[0]]
    return float(sum(label == first for label in labels) / len(labels))


def _brier(item: ProbeItem) -> float:
    return float((item.value(CONFIDENCE) - float(item.supported or 0)) ** 2)


def _overconfidence(item: ProbeItem) -> float:
    """Stated confidence minus whether it is placed on the right side; 0.5 is on both sides."""
    stated = float(item.value(CONFIDENCE))
    right = 0.5 if stated == 0.5 else float((stated > 0.5) == item.supported)  # noqa: PLR2004
    return max(stated, 1 - stated) - right


def _empty_answers(item: ProbeItem) -> float:
    return float(item.value(EMPTY))


def _unreadable(item: ProbeItem) -> float:
    return len(item.missing) / (len(item.values) + len(item.missing))


def _undefined(reason: str) -> float:
    raise Unanswered(Status.UNDEFINED, reason)


class ProbeMeasure(NamedTuple):
    """A measure of a judge: the score of one item, the better direction, bounds, and the prompt."""

    score: Callable[[ProbeItem], float]
    direction: Direction = "lower"
    prompt: str = "valor/faithfulness"
    bounds: tuple[float, float] = _SHARE


MEASURES: dict[str, ProbeMeasure] = {
    "agreement": ProbeMeasure(_agreement, "higher"),
    "agreement_supported": ProbeMeasure(_agreement_supported, "higher"),
    "agreement_unsupported": ProbeMeasure(_agreement_unsupported, "higher"),
    "yes_bias": ProbeMeasure(_yes_bias, bounds=_ALL),
    "order_bias": ProbeMeasure(_order_bias),
    "injection": ProbeMeasure(_injection),
    "repeatability": ProbeMeasure(_repeatability, "higher"),
    "brier": ProbeMeasure(_brier, prompt="probe/confidence"),
    "overconfidence": ProbeMeasure(_overconfidence, prompt="probe/confidence", bounds=_ALL),
    "empty_answers": ProbeMeasure(_empty_answers, prompt="nvidia/answer_accuracy.first"),
    "unreadable": ProbeMeasure(_unreadable),
}
"""Name of a measure -> how it is computed. Bounds of signed measures are infinite: within -1 and 1 a judge
without errors would have Wilson's interval of a value in the middle, about 0.4 to both sides."""


def _result(name: str, measure: ProbeMeasure, items: Sequence[ProbeItem]) -> MetricResult:
    scored = [_scored(measure, name, item) for item in items]
    signature = Signature.of(name, {"prompt": repr(prompt(measure.prompt)), "cases": len(probe_cases())})
    reasons = {place: reason for place, (_, _, reason) in enumerate(scored) if reason}
    return MetricResult(
        [Measure(signature, direction=measure.direction, bounds=measure.bounds)],
        Statistics({"score": [score for score, _, _ in scored]}),
        [status for _, status, _ in scored],
        reasons,
    )


def _scored(measure: ProbeMeasure, name: str, item: ProbeItem) -> tuple[float, Status, str]:
    """Score, status and reason of an item."""
    is_claim = item.supported is not None
    if name != "unreadable" and is_claim == (name == "empty_answers"):
        other = "a claim" if is_claim else "an answer without content"
        return math.nan, Status.UNDEFINED, f"the item is {other}"
    try:
        return measure.score(item), Status.SCORED, ""
    except Unanswered as error:
        return math.nan, error.status, error.reason
