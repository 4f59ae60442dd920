"""Checks of a folder of templates: every metric that uses one is run without a judge."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from thresher.components import metric_class
from thresher.components._names import built_in_names, others
from thresher.components.catalogue import example
from thresher.errors import InputError
from thresher.judges.own_prompt import OwnPrompt
from thresher.judges.prompt import Prompt, prompt
from thresher.judges.template import NATIVE, native
from thresher.judges.template_packs import SYSTEM, TemplatePack, read_pack, shipped_names
from thresher.metrics import JudgedMetric


@dataclass(frozen=True)
class TemplateCheck:
    """The check of one template.

    Attributes:
        template: its name.
        metrics: metrics that use it with their default options.
        problem: why it cannot be used; empty if it can.
    """

    template: str
    metrics: tuple[str, ...]
    problem: str = ""


def check_templates(folder: str | Path) -> list[TemplateCheck]:
    """Check every template of a folder without a judge.

    Raises:
        InputError: if the folder cannot be read, has no template, or misspells a shipped name.
    """
    pack = read_pack(folder)
    users: dict[str, list[JudgedMetric]] = {name: [] for name in pack.templates if name != SYSTEM}
    for metric in _judged_metrics():
        for name in users.keys() & metric.template_names:
            users[name].append(metric)
    return [_check(name, pack, metrics) for name, metrics in users.items()]


def _check(name: str, pack: TemplatePack, metrics: Sequence[JudgedMetric]) -> TemplateCheck:
    users = tuple(metric.name for metric in metrics)
    one = {key: text for key, text in pack.templates.items() if key in (name, SYSTEM)}
    try:
        if name in shipped_names():  # also those that metrics ask with other options only
            OwnPrompt(_shipped(name), pack.templates[name], pack.templates.get(SYSTEM), pack.labels)
        elif not metrics:
            return TemplateCheck(name, (), "no metric has a prompt of this name")
        for metric in metrics:
            metric.use_templates(TemplatePack(one, pack.labels, pack.where))
    except InputError as error:
        return TemplateCheck(name, users, str(error))
    return TemplateCheck(name, users)


def _shipped(name: str) -> Prompt:
    return native(name.removesuffix(NATIVE)) if name.endswith(NATIVE) else prompt(name)


def _judged_metrics() -> Iterator[JudgedMetric]:
    """Metrics that ask a judge, with their default options; those of plugins if they need none."""
    for name in built_in_names():
        if issubclass(metric_class(name), JudgedMetric):
            yield example(name)
    for external in others().values():
        if issubclass(external.cls, JudgedMetric):
            try:
                yield external.cls()  # type: ignore[call-arg]
            except TypeError:  # an option without a default
                continue
