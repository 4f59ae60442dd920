"""What a judged metric hands over to be run: one flow per item, and what its results are."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.judges import Flow, Outcome, Prompt, prompt
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.items import Items
from thresher.results import MetricResult
from thresher.results.measure import Direction


@dataclass(frozen=True)
class JudgedItem:
    """What the flow of one item returns.

    Attributes:
        score: the item's score.
        counts: the numbers behind the score, under the names that `JudgeJob.counts` declares.
        evidence: verdicts and reasons, as plain data.
    """

    score: float
    counts: Mapping[str, float]
    evidence: Mapping[str, Any]


@dataclass(frozen=True)
class JudgeJob:
    """All calls of a metric to a judge in one run.

    Attributes:
        items: all items; items that lack an input are left out.
        flows: one flow for each present item, in order. It returns a JudgedItem, or what `finish` needs.
        prompts: the prompts that the flows may use: names of shipped ones, or Prompt objects. Their
            fingerprints are in the signature.
        counts: names of the counts that every item has.
        valor: Valor's name of the metric; empty where Valor has no such metric.
        direction: whether higher or lower is better.
        bounds: lowest and highest possible score.
        options: further settings for the signature, e.g. models, whose option values do not print. A Prompt
            among them is a step like those of `prompts`.
        finish: turns what the flows returned into JudgedItems, for all items at once and without a judge. It
            may be slow, e.g. compute embeddings.
        measures: measures in addition to the headline; their columns are counts.
        further: makes the component's outputs in addition to the outputs of every metric.
    """

    items: Items
    flows: Sequence[Flow[Any]]
    prompts: Sequence[str | Prompt]
    counts: Sequence[str]
    valor: str = ""
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    options: Mapping[str, Any] = field(default_factory=dict)
    finish: Callable[[Sequence[Outcome[Any]]], Sequence[Outcome[JudgedItem]]] = tuple
    measures: Sequence[ExtraMeasure] = ()
    further: Callable[[MetricResult], dict[str, Any]] | None = None

    @property
    def steps(self) -> list[Prompt]:
        """All prompts that the flows may use."""
        options = (option for option in self.options.values() if isinstance(option, Prompt))
        return [*map(prompt_of, self.prompts), *options]


def prompt_of(used: str | Prompt) -> Prompt:
    """A prompt, or the shipped one of a name."""
    return prompt(used) if isinstance(used, str) else used


def check_flows(job: JudgeJob) -> None:
    """Raise unless every present item has one flow.

    Raises:
        InputError: if the numbers differ; states both.
    """
    flows, items = len(job.flows), len(job.items.present)
    if flows != items:
        raise InputError(
            f"JudgeJob has {counted(flows, 'flow')} for {counted(items, 'present item')}; give one flow per "
            "item"
        )


def check_outcomes(job: JudgeJob, outcomes: Sequence[Outcome[Any]]) -> None:
    """Raise for what only the author of the metric can correct.

    Raises:
        InputError: for a flow that returns no JudgedItem, lacks a count, or asks a prompt whose
            fingerprint the signature would lack.
    """
    declared = {step.name for step in job.steps}
    for outcome in outcomes:
        value = outcome.value
        if value is not None and not isinstance(value, JudgedItem):
            raise InputError(f"a flow returned {type(value).__name__} instead of a JudgedItem")
        missing = [name for name in job.counts if value is not None and name not in value.counts]
        if missing:
            raise InputError(f"the counts of a JudgedItem lack {missing[0]}, which JudgeJob.counts declares")
        undeclared = {reply.ask.prompt for reply in outcome.replies} - declared
        if undeclared and (job.prompts or not job.options):  # templates are signed by options
            raise InputError(
                f"a flow asks the prompt {min(undeclared)}, which JudgeJob.prompts lacks; it belongs "
                "into the signature"
            )
