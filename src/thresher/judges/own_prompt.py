"""Own words for the prompts of a metric: its flows stay as they are, their asks are filled in anew."""

import hashlib
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from thresher.errors import InputError
from thresher.judges.flow import Ask, Flow, Reply
from thresher.judges.gist import Gist
from thresher.judges.prompt import Prompt
from thresher.judges.reply_instruction import labels_of, reply_instruction, states_form
from thresher.judges.reply_schema import Json, PanelUse, ReplySchema
from thresher.judges.schema import JudgeVerdict
from thresher.judges.template import Template
from thresher.results.choices import unknown_choice

T = TypeVar("T")
_PLAIN_TEXT = re.compile(r"\{#-?\s*reply:\s*text\s*-?#\}")
"""Mark of a template that asks for a plain text, e.g. "4.0" and a reason, instead of a JSON object."""
_PLACEHOLDER = re.compile(r"\{{1,2}[ ]?(\w+)[ ]?\}{1,2}")
_LLAMA_INDEX = {
    "query_str": ("information", "question", "answer"),
    "context_str": ("contexts",),
    "context_msg": ("contexts",),
    "existing_answer": ("found_before",),
    "query": ("question",),
    "response": ("answer",),
    "generated_answer": ("answer",),
    "reference_answer": ("reference",),
    "guidelines": ("guidelines",),
}
"""Placeholder of LlamaIndex's documented prompts, such as `{query_str}` -> variables of a step for it."""
_INSTRUCTION = "appended: 1"
"""Version of the appended instruction; in the fingerprint, as judges may answer another one differently."""


class OwnPrompt(Template):
    """A template in own words for one step of a metric.

    The variables are those of the step's prompt. The reply has the form of the step: a template that does not
    name all of its keys and labels gets an instruction at its end. A template with the comment
    `{# reply: text #}` asks for a plain text itself. For LlamaIndex's steps, the placeholders of its
    documented prompts (`{query_str}`, `{existing_answer}`) stand for the variables.

    Args:
        step: the prompt of the step.
        source: the template.
        system: the system message; None for that of the step.
        labels: label of a reply -> the word that the judge writes for it.

    Raises:
        InputError: if the text is not a jinja template or has other variables than the step.
    """

    def __init__(
        self, step: Prompt, source: str, system: str | None = None, labels: Mapping[str, str] | None = None
    ) -> None:
        self.labels = dict(labels or {})
        source = _with_variables(step, source)
        self._plain_text = bool(_PLAIN_TEXT.search(source))
        super().__init__(step.name, source, self._system_for(step, system), step.instructions)
        self.step, self.plain, self._shipped = step.step, step.plain, step
        self._check_variables()
        self.fingerprint = self._fingerprint()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self._shipped, self.source, self.system, self.labels)

    def _system_for(self, step: Prompt, system: str | None) -> str:
        """The system message; the last line of the step's own asks for JSON. Some layouts have none."""
        if system is None or not step.system:
            return step.system.rpartition("\n")[0] if self._plain_text else step.system
        return system

    def reword(self, ask: Ask[T]) -> Ask[T]:
        """The same ask in these words.

        Raises:
            InputError: if the template asks for plain text and the form cannot be read from it.
        """
        form = self._form(ask.schema)
        written = self.ask(form, subject=ask.subject, sample=ask.sample, **ask.data)
        instruction = "" if self._plain_text or self._as_shipped else reply_instruction(form)
        if instruction and not states_form(self.source, form):
            written = written.noted(instruction)
        for note in ask.notes:
            written = written.noted(note)
        return replace(written, options=ask.options, judge=ask.judge)

    def original(self, value: T) -> T:
        """A value that was read, with the labels of the metric."""
        labels = {word: label for label, word in self.labels.items()}
        if isinstance(value, JudgeVerdict):
            return replace(value, label=labels.get(value.label, value.label))
        if labels and isinstance(value, dict) and all(isinstance(v, JudgeVerdict) for v in value.values()):
            return {id_: self.original(verdict) for id_, verdict in value.items()}  # type: ignore[return-value]
        return value

    @property
    def _as_shipped(self) -> bool:
        return (self.source, self.system) == (self._shipped.source, self._shipped.system) and not self.labels

    def _form(self, schema: ReplySchema[T]) -> ReplySchema[T]:
        """The form with the words for its labels, without a schema if the reply is a plain text."""
        labels: Sequence[str] = getattr(schema, "labels", ())
        if self.labels.keys() & labels:
            words = tuple(self.labels.get(label, label) for label in labels)
            schema = replace(schema, labels=words)  # type: ignore[type-var]
        if fixed := sorted(labels_of(schema) & (self.labels.keys() - self.labels.values())):
            raise InputError(f"labels: the replies of {self.step} have the fixed label {fixed[0]!r}; omit it")
        if not self._plain_text or not schema.json_schema():
            return schema
        if type(schema).read_text is ReplySchema.read_text:
            raise InputError(
                f"templates: {self.step} asks for a plain text, but {type(schema).__name__} can be read from "
                "a JSON object only; remove {# reply: text #}"
            )
        return AsText(schema)

    def _check_variables(self) -> None:
        offered, used = self._shipped.variables, self.variables
        listed = ", ".join(f"{{{{ {name} }}}}" for name in sorted(offered))
        if unknown := sorted(used - offered):
            what = f"templates: variable {unknown[0]} of {self.step}"
            raise unknown_choice(what, unknown[0], sorted(offered))
        if missing := sorted(offered - used):
            raise InputError(
                f"templates: the template of {self.step} lacks {{{{ {missing[0]} }}}}; it must have {listed}"
            )

    def _fingerprint(self) -> str:
        if self._as_shipped:
            return self._shipped.fingerprint
        words = sorted(self.labels.items())
        text = "\0".join([self.system, self.source, *sorted(self.plain), str(words), _INSTRUCTION])
        return hashlib.sha256(text.encode()).hexdigest()[:8]


