"""A custom metric, described in YAML."""

import inspect
import re
from collections.abc import Collection, Mapping, Sequence
from pathlib import Path
from typing import Any, Self

from haystack import component

from thresher.components.judged.custom._entries import entry_type, shown_entry
from thresher.components.judged.custom._form import form_of, plain
from thresher.components.judged.custom._steps import (
    Step,
    check_verdicts,
    plain_steps,
    read_steps,
    texts_of,
    verdicts_form,
)
from thresher.errors import InputError
from thresher.files.parsing import parse_yaml
from thresher.files.texts import whole_text
from thresher.judges import Flow, answered, judge_each
from thresher.judges.prompt import numbered
from thresher.judges.template import Template
from thresher.metrics import (
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    Text,
    Undefined,
    chosen_columns,
    judged,
    judged_async,
    metric,
    score_by_policy,
    verdict_evidence,
)
from thresher.metrics.judges_option import Judges
from thresher.results import VOCABULARY, Direction
from thresher.results.choices import unknown_choice

_TAKEN = frozenset({"schema", "subject", "sample", "self", "instance"})
"""Names that an input cannot have: they are parameters here or in Haystack."""
_NO_TEXTS = frozenset({"ground_truth_documents", "retrieved_documents"})


@metric
class CustomJudgeEvaluator(JudgedMetric):
    """A metric from a prompt, the form of the reply and a scale, without writing a class.

    The template is jinja. Its variables are the inputs: texts, numbers, conversations, or lists, which the
    prompt shows as JSON objects with numbers as keys; the turns of a conversation also have their roles.
    Inputs are fenced, so that the judge does not take data for instructions. The form of the reply is
    appended to the prompt. Replies are read, repeated if unreadable, and stored as evidence as for any other
    metric.

    Formula: the judge's score, unchanged or scaled to 0 to 1; with `each_of`, its mean over the list
    Source: the author of the prompt.
    Calls: 1 per item and step; more if verdicts are missing.

    Args:
        template: the prompt, e.g. "Is the answer polite? {{ predicted_answers }}".
        reply: the fields of the reply, in their order, and their kinds: `text`, `texts`, a scale like
            `{low: 1, high: 5}` (whole numbers; `whole: false` for decimals), labels like `[formal, casual]`,
            or labels with scores like `{good: 1, fair: 0.5, bad: 0}`. `[yes, no]` scores 1 and 0. Put a
            reason before the score.
        score: the field that is the score.
        normalize: whether the score is scaled to 0 to 1 by the ends of its scale.
        earlier_steps: steps before the template, each with `name`, `template` and `reply`. The fields of
            their replies are variables of all later templates.
        each_of: a list of texts of an earlier step. The judge gives a verdict on each of its entries, with
            `reply: {reason: text, verdict: [yes, no]}`; the score is the mean over all entries. Verdicts that
            a reply omits are requested again.
        no_entries: score of an item whose list is empty: `zero`, `one`, or none (`skip`, the default).

    ```yaml
    components:
      politeness:
        type: thresher.components.judged.custom.custom_judge.CustomJudgeEvaluator
        init_parameters:
          name: politeness
          template: |
            How polite is this answer? {{ predicted_answers }}
          reply: {reason: text, score: {low: 1, high: 5}}
    ```
    """

    template: Text
    reply: Mapping[str, Any]
    score: str = "score"
    normalize: bool = False
    direction: Direction = "higher"
    earlier_steps: Sequence[Mapping[str, Any]] | None = None
    each_of: str | None = None
    no_entries: Undefined | None = None
    name: str = "custom_judge"

    def __post_init__(self) -> None:
        self._form = form_of(self.reply, self.score)
        slug = re.sub(r"[^\w-]+", "_", self.name)
        prompt = f"custom/{slug}"
        self._steps = read_steps(self.earlier_steps or (), prompt)
        if self.each_of is not None:
            texts_of(self._steps, self.each_of)
            check_verdicts(self._form)
        words = self._form.in_words(self.each_of or "")
        self._template = Template(prompt, f"{self.template.strip()}\n\n{words}\n")
        self.reply = plain(self.reply)
        self.earlier_steps = plain_steps(self.earlier_steps) if self.earlier_steps else None
        self._sockets = _checked_sockets(_inputs(self._steps, self._template, self.each_of))
        component.set_input_types(self, **{socket: entry_type(socket) for socket in self._sockets})

    @classmethod
    def from_file(cls, path: str | Path, chat_generator: Judges | None = None) -> Self:
        """Return the metric that a YAML file describes: a mapping from options of this class to values.

        Raises:
            InputError: if the file cannot be read, or does not describe a metric; names the file.
        """
        options = parse_yaml(whole_text(Path(path)), path)
        try:
            return cls(**_checked_options(options), chat_generator=chat_generator)
        except InputError as error:
            raise InputError(f"{path}: {error}") from error

    @judged
    def run(self, /, **columns: Any) -> JudgeJob:
        """Judge each item.

        Args:
            columns: one for each variable of the template, with one entry per item: a text, a number or a
                date, a list of them, or a conversation (messages of Haystack, or dicts with `role` and
                `content`); None leaves the item out as missing.

        Raises:
            InputError: for an entry that is none of these; names the input and the item.
        """
        shown = chosen_columns(self._sockets, columns)
        items = Items(**shown)
        flows = [
            self._flow({socket: shown_entry(item, socket, column[item]) for socket, column in shown.items()})
            for item in items.present
        ]
        ends = (0.0, 1.0) if self.normalize else self._form.scale.ends or (0.0, 1.0)
        signed = {"template": self._template, "reply": self._form.in_words(self.each_of or "")}
        if self._steps:
            signed["earlier_steps"] = [f"{step.name}: {step.form.in_words()}" for step in self._steps]
            signed |= {f"template.{step.name}": step.template for step in self._steps}
        counts = ("entries",) if self.each_of else ()
        return JudgeJob(items, flows, (), counts, direction=self.direction, bounds=ends, options=signed)

    run_async = judged_async(run)

    def _flow(self, data: dict[str, Any]) -> Flow[JudgedItem]:
        steps: dict[str, dict[str, Any]] = {}
        for step in self._steps:
            steps[step.name] = yield from step.ask(data)
            data |= steps[step.name]
        evidence = {"steps": steps} if steps else {}
        shown = {name: data[name] for name in self._template.variables}
        if self.each_of is not None:
            return (yield from self._each(shown, evidence))
        reply = yield from answered(self._template.ask(self._form, **shown))
        return JudgedItem(self._scaled(reply[self.score]), {}, {**reply, **evidence})

    def _each(self, shown: dict[str, Any], evidence: Mapping[str, Any]) -> Flow[JudgedItem]:
        """The mean over the entries of a list; its length, not that of a reply, is the denominator."""
        name = self.each_of or ""
        entries = numbered(shown[name])
        if not entries:
            return score_by_policy(self.no_entries or "skip", f"there are no {name}", ("entries",))
        form = verdicts_form(self._form, [*entries])
        verdicts = yield from judge_each(self._template.ask(form, **{**shown, name: entries}))
        score = sum(self._scaled(verdict.label) for verdict in verdicts.values()) / len(entries)
        judged_entries = {name: verdict_evidence(entries, verdicts)}
        return JudgedItem(score, {"entries": len(entries)}, {**judged_entries, **evidence})

    def _scaled(self, value: Any) -> float:
        """The score of a field's value."""
        score = float(self._form.scale.score(value))
        low, high = self._form.scale.ends or (0.0, 1.0)
        return (score - low) / (high - low) if self.normalize else score


