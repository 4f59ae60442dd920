"""Earlier steps of a custom judge: each asks once, and its reply is data of the steps after it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from thresher.components.judged.custom._form import Form, kinds_of, plain
from thresher.components.judged.custom._kinds import Labels, Words
from thresher.errors import InputError
from thresher.judges import Flow, ReplySchema, Verdicts, answered
from thresher.judges.reply_schema import PanelUse
from thresher.judges.template import Template
from thresher.results import VOCABULARY
from thresher.results.choices import unknown_choice

_PARTS = ("name", "template", "reply")
_NAME = re.compile(r"[A-Za-z_]\w*")


class StepForm(Form):
    """The reply of an earlier step: fields without a score. One judge of a panel gives it for all."""

    panel_use: ClassVar[PanelUse] = "once"

    def read_text(self, text: str) -> dict[str, Any]:
        """Refuse plain text: it has no fields."""
        return ReplySchema.read_text(self, text)


@dataclass(frozen=True)
class Step:
    """An earlier step.

    Attributes:
        name: its name in evidence and in the names of prompts.
        template: its prompt.
        form: its reply.
    """

    name: str
    template: Template
    form: StepForm

    @property
    def fields(self) -> list[str]:
        """Fields of the reply, which are variables of later steps."""
        return [name for name, _ in self.form.fields]

    def ask(self, known: Mapping[str, Any]) -> Flow[dict[str, Any]]:
        """Ask with the data that the template shows; return the fields as later templates show them."""
        shown = {name: known[name] for name in self.template.variables}
        reply = yield from answered(self.template.ask(self.form, **shown))
        return {name: _shown(value) for name, value in reply.items()}


def read_steps(steps: Sequence[Mapping[str, Any]], prompt: str) -> list[Step]:
    """Return the steps that a user describes.

    Args:
        steps: `name`, `template` and `reply` of each step.
        prompt: name of the prompt of the last step.

    Raises:
        InputError: for an unusable step, and a name or field that occurs twice or is a column.
    """
    read = [_read(number, step, prompt) for number, step in enumerate(steps)]
    taken = [step.name for step in read]
    fields = [field for step in read for field in step.fields]
    for what, names in (("name", taken), ("field", fields)):
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise InputError(f"earlier_steps: the {what} {twice!r} occurs twice; rename one")
    if column := next((field for field in fields if field in VOCABULARY), None):
        raise InputError(f"earlier_steps: the field {column!r} is the name of a column; choose another")
    return read


def plain_steps(steps: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A user's description of steps as files store it."""
    return [{**step, "reply": plain(step["reply"])} for step in steps]


def texts_of(steps: Sequence[Step], field: str) -> None:
    """Raise unless a field is a list of texts of an earlier step.

    Raises:
        InputError: names the lists that there are.
    """
    fields = [field for step in steps for field in step.form.fields]
    lists = [name for name, kind in fields if isinstance(kind, Words) and kind.several]
    if field not in lists:
        raise unknown_choice(f"each_of={field!r}", field, lists)


def verdicts_form(form: Form, ids: Sequence[str]) -> Verdicts:
    """The form of one verdict for each id."""
    labels = dict(form.fields)["verdict"]
    if not isinstance(labels, Labels):
        raise TypeError("the verdict is not a label")
    return Verdicts(tuple(ids), tuple(labels.labels))


def check_verdicts(form: Form) -> None:
    """Raise unless a form is a reason and a label, which `each_of` asks for by id.

    Raises:
        InputError: says what to write.
    """
    fields = dict(form.fields)
    labelled = isinstance(fields.get("verdict"), Labels) and form.scored == "verdict"
    if [*fields] != ["reason", "verdict"] or fields["reason"] != Words() or not labelled:
        raise InputError(
            "each_of needs score: verdict and reply: {reason: text, verdict: [yes, no]}, or a mapping of "
            "labels to scores"
        )


def _read(number: int, step: Mapping[str, Any], prompt: str) -> Step:
    where = f"earlier_steps[{number}]"
    if unknown := [part for part in step if part not in _PARTS]:
        raise unknown_choice(f"{where}: {unknown[0]!r}", unknown[0], _PARTS)
    if lacking := [part for part in _PARTS if not step.get(part)]:
        raise InputError(f"{where} lacks {lacking[0]}; a step has {', '.join(_PARTS)}")
    name, source = step["name"], step["template"]
    if not isinstance(name, str) or not _NAME.fullmatch(name) or not isinstance(source, str):
        raise InputError(f"{where}: name must be a word, and template a text")
    fields = kinds_of(step["reply"])
    if wrong := next((field for field, _ in fields if not _NAME.fullmatch(field)), None):
        raise InputError(f"{where}: the field {wrong!r} must be a word, as it is a variable of later steps")
    form = StepForm(fields, "")
    return Step(name, Template(f"{prompt}.{name}", f"{source.strip()}\n\n{form.in_words()}\n"), form)


def _shown(value: Any) -> Any:
    """A field as a prompt shows it: a text, or texts without blank ones."""
    if isinstance(value, list):
        return [text.strip() for text in value if text.strip()]
    return value if isinstance(value, str) else f"{value:g}"
