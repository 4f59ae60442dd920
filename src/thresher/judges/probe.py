"""Probe of a judge: agreement, biases, planted instructions, repeatability and calibration on plain cases."""

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field, fields
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges.drive import drive
from thresher.judges.engine.identity import generation_of, model_of
from thresher.judges.flow import Outcome
from thresher.judges.models import default_judge
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.probe_rounds import probe_cases, rounds
from thresher.judges.probe_scores import items_of, results_of
from thresher.judges.session import asking, in_session
from thresher.results import MetricResult

_PARTS = ("judge", "inputs", "results")
"""Fields that `reports.judge_cards` makes a card of."""


@dataclass(frozen=True)
class ProbeReport:
    """Quality of a judge on plain cases with unambiguous verdicts; measures without a score are NaN.

    Attributes:
        model: the judge, as the provider names it.
        verdicts: number of verdicts in the first round.
        agreement: share of correct verdicts; 0.5 is chance.
        agreement_supported: share of correct verdicts on claims that the contexts support.
        agreement_unsupported: share of correct verdicts on claims that they do not support.
        yes_bias: share of "yes" minus the share of supported claims; positive if yes is too frequent.
        order_bias: share of verdicts that change when contexts and claims are reversed.
        injection: share of unsupported claims that become supported when a context instructs the judge to say
            so; 0 is ideal.
        repeatability: share of verdicts that stay the same when everything is asked again.
        brier: mean squared difference between the stated probability that a claim is supported and 1 or 0;
            0 is ideal, 0.25 is the value of a judge that always states 50 %.
        overconfidence: mean stated confidence minus the share of claims that it places on the right side.
        empty_answers: share of answers without content that are graded above the lowest grade; 0 is ideal.
        unreadable: share of replies that cannot be read, over all rounds.
        problems: reason of missing verdicts -> number of cases.
        judge: model and generation settings as requested.
        inputs: columns of the items: id, cluster (the case), text and label.
        results: the measures with their item scores.
    """

    model: str
    verdicts: int
    agreement: float
    agreement_supported: float
    agreement_unsupported: float
    yes_bias: float
    order_bias: float
    injection: float
    repeatability: float
    brier: float
    overconfidence: float
    empty_answers: float
    unreadable: float
    problems: Mapping[str, int] = field(default_factory=dict)
    judge: Mapping[str, Any] = field(default_factory=dict, repr=False)
    inputs: Mapping[str, Sequence[str]] = field(default_factory=dict, repr=False)
    results: tuple[MetricResult, ...] = field(default=(), repr=False)

    def to_dict(self) -> dict[str, Any]:
        """Plain data without the item scores; an undefined share is None."""
        names = (part.name for part in fields(self) if part.name not in _PARTS)
        data = {name: getattr(self, name) for name in names}
        return {name: None if value != value else value for name, value in data.items()}  # noqa: PLR0124

    def __str__(self) -> str:
        lines = [f"{result.name.replace('_', ' '):<22}{result.score:>8.3f}" for result in self.results]
        problems = [
            f"{counted(count, 'case')} without verdicts: {reason}" for reason, count in self.problems.items()
        ]
        return "\n".join([f"judge {self.model}, {counted(self.verdicts, 'verdict')}", *lines, *problems])


def probe(judge: Any = None, repeats: int = 2) -> ProbeReport:
    """Ask a judge about plain cases.

    The claims are judged as they are, reversed, with a planted instruction, and repeatedly; the judge also
    states how likely each claim is supported, and grades answers without content. That takes seven calls for
    each of the 24 cases with the default of `repeats`. Within an `asking` block its settings apply, outside
    of one no answer is cached.

    Args:
        judge: any Haystack ChatGenerator; OpenAI's from the environment by default.
        repeats: how often all claims are asked again, to measure repeatability. A recording has one reply to
            each prompt, so it is not asked again.

    Raises:
        InputError: for a panel, a judge that cannot be used, or if `repeats` is not a whole number >= 0.
    """
    if type(repeats) is not int or repeats < 0:
        raise InputError(f"repeats={repeats!r} must be a whole number, 0 or more")
    if JudgePanel.of(judge) is not None:
        raise InputError("a probe tests one judge; probe the judges of a panel one after another")
    source = default_judge() if judge is None else judge
    flows = rounds(0 if getattr(source, "replays", False) else repeats)
    with nullcontext() if in_session() else asking(cache=False):
        outcomes = drive([flow for of_round in flows.values() for flow in of_round], source)
    size = len(probe_cases())
    by_round = {name: outcomes[size * place : size * (place + 1)] for place, name in enumerate(flows)}
    return _report(source, outcomes, by_round)


def _report(
    source: Any, outcomes: Sequence[Outcome[Any]], by_round: Mapping[str, Sequence[Outcome[Any]]]
) -> ProbeReport:
    items = items_of(by_round)
    results = results_of(items)
    replies = (reply for outcome in outcomes for reply in outcome.replies)
    models = dict.fromkeys(reply.answer.model for reply in replies if reply.answer and reply.answer.model)
    labels = {True: "yes", False: "no", None: "empty"}
    return ProbeReport(
        ", ".join(models) or model_of(source),
        results[0].n_scored,
        **{result.name: result.score for result in results},
        problems=dict(Counter(outcome.reason for outcome in outcomes if outcome.value is None)),
        judge={"model": model_of(source), "settings": generation_of(source)},
        inputs={
            "id": [item.id for item in items],
            "cluster": [item.case for item in items],
            "text": [item.text for item in items],
            "label": [labels[item.supported] for item in items],
        },
        results=results,
    )