def _checked_options(options: Any) -> dict[str, Any]:
    """The options in a file; raises for missing and unknown options."""
    known = inspect.signature(CustomJudgeEvaluator.__init__).parameters.keys() - {"self", "chat_generator"}
    if not isinstance(options, dict) or not {"template", "reply"} <= options.keys():
        raise InputError("it must be a mapping with at least `template` and `reply`")
    unknown = sorted(map(str, options.keys() - known))
    if unknown:
        raise unknown_choice(f"option {unknown[0]!r}", unknown[0], sorted(known))
    return options


def _inputs(steps: Sequence[Step], template: Template, each_of: str | None) -> set[str]:
    """Variables of all templates that no earlier step replies.

    Raises:
        InputError: for the field of a later step, and a template without the list that it is to judge.
    """
    known: set[str] = set()
    inputs: set[str] = set()
    fields = {field for step in steps for field in step.fields}
    for step in steps:
        if early := sorted(step.template.variables & (fields - known)):
            raise InputError(f"earlier_steps: {step.name} shows {early[0]}, which no step before it replies")
        inputs |= step.template.variables - known
        known |= {*step.fields}
    if each_of is not None and each_of not in template.variables:
        raise InputError(f"the template lacks {{{{ {each_of} }}}}, whose entries it is to judge (each_of)")
    return inputs | (template.variables - known)


def _checked_sockets(variables: Collection[str]) -> list[str]:
    """The variables of the templates, which become inputs.

    Raises:
        InputError: if there are none, or one cannot be an input.
    """
    if not variables:
        raise InputError(
            "the template has no variable; add the columns that the judge sees, e.g. {{ questions }}"
        )
    for name in sorted(variables):
        if name in _TAKEN or name in _NO_TEXTS:
            raise InputError(f"the template's variable {name} cannot be an input; choose another column")
        if name not in VOCABULARY and f"{name}s" in VOCABULARY:
            raise InputError(f"the template's variable {name} is not a column; write {name}s")
    known = [name for name in VOCABULARY if name in variables]
    return [*known, *sorted({*variables} - {*known})]
