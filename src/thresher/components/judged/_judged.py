"""What judged metrics share: a flow for each item, one way of running them, and results with evidence."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from thresher.components._contract import Items, outputs, settings
from thresher.judges import Flow, Outcome, Unanswered, Verdict, drive, drive_async, prompt
from thresher.judges.engine.identity import generation_of, model_of
from thresher.judges.models import default_judge
from thresher.judges.steps import MAX_ASKS
from thresher.results import Measure, MetricResult, Signature, Statistics, Status
from thresher.results.measure import Direction
from thresher.results.valor import ValorMetric

POLICIES = {"zero": 0.0, "one": 1.0}


@dataclass(frozen=True)
class Judged:
    """What the flow of one item returns.

    Attributes:
        score: the item's score.
        counts: what the score was computed from, by the names that the metric declares.
        evidence: verdicts and reasons, as plain data.
    """

    score: float
    counts: Mapping[str, float]
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class Work:
    """Everything that a component hands over to be judged.

    Attributes:
        items: all items, with those left out that lack an input.
        flows: one flow for each item that is present, in order; each returns what is judged of it, or what
            `finish` makes that of.
        prompts: names of the prompts that the flows may use.
        counts: names of the counts that every item keeps.
        valor: Valor's name of the metric; empty where Valor has none like it.
        direction: whether higher or lower is better.
        bounds: lowest and highest possible score.
        options: what the signature tells of options whose values do not print, e.g. models.
        finish: what is left to do without a judge when the flows have ended, for all items at once. It may
            take its time, e.g. for embeddings.
    """

    items: Items
    flows: Sequence[Flow[Any]]
    prompts: Sequence[str]
    counts: Sequence[str]
    valor: str = ""
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    options: Mapping[str, Any] = field(default_factory=dict)
    finish: Callable[[Sequence[Outcome[Any]]], Sequence[Outcome[Judged]]] = tuple


def judged(component: Any, work: Work) -> dict[str, Any]:
    """Judge and wait: the outputs of `run`."""
    outcomes = work.finish(drive(work.flows, component.chat_generator))
    return outputs(_result(component, work, outcomes))


async def judged_async(component: Any, work: Work) -> dict[str, Any]:
    """Judge without blocking the running event loop: the outputs of `run_async`."""
    ended = await drive_async(work.flows, component.chat_generator)
    outcomes = await asyncio.to_thread(work.finish, ended)
    return outputs(_result(component, work, outcomes))


def by_policy(policy: str, reason: str, counts: Sequence[str]) -> Judged:
    """What an item gets that leaves nothing to judge: the policy's value, or no score.

    Raises:
        Unanswered: as undefined, if that is the policy.
    """
    if policy not in POLICIES:
        raise Unanswered(Status.UNDEFINED, reason)
    return Judged(POLICIES[policy], dict.fromkeys(counts, 0.0), {"note": f"{reason}: counts as {policy}"})


def told(things: Mapping[str, str], verdicts: Mapping[str, Verdict]) -> list[dict[str, str]]:
    """Judged things with their verdicts and reasons, as evidence."""
    return [
        {"id": id_, "text": text, "verdict": verdicts[id_].label, "reason": verdicts[id_].reason}
        for id_, text in things.items()
        if id_ in verdicts
    ]


def count(verdicts: Mapping[str, Verdict], label: str) -> int:
    """How many verdicts have this label."""
    return sum(verdict.label == label for verdict in verdicts.values())


def _result(component: Any, work: Work, outcomes: Sequence[Outcome[Judged]]) -> MetricResult:
    items = work.items
    columns = {name: np.zeros(items.size) for name in ("score", *work.counts)}
    evidence: list[dict[str, Any] | None] = [None] * items.size
    for item, outcome in zip(items.present, outcomes, strict=True):
        found = outcome.value
        evidence[item] = {
            **({} if found is None else found.evidence),
            "replies": [reply.evidence() for reply in outcome.replies],
        }
        if found is None:
            items.leave_out(item, outcome.status, outcome.reason)
            continue
        columns["score"][item] = found.score
        for name in work.counts:
            columns[name][item] = found.counts[name]
    return MetricResult(
        [_measure(component, work)], Statistics(columns), items.status, items.reasons, evidence
    )


def _measure(component: Any, work: Work) -> Measure:
    """The measure, whose signature tells options, judge, generation settings and prompts."""
    judge = default_judge() if component.chat_generator is None else component.chat_generator
    generation = [f"{name}={value}" for name, value in sorted(generation_of(judge).items())]
    told_settings = settings(component, "chat_generator") | {
        **work.options,
        "judge": model_of(judge),
        "generation": generation,
        "prompts": [repr(prompt(name)) for name in work.prompts],
    }
    parameters = (("evaluator", model_of(judge)), ("retries", MAX_ASKS - 1))
    valor = ValorMetric(work.valor, parameters) if work.valor else None
    return Measure(
        Signature.of(component.name, told_settings),
        direction=work.direction,
        bounds=work.bounds,
        valor=valor,
    )
