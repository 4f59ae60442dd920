"""Prompts: jinja files in `prompts/`, checked, fenced and fingerprinted."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from thresher.errors import InputError
from thresher.judges.flow import Ask, Message
from thresher.judges.image_slots import ImageSlots
from thresher.judges.planted import Material
from thresher.judges.prompt_order import Layout, contexts_first, has_contexts
from thresher.judges.schema import ReplySchema

if TYPE_CHECKING:
    from jinja2 import Template

T = TypeVar("T")
Data = str | Sequence[str] | Mapping[str, Any]
"""A text, texts, or id -> text or object, such as a turn of a conversation with its calls."""
FOLDER = Path(__file__).parent / "prompts"
INSTRUCTIONS = frozenset(
    {"criteria", "definition", "found_before", "guidelines", "number", "rubric", "scale", "steps"}
)
"""Variables of the shipped prompts that are not data under test: the user's instructions, and the judge's own
notes on earlier contexts. A judge that repeats these does not repeat a planted verdict."""
_FENCE = 12
"""Hexadecimal digits of a fence code: 48 bits do not occur by chance; a code in the data is replaced."""


class Prompt:
    """One prompt file.

    The file is jinja; its variables are the data under test. Each is enclosed in tags with a code computed
    from all data. So equal data give equal prompts (which the cache needs), and no text can close its own
    fence, because the code changes with every character. With the contexts first, each block has a code
    computed from that block alone, which occurs in no other block either. Lists are written as one JSON
    object, id to text, so that an entry cannot imitate two.

    Args:
        name: `<origin>/<metric>` or `<origin>/<metric>.<step>`, the file's path without its extension.
        folder: folder of the prompt files.
        plain: variables that are part of the instructions, such as options of the metric and examples. They
            are written without tags.

    Attributes:
        step: its name in packs of templates: the name, or that of another layout of the same prompt.
        instructions: variables that are not data under test.

    Raises:
        InputError: if the file does not exist or is not valid Jinja, or has no such plain variable.
    """

    def __init__(self, name: str, folder: str | Path = FOLDER, *, plain: Iterable[str] = ()) -> None:
        self.name, self.step, self.plain = name, name, frozenset(plain)
        self.instructions = INSTRUCTIONS if Path(folder) == FOLDER else self.plain
        path = Path(folder) / f"{name}.jinja"
        if not path.is_file():
            raise InputError(f"there is no prompt {name!r}: {path} is not a file")
        self.source = path.read_text(encoding="utf-8")
        self.system = (FOLDER / "system.txt").read_text(encoding="utf-8").strip()
        text = "\0".join([self.system, self.source, *sorted(self.plain)])
        self.fingerprint = hashlib.sha256(text.encode()).hexdigest()[:8]
        self._template, self.variables = _compile(self.source, path)
        if unknown := self.plain - self.variables:
            raise InputError(f"{path} has no variable {', '.join(sorted(unknown))}, which `plain` names")

    def __repr__(self) -> str:
        return f"{self.name}@{self.fingerprint}"

    def ask(self, schema: ReplySchema[T], *, subject: str = "", sample: int = 0, **data: Data) -> Ask[T]:
        """Fill in the prompt.

        Args:
            schema: the form of the reply.
            subject: the text that an extraction is about.
            sample: distinguishes asks that are repeated on purpose.
            data: one value for each variable of the file: a text, texts (numbered from 1), or id -> text or
                object.

        Raises:
            InputError: if a variable of the file gets no value, or a value has no variable.
        """
        if set(data) != self.variables:
            expected, actual = (", ".join(sorted(names)) or "nothing" for names in (self.variables, data))
            raise InputError(f"prompt {self.name} takes {expected}; given: {actual}")
        slots = ImageSlots()
        data = {name: _with_slots(value, slots) for name, value in data.items()}
        written = {name: _as_text(value) for name, value in data.items()}
        code = _code(json.dumps(written, sort_keys=True), written)
        user = self._render(self._fenced(written, dict.fromkeys(written, code))).strip()
        messages = (Message("system", self.system), Message("user", user, tuple(slots.images.values())))
        layout = partial(self._contexts_first, written) if has_contexts(written) else None
        material = self._material(data)
        return Ask(self.name, messages, schema, subject, sample, material=material, layout=layout, data=data)

    def _contexts_first(self, written: Mapping[str, str]) -> Layout:
        """The prompt with the contexts first, each block with a code of its own.

        A code computed from all data would make equal contexts different in each prompt.
        """
        codes = {name: _code(text, written) for name, text in written.items()}
        return contexts_first(self._fenced(written, codes), self._render)

    def _fenced(self, written: Mapping[str, str], codes: Mapping[str, str]) -> dict[str, str]:
        return {
            name: text if name in self.plain else f"<{name} {codes[name]}>\n{text}\n</{name} {codes[name]}>"
            for name, text in written.items()
        }

    def _material(self, data: Mapping[str, Data]) -> Material:
        """The data under test, without instructions: a verdict in a rubric is not planted."""
        tested = (value for name, value in data.items() if name not in self.instructions)
        return Material(text for value in tested for text in (*_texts(value), *_objects(value)))

    def _render(self, blocks: Mapping[str, str]) -> str:
        return self._template.render(blocks)


@cache
def prompt(name: str) -> Prompt:
    """The shipped prompt of that name; each file is read once."""
    return Prompt(name)


def _with_slots(value: Any, slots: ImageSlots) -> Any:
    if isinstance(value, str):
        return slots.write(value)
    if isinstance(value, Mapping):
        return {id_: _with_slots(part, slots) for id_, part in value.items()}
    return [_with_slots(part, slots) for part in value] if _is_list(value) else value


def _as_text(value: Data) -> str:
    if isinstance(value, str):
        return value
    entries = value if isinstance(value, Mapping) else numbered(value)
    return json.dumps(dict(entries), ensure_ascii=False, default=str)


def _texts(value: Any) -> Iterator[str]:
    """The texts in data, at any depth."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping) or _is_list(value):
        for part in value.values() if isinstance(value, Mapping) else value:
            yield from _texts(part)


