"""What judged metrics share: a flow for each item, one way of running them, and results with evidence."""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from thresher.judges import Flow, Outcome, Unanswered, Verdict, drive, drive_async, prompt
from thresher.judges.engine.identity import generation_of, model_of
from thresher.judges.models import default_judge
from thresher.judges.steps import MAX_ASKS
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.items import Items, outputs, settings
from thresher.results import Measure, MetricResult, Signature, Statistics, Status
from thresher.results.measure import Direction
from thresher.results.planted import FOUND_IN_DATA
from thresher.results.valor import ValorMetric

C = TypeVar("C")
P = ParamSpec("P")
Outputs = dict[str, Any]

POLICIES = {"zero": 0.0, "one": 1.0}


@dataclass(frozen=True)
class JudgedItem:
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
class JudgeJob:
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
        measures: what is reported beside the score; their columns are counts that every item keeps.
        further: makes the outputs that the component has beside those of all metrics.
    """

    items: Items
    flows: Sequence[Flow[Any]]
    prompts: Sequence[str]
    counts: Sequence[str]
    valor: str = ""
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    options: Mapping[str, Any] = field(default_factory=dict)
    finish: Callable[[Sequence[Outcome[Any]]], Sequence[Outcome[JudgedItem]]] = tuple
    measures: Sequence[ExtraMeasure] = ()
    further: Callable[[MetricResult], Outputs] | None = None


def judged(work_of: Callable[Concatenate[C, P], JudgeJob]) -> Callable[Concatenate[C, P], Outputs]:
    """Decorate `run`, below its output types: what it hands over is judged, and it returns the outputs.

    Haystack reads the sockets of `run` and `run_async` from their signatures: both have those that are
    written once.
    """

    @wraps(work_of)
    def run(self: C, /, *args: P.args, **kwargs: P.kwargs) -> Outputs:
        return judge(self, work_of(self, *args, **kwargs))

    _tell_outputs(run)
    return run


def judged_async(
    run: Callable[Concatenate[C, P], Outputs],
) -> Callable[Concatenate[C, P], Coroutine[Any, Any, Outputs]]:
    """The `run_async` of a component whose `run` is `judged`: the same without blocking the event loop."""
    work_of: Callable[Concatenate[C, P], JudgeJob] = inspect.unwrap(run)

    @wraps(run)
    async def run_async(self: C, /, *args: P.args, **kwargs: P.kwargs) -> Outputs:
        return await judge_async(self, work_of(self, *args, **kwargs))

    run_async.__name__, run_async.__doc__ = "run_async", "As `run`, without blocking the event loop."
    run_async.__qualname__ = f"{run.__qualname__}_async"
    return run_async


def judge(component: Any, work: JudgeJob) -> Outputs:
    """Judge and wait."""
    ended = drive(work.flows, component.chat_generator, places=work.items.present)
    return _outputs(component, work, work.finish(ended))


async def judge_async(component: Any, work: JudgeJob) -> Outputs:
    """Judge without blocking the running event loop."""
    ended = await drive_async(work.flows, component.chat_generator, places=work.items.present)
    return _outputs(component, work, await asyncio.to_thread(work.finish, ended))


def score_by_policy(policy: str, reason: str, counts: Sequence[str]) -> JudgedItem:
    """What an item gets that leaves nothing to judge: the policy's value, or no score.

    Raises:
        Unanswered: as undefined, if that is the policy.
    """
    if policy not in POLICIES:
        raise Unanswered(Status.UNDEFINED, reason)
    return JudgedItem(POLICIES[policy], dict.fromkeys(counts, 0.0), {"note": f"{reason}: counts as {policy}"})


def verdict_evidence(things: Mapping[str, str], verdicts: Mapping[str, Verdict]) -> list[dict[str, str]]:
    """Judged things with their verdicts and reasons, as evidence."""
    return [
        {"id": id_, "text": text, "verdict": verdicts[id_].label, "reason": verdicts[id_].reason}
        for id_, text in things.items()
        if id_ in verdicts
    ]


def count_label(verdicts: Mapping[str, Verdict], label: str) -> int:
    """How many verdicts have this label."""
    return sum(verdict.label == label for verdict in verdicts.values())


def _tell_outputs(run: Callable[..., Outputs]) -> None:
    """Who looks at the method sees what it returns, not what was written to be judged."""
    run.__annotations__ = {**run.__annotations__, "return": Outputs}
    told = inspect.signature(run).replace(return_annotation=Outputs)
    setattr(run, "__signature__", told)  # noqa: B010  # functions have it, their type does not


def _outputs(component: Any, work: JudgeJob, outcomes: Sequence[Outcome[JudgedItem]]) -> Outputs:
    result = _result(component, work, outcomes)
    further = {} if work.further is None else work.further(result)
    return {**outputs(result), **further}


def _result(component: Any, work: JudgeJob, outcomes: Sequence[Outcome[JudgedItem]]) -> MetricResult:
    items = work.items
    columns = {name: np.zeros(items.size) for name in ("score", *work.counts)}
    evidence: list[dict[str, Any] | None] = [None] * items.size
    for item, outcome in zip(items.present, outcomes, strict=True):
        found = outcome.value
        evidence[item] = {
            **({} if found is None else found.evidence),
            **_in_data(outcome),
            "replies": [reply.evidence() for reply in outcome.replies],
        }
        if found is None:
            items.leave_out(item, outcome.status, outcome.reason)
            continue
        columns["score"][item] = found.score
        for name in work.counts:
            columns[name][item] = found.counts[name]
    headline = _measure(component, work)
    measures = [headline, *(extra.beside(headline) for extra in work.measures)]
    return MetricResult(measures, Statistics(columns), items.status, items.reasons, evidence)


def _in_data(outcome: Outcome[Any]) -> dict[str, int]:
    """How many verdicts did not count because the judge repeated them from the data, healed ones too."""
    repeated = sum(len(reply.doubts) for reply in outcome.replies)
    return {FOUND_IN_DATA: repeated} if repeated else {}


def _measure(component: Any, work: JudgeJob) -> Measure:
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
