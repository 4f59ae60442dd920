"""Metrics that ask a judge: one flow per item, and a result with the judge's words as evidence.

A judged metric derives from `JudgedMetric`. Its `run`, decorated with `@judged`, reads the inputs and returns
a `JudgeJob`; `run_async = judged_async(run)` runs the same job without blocking the event loop.
"""

import asyncio
import inspect
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, field
from functools import wraps
from pathlib import Path
from typing import Any, Concatenate, ParamSpec, TypeVar

import numpy as np

from thresher.judges import JudgeVerdict, Outcome, Unanswered, drive, drive_async
from thresher.judges.engine.identity import generation_of, model_of
from thresher.judges.image_slots import without_images
from thresher.judges.models import default_judge
from thresher.judges.panels.judge_panel import JudgePanel
from thresher.judges.session import current_session
from thresher.judges.steps import MAX_ASKS
from thresher.judges.template_packs import Templates
from thresher.metrics.items import outputs, settings
from thresher.metrics.judge_job import JudgedItem, JudgeJob, check_flows, check_outcomes, prompt_of
from thresher.metrics.judge_panels import PanelJob, SingleJudge
from thresher.metrics.judges_option import Judges
from thresher.metrics.options import UNDEFINED_SCORES, BestOrMean, Undefined
from thresher.metrics.own_words import OwnWords, read_words, steps_of
from thresher.results import Measure, MetricResult, Signature, Status
from thresher.results.planted import FOUND_IN_DATA
from thresher.results.valor import ValorMetric

M = TypeVar("M", bound="JudgedMetric")
P = ParamSpec("P")
Outputs = dict[str, Any]
_SIGNED_IF_SET = ("spans", "earlier_steps", "each_of", "no_entries")
"""Options that the signature names only if they are set."""


@dataclass(eq=False, repr=False, kw_only=True)
class JudgedMetric:
    """Base of metrics that ask a judge; `@metric` completes a class derived from it.

    Attributes:
        chat_generator: the judge; None for OpenAI's, configured by the environment; or several judges that
            vote, a list or a `JudgePanel`. The only option that may be given by position.
        templates: own words for its prompts: name of a prompt -> template, or a folder; the texts once read.
        labels: label of a reply -> word for it in the templates.
        name: name of the measure; a derived class gives the default.
    """

    chat_generator: Judges | None = field(default=None, kw_only=False)
    templates: Mapping[str, Any] | str | Path | None = None
    labels: Mapping[Any, str] | None = None
    name: str

    @property
    def template_names(self) -> list[str]:
        """Names of the prompts that the metric may ask, which `templates` may replace."""
        return [*steps_of(self, self._job)]

    def use_templates(self, templates: Templates, labels: Mapping[Any, str] | None = None) -> None:
        """Use own words for the prompts; words for other prompts, set earlier, stay.

        Args:
            templates: as the option.
            labels: as the option.

        Raises:
            InputError: as the constructor.
        """
        words, earlier = read_words(self, self._job, templates, labels), self.own_words
        if earlier.templates:
            both = {**earlier.templates, **words.templates}, {**earlier.labels, **words.labels}
            words = read_words(self, self._job, *both)
        self._use(words)

    def _constructed(self) -> None:
        """Read and check own words, once all options are set."""
        self._use(read_words(self, self._job, self.templates, self.labels))

    def _use(self, words: OwnWords) -> None:
        self.own_words = words
        self.templates, self.labels = dict(words.templates) or None, dict(words.labels) or None

    def _job(self, **columns: Any) -> JudgeJob:
        """The job of a run with these columns, unsent; a class whose `run` is not `judged` overrides it."""
        job: JudgeJob = inspect.unwrap(type(self).run)(self, **columns)  # type: ignore[attr-defined]
        return job