def _objects(value: Data) -> Iterator[str]:
    """Entries that are objects of more than texts, as JSON: arguments of a call can be a planted verdict."""
    for entry in value.values() if isinstance(value, Mapping) else ():
        if isinstance(entry, Mapping) and not all(isinstance(part, str) for part in entry.values()):
            yield _as_text(entry)


def _is_list(value: Any) -> bool:
    return isinstance(value, Iterable) and not isinstance(value, bytes)


def numbered(texts: Sequence[str]) -> dict[str, str]:
    """Map the ids "1", "2", ... to texts.

    >>> numbered(["a", "b"])
    {'1': 'a', '2': 'b'}
    """
    return {str(place): text for place, text in enumerate(texts, 1)}


def _code(fenced: str, written: Mapping[str, str]) -> str:
    """A code that is the same for equal fenced text, and occurs nowhere in the data."""
    whole = fenced.encode("utf-8", "surrogatepass")
    codes = (hashlib.sha256(b"%d %s" % (turn, whole)).hexdigest()[:_FENCE] for turn in count())
    return next(code for code in codes if not any(code in text for text in written.values()))


@cache  # prompts are files: few, and the same in every pipeline
def _compile(source: str, path: Path) -> tuple["Template", frozenset[str]]:
    """The template and the names of its variables. Nothing is escaped, as the output is not HTML."""
    from jinja2 import Environment, StrictUndefined, TemplateSyntaxError, meta

    environment = Environment(undefined=StrictUndefined, trim_blocks=True, autoescape=False)  # noqa: S701
    try:
        variables = meta.find_undeclared_variables(environment.parse(source))
    except TemplateSyntaxError as error:
        raise InputError(f"{path}, line {error.lineno}: {error.message}") from error
    return environment.from_string(source), frozenset(variables)