def _with_variables(step: Prompt, source: str) -> str:
    """Replace the placeholders of LlamaIndex's prompts by the variables of a step of its metrics."""
    if not step.name.startswith("llamaindex/"):
        return source

    def variables(placeholder: re.Match[str]) -> str:
        names = [name for name in _LLAMA_INDEX.get(placeholder[1], ()) if name in step.variables]
        return "\n".join(f"{{{{ {name} }}}}" for name in names) or placeholder[0]

    return _PLACEHOLDER.sub(variables, source)


@dataclass(frozen=True)
class AsText(ReplySchema[T]):
    """A form whose reply is asked for as plain text; an object is read too."""

    form_of_objects: ReplySchema[T]

    @property
    def panel_use(self) -> PanelUse:  # type: ignore[override]  # depends on the instance
        """As for objects."""
        return self.form_of_objects.panel_use

    def votes(self, value: T) -> dict[str, str | float]:
        """Votes of a value by subject."""
        return self.form_of_objects.votes(value)

    def elected(self, values: Sequence[T], votes: Mapping[str, str | float]) -> T:
        """Return the value with these pooled votes."""
        return self.form_of_objects.elected(values, votes)

    def json_schema(self) -> Json:
        """Return an empty schema."""
        return {}

    def read(self, data: Json) -> T:
        """Read an object."""
        return self.form_of_objects.read(data)

    def read_text(self, text: str) -> T:
        """Read a text."""
        return self.form_of_objects.read_text(text)

    def gists(self, value: T) -> dict[str, Gist]:
        """Judgement and reason."""
        return self.form_of_objects.gists(value)

    def without(self, value: T, things: Collection[str]) -> T:
        """Remove some ids."""
        return self.form_of_objects.without(value, things)

    def planted(self, container: Any) -> Iterator[tuple[str, Gist]]:
        """Read an object or list of the data as if it were a reply."""
        return self.form_of_objects.planted(container)

    def imagine(self, subject: str) -> str:
        """Make a plausible reply."""
        return self.form_of_objects.imagine(subject)


def reworded(flow: Flow[T], prompts: Mapping[str, OwnPrompt]) -> Flow[T]:
    """A flow whose asks are in own words.

    Args:
        flow: the flow.
        prompts: name of a prompt -> own words for it; asks of other prompts stay as they are.
    """
    answer: Any = None
    while True:
        try:
            asks = flow.send(answer)
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        one = isinstance(asks, Ask)
        listed: list[Ask[Any]] = [asks] if isinstance(asks, Ask) else asks
        replies = yield [_in_own_words(ask, prompts) for ask in listed]
        read = [_original(reply, prompts) for reply in replies]
        answer = read[0] if one else read


def _in_own_words(ask: Ask[T], prompts: Mapping[str, OwnPrompt]) -> Ask[T]:
    return prompts[ask.prompt].reword(ask) if ask.prompt in prompts else ask


def _original(reply: Reply[T], prompts: Mapping[str, OwnPrompt]) -> Reply[T]:
    if reply.ask.prompt not in prompts or reply.value is None:
        return reply
    return replace(reply, value=prompts[reply.ask.prompt].original(reply.value))
