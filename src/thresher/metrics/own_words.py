"""Own words of a judged metric: its steps, and templates for them that are checked before any call."""

import inspect
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from thresher.errors import InputError
from thresher.judges import Flow, Prompt, rehearse
from thresher.judges.own_prompt import OwnPrompt, reworded
from thresher.judges.reply_instruction import labels_of
from thresher.judges.template_packs import SYSTEM, TemplatePack, Templates, read_labels, read_pack
from thresher.metrics.inputs import LIST_SOCKETS
from thresher.metrics.judge_job import JudgeJob
from thresher.results.choices import unknown_choice

T = TypeVar("T")
JobOf = Callable[..., JudgeJob]
_CALL = {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"query": "tower"}'}}
_CONVERSATION = (
    {"role": "user", "content": "How high is the tower?"},
    {"role": "assistant", "content": None, "tool_calls": [_CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "Tower of Lunna: 48 m."},
    {"role": "assistant", "content": "The tower is 48 m high."},
)
"""A conversation in OpenAI's layout."""


@dataclass(frozen=True)
class OwnWords:
    """Own words of one metric.

    Attributes:
        templates: step -> template; `system` -> the system message.
        labels: label of a reply -> word for it in the templates.
        prompts: name of a prompt -> own words for it.
    """

    templates: Mapping[str, str] = field(default_factory=dict)
    labels: Mapping[str, str] = field(default_factory=dict)
    prompts: Mapping[str, OwnPrompt] = field(default_factory=dict)

    def signed(self, setting: Any) -> Any:
        """A setting of the signature; of a prompt, its name and fingerprint, or those of own words for it."""
        return repr(self.prompts.get(setting.name, setting)) if isinstance(setting, Prompt) else setting

    def applied(self, flows: Iterable[Flow[T]]) -> list[Flow[T]]:
        """Flows of the metric in its own words."""
        return [reworded(flow, self.prompts) for flow in flows] if self.prompts else [*flows]

    def settings(self) -> dict[str, list[str]]:
        """Settings for the signature in addition to the fingerprints of the prompts."""
        words = [f"{label}={word}" for label, word in sorted(self.labels.items())]
        return {"labels": words} if words else {}


def read_words(
    metric: Any, job_of: JobOf, templates: Templates | None, labels: Mapping[Any, str] | None
) -> OwnWords:
    """Return the own words of a metric.

    Args:
        metric: the metric.
        job_of: makes the job of the metric from its columns.
        templates: templates for some or all of its steps.
        labels: label of a reply -> word for it in the templates.

    Raises:
        InputError: for a step that the metric does not have, a template that lacks a variable of its step,
            has another one or asks for a form that the step does not read, and labels of no reply.
    """
    if templates is None:
        if labels:
            raise InputError("labels are words of own templates; give templates too")
        return OwnWords()
    pack, steps = read_pack(templates), steps_of(metric, job_of)
    chosen = _of_steps(pack, steps, strict=isinstance(templates, Mapping))
    words = {**pack.labels, **read_labels(labels or {})}
    system = chosen.get(SYSTEM)
    prompts = {}
    for name, step in steps.items():
        if name in chosen:
            prompts[step.name] = OwnPrompt(step, chosen[name], system, words)
        elif system is not None and step.system:
            prompts[step.name] = OwnPrompt(step, step.source, system)
    _rehearse(reworded(flow, prompts) for flow in invented_flows(metric, job_of))
    known = sorted(_rehearse(invented_flows(metric, job_of))) if words else []
    if unknown := [label for label in read_labels(labels or {}) if label not in known]:
        raise unknown_choice(f"labels: {unknown[0]!r}", unknown[0], known)
    return OwnWords(chosen, {label: word for label, word in words.items() if label in known}, prompts)


def steps_of(metric: Any, job_of: JobOf) -> dict[str, Prompt]:
    """The prompts of a metric by their names in packs, with and without its optional inputs."""
    jobs = [
        job_of(**{name: [] for name in columns})
        for columns in (_columns(metric), _columns(metric, optional=False))
    ]
    return {step.step: step for job in jobs for step in job.steps}


def invented_flows(metric: Any, job_of: JobOf) -> Iterator[Flow[Any]]:
    """Flows of an invented item, with and without the optional inputs that can be invented."""
    for optional in (True, False):
        columns = {
            name: [_invented(name)] for name in _columns(metric, optional=optional) if name != "rubrics"
        }
        yield from job_of(**columns).flows


def _of_steps(pack: TemplatePack, steps: Mapping[str, Prompt], *, strict: bool) -> dict[str, str]:
    """The templates of a pack for these steps; `strict` refuses others."""
    known = [*steps, SYSTEM]
    unknown = [name for name in pack.templates if name not in known]
    if strict and unknown:
        raise unknown_choice(f"templates: step {unknown[0]!r}", unknown[0], known)
    chosen = {name: text for name, text in pack.templates.items() if name in known}
    if not chosen:
        raise InputError(f"templates: {pack.where} has no template for {', '.join(steps)}")
    return chosen


def _rehearse(flows: Iterable[Flow[Any]]) -> set[str]:
    """Run flows with invented replies, without a judge; return the labels of all forms of replies.

    Raises:
        InputError: if a template cannot be filled in, or asks for another form than its step reads.
    """
    outcomes = [rehearse(flow, lambda ask: ask.schema.imagine(ask.subject)) for flow in flows]
    replies = (reply for outcome in outcomes for reply in outcome.replies)
    return {label for reply in replies for label in labels_of(reply.ask.schema)}


def _columns(metric: Any, *, optional: bool = True) -> list[str]:
    """Names of the inputs of a metric; those of `**columns` are the sockets that its options set."""
    parameters = [
        parameter
        for name, parameter in inspect.signature(inspect.unwrap(type(metric).run)).parameters.items()
        if name != "self"
    ]
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return [*metric.__haystack_input__._sockets_dict]  # noqa: SLF001  # Haystack has no public reader
    return [parameter.name for parameter in parameters if optional or parameter.default is parameter.empty]


def _invented(socket: str) -> Any:
    """An entry of an input."""
    if socket.endswith("conversations"):
        return [*_CONVERSATION]
    text = f"The {socket} say that the tower in Lunna was built in 1480. It is 48 m high."
    return [text] if socket in LIST_SOCKETS else text