def judged(job_of: Callable[Concatenate[M, P], JudgeJob]) -> Callable[Concatenate[M, P], Outputs]:
    """Decorate `run` of a judged metric: the job that it returns is run, and the outputs are returned.

    Haystack reads the inputs of `run` and `run_async` from their signatures, so they are written once.
    """

    @wraps(job_of)
    def run(self: M, /, *args: P.args, **kwargs: P.kwargs) -> Outputs:
        return run_job(self, job_of(self, *args, **kwargs), lambda: job_of(self, *args, **kwargs))

    _show_outputs(run)
    return run


def judged_async(
    run: Callable[Concatenate[M, P], Outputs],
) -> Callable[Concatenate[M, P], Coroutine[Any, Any, Outputs]]:
    """The `run_async` of a metric whose `run` is `judged`: the same without blocking the event loop."""
    job_of: Callable[Concatenate[M, P], JudgeJob] = inspect.unwrap(run)

    @wraps(run)
    async def run_async(self: M, /, *args: P.args, **kwargs: P.kwargs) -> Outputs:
        job = job_of(self, *args, **kwargs)
        return await run_job_async(self, job, lambda: job_of(self, *args, **kwargs))

    run_async.__name__, run_async.__doc__ = "run_async", "As `run`, without blocking the event loop."
    run_async.__qualname__ = f"{run.__qualname__}_async"
    return run_async


def run_job(metric: JudgedMetric, job: JudgeJob, again: Callable[[], JudgeJob] | None = None) -> Outputs:
    """Ask the judge and wait for all items.

    Args:
        metric: the metric.
        job: what it asks.
        again: makes an equal job; a panel of judges needs it.

    Raises:
        InputError: for a panel without `again`.
    """
    poll = _poll(metric, job, again)
    ended = drive(poll.flows, metric.chat_generator, places=job.items.present)
    return _outputs(metric, job, poll.judged(ended), poll)


async def run_job_async(
    metric: JudgedMetric, job: JudgeJob, again: Callable[[], JudgeJob] | None = None
) -> Outputs:
    """Ask the judge without blocking the running event loop; see `run_job`."""
    poll = _poll(metric, job, again)
    ended = await drive_async(poll.flows, metric.chat_generator, places=job.items.present)
    return _outputs(metric, job, await asyncio.to_thread(poll.judged, ended), poll)


def _poll(metric: JudgedMetric, job: JudgeJob, again: Callable[[], JudgeJob] | None) -> SingleJudge:
    check_flows(job)
    panel = JudgePanel.of(metric.chat_generator)
    poll = SingleJudge(job) if panel is None else PanelJob(job, panel, again)
    poll.flows = metric.own_words.applied(poll.flows)  # votes have the metric's labels, whatever the words
    return poll


def score_by_policy(policy: Undefined, reason: str, counts: Sequence[str]) -> JudgedItem:
    """The score of an item that leaves nothing to judge: 0 for `zero`, 1 for `one`.

    Raises:
        Unanswered: for `skip`, as undefined with the reason.
    """
    score = UNDEFINED_SCORES[policy]
    if score is None:
        raise Unanswered(Status.UNDEFINED, reason)
    return JudgedItem(score, dict.fromkeys(counts, 0.0), {"note": f"{reason}: counts as {policy}"})


def combine_references(judged_items: Sequence[JudgedItem], references: BestOrMean) -> JudgedItem:
    """Combine what an item scores with each of its references.

    Args:
        judged_items: one per reference, at least one.
        references: the highest score (`max`) or the `mean` is the item's score. The best reference sets the
            counts.
    """
    best = max(judged_items, key=lambda judged_item: judged_item.score)
    mean = sum(judged_item.score for judged_item in judged_items) / len(judged_items)
    evidence = {"references": [dict(judged_item.evidence) for judged_item in judged_items]}
    return JudgedItem(best.score if references == "max" else mean, best.counts, evidence)


def verdict_evidence(texts: Mapping[str, str], verdicts: Mapping[str, JudgeVerdict]) -> list[dict[str, str]]:
    """The judged texts with their verdicts and reasons, as evidence."""
    return [
        {"id": id_, "text": text, "verdict": verdicts[id_].label, "reason": verdicts[id_].reason}
        for id_, text in texts.items()
        if id_ in verdicts
    ]


