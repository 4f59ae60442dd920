"""A custom metric, described in YAML."""

import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self, get_args

from haystack import component

from thresher.components.judged.custom._form import form_of, plain
from thresher.errors import InputError
from thresher.files.parsing import parse_yaml
from thresher.files.texts import whole_text
from thresher.judges import Flow, answered
from thresher.judges.template import Template
from thresher.metrics import (
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    ShownSocket,
    Text,
    chosen_columns,
    column_type,
    judged,
    judged_async,
    metric,
    read_text,
    read_texts,
    text_column_type,
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

    The template is jinja. Its variables are the inputs: texts, or lists of texts, which the prompt shows as
    JSON objects with numbers as keys. Inputs are fenced, so that the judge does not take data for
    instructions. The form of the reply is appended to the prompt. Replies are read, repeated if unreadable,
    and stored as evidence as for any other metric.

    Formula: the judge's score, unchanged or scaled to 0 to 1
    Source: the author of the prompt.
    Calls: 1 per item.

    Args:
        template: the prompt, e.g. "Is the answer polite? {{ predicted_answers }}".
        reply: the fields of the reply, in their order, and their kinds: `text`, `texts`, a scale like
            `{low: 1, high: 5}` (whole numbers; `whole: false` for decimals), labels like `[formal, casual]`,
            or labels with scores like `{good: 1, fair: 0.5, bad: 0}`. `[yes, no]` scores 1 and 0. Put a
            reason before the score.
        score: the field that is the score.
        normalize: whether the score is scaled to 0 to 1 by the ends of its scale.

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
    name: str = "custom_judge"

    def __post_init__(self) -> None:
        self._form = form_of(self.reply, self.score)
        slug = re.sub(r"[^\w-]+", "_", self.name)
        self._template = Template(f"custom/{slug}", f"{self.template.strip()}\n\n{self._form.in_words()}\n")
        self.reply = plain(self.reply)
        self._sockets = _checked_sockets(self._template)
        component.set_input_types(self, **{socket: _socket_type(socket) for socket in self._sockets})

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
            columns: one for each variable of the template, with one entry per item: a text or a list of
                texts; None leaves the item out as missing.
        """
        shown = chosen_columns(self._sockets, columns)
        items = Items(**shown)
        flows = [
            self._flow({socket: _shown(item, socket, column[item]) for socket, column in shown.items()})
            for item in items.present
        ]
        ends = (0.0, 1.0) if self.normalize else self._form.scale.ends or (0.0, 1.0)
        signed = {"template": self._template, "reply": self._form.in_words()}
        return JudgeJob(items, flows, (), (), direction=self.direction, bounds=ends, options=signed)

    run_async = judged_async(run)

    def _flow(self, data: dict[str, Any]) -> Flow[JudgedItem]:
        reply = yield from answered(self._template.ask(self._form, **data))
        score = self._form.scale.score(reply[self.score])
        low, high = self._form.scale.ends or (0.0, 1.0)
        return JudgedItem((score - low) / (high - low) if self.normalize else score, {}, reply)


def _checked_options(options: Any) -> dict[str, Any]:
    """The options in a file; raises for missing and unknown options."""
    known = inspect.signature(CustomJudgeEvaluator.__init__).parameters.keys() - {"self", "chat_generator"}
    if not isinstance(options, dict) or not {"template", "reply"} <= options.keys():
        raise InputError("it must be a mapping with at least `template` and `reply`")
    unknown = sorted(map(str, options.keys() - known))
    if unknown:
        raise unknown_choice(f"option {unknown[0]!r}", unknown[0], sorted(known))
    return options


def _checked_sockets(template: Template) -> list[str]:
    """The variables of a template, which become inputs.

    Raises:
        InputError: if there are none, or one cannot be an input.
    """
    if not template.variables:
        raise InputError(
            "the template has no variable; add the columns that the judge sees, e.g. {{ questions }}"
        )
    for name in sorted(template.variables):
        if name in _TAKEN or name in _NO_TEXTS:
            raise InputError(f"the template's variable {name} cannot be an input; choose another column")
        if name not in VOCABULARY and f"{name}s" in VOCABULARY:
            raise InputError(f"the template's variable {name} is not a column; write {name}s")
    known = [name for name in VOCABULARY if name in template.variables]
    return [*known, *sorted(template.variables - set(known))]


def _socket_type(socket: str) -> Any:
    """The type of an input; columns with unknown names hold anything that a prompt can show."""
    if socket in get_args(ShownSocket):
        return text_column_type(socket)
    return column_type(socket, list[str] | list[list[str]] | list[dict[Any, Any]])


def _shown(item: int, socket: str, entry: Any) -> Any:
    """The entry as the prompt shows it: a text, a list of texts, or texts by name."""
    if isinstance(entry, Mapping):
        return {str(key): read_text(item, f"{socket}[{item}]", value) for key, value in entry.items()}
    return read_text(item, socket, entry) if isinstance(entry, str) else read_texts(item, socket, entry)