def count_label(verdicts: Mapping[str, JudgeVerdict], label: str) -> int:
    """Number of verdicts with a label."""
    return sum(verdict.label == label for verdict in verdicts.values())


def _show_outputs(run: Callable[..., Outputs]) -> None:
    """Make introspection report the component's outputs instead of `JudgeJob`."""
    run.__annotations__ = {**run.__annotations__, "return": Outputs}
    shown = inspect.signature(run).replace(return_annotation=Outputs)
    setattr(run, "__signature__", shown)  # noqa: B010  # functions have it, their type does not


def _outputs(
    metric: JudgedMetric, job: JudgeJob, outcomes: Sequence[Outcome[JudgedItem]], poll: SingleJudge
) -> Outputs:
    result = _result(metric, job, outcomes, poll)
    further = {} if job.further is None else job.further(result)
    return {**outputs(result), **further}


def _result(
    metric: JudgedMetric, job: JudgeJob, outcomes: Sequence[Outcome[JudgedItem]], poll: SingleJudge
) -> MetricResult:
    check_outcomes(job, outcomes)
    items = job.items
    columns = {name: np.zeros(items.size) for name in ("score", *job.counts)}
    evidence: list[dict[str, Any] | None] = [None] * items.size
    for item, outcome in zip(items.present, outcomes, strict=True):
        judgement = outcome.value
        words = {
            **({} if judgement is None else judgement.evidence),
            **_in_data(outcome),
            **poll.evidence(item),
        }
        if any(reply.ask.images for reply in outcome.replies):
            words = without_images(words)
        evidence[item] = {**words, "replies": [poll.reply_evidence(reply) for reply in outcome.replies]}
        if judgement is None:
            items.leave_out(item, outcome.status, outcome.reason)
            continue
        columns["score"][item] = judgement.score
        for name in job.counts:
            columns[name][item] = judgement.counts[name]
    headline = poll.headline(_headline(metric, job))
    measures = [headline, *(extra.measure(headline) for extra in job.measures)]
    statistics = poll.statistics(columns)
    return MetricResult(
        measures, statistics, items.status, items.reasons, evidence, breakdowns=poll.breakdowns
    )


def _in_data(outcome: Outcome[Any]) -> dict[str, int]:
    """Number of verdicts that did not count because the judge copied them from the data."""
    copied = sum(len(reply.found_in_data) for reply in outcome.replies)
    return {FOUND_IN_DATA: copied} if copied else {}


def _headline(metric: JudgedMetric, job: JudgeJob) -> Measure:
    """The headline; its signature has options, judge, generation settings and prompts."""
    panel = JudgePanel.of(metric.chat_generator)
    judges = [metric.chat_generator or default_judge()] if panel is None else panel.judges
    generation = [
        f"{name}={value}" if panel is None else f"{model_of(judge)}: {name}={value}"
        for judge in sorted(judges, key=model_of)
        for name, value in sorted(generation_of(judge).items())
    ]
    evaluator = ", ".join(sorted(map(model_of, judges)))
    unset = [name for name in _SIGNED_IF_SET if not getattr(metric, name, None)]
    words = metric.own_words
    signed = settings(metric, "chat_generator", "templates", "labels", *unset) | {
        **words.settings(),
        **{name: words.signed(value) for name, value in job.options.items()},
        **({"judge": evaluator} if panel is None else panel.settings()),
        "generation": generation,
        "prompts": [words.signed(used) for used in map(prompt_of, job.prompts)],
    }
    signed |= current_session().signed
    parameters = (("evaluator", evaluator), ("retries", MAX_ASKS - 1))
    valor = ValorMetric(job.valor, parameters) if job.valor else None
    signature = Signature.of(metric.name, signed)
    return Measure(signature, direction=job.direction, bounds=job.bounds, valor=valor)
