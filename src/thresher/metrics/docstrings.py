"""Docstrings of metrics: the entries that the source leaves out are filled in from the vocabulary."""

import inspect
import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from thresher.metrics.vocabulary import ERRORS, JUDGE_ERRORS, JUDGE_OPTIONS, OPTIONS, RETURNS, SOCKETS

_SECTIONS = ("Args:", "Returns:", "Raises:")
_ENTRY = re.compile(r"    (\w+): ")
_WIDTH = 106


@dataclass
class _Docstring:
    """A docstring in the order in which it is read: text, sections, example."""

    text: str
    sections: dict[str, str]
    example: str

    @classmethod
    def parsed(cls, docstring: str | None) -> "_Docstring":
        text: list[str] = []
        sections: dict[str, list[str]] = {}
        current = text
        for line in inspect.cleandoc(docstring or "").splitlines():
            if line in _SECTIONS:
                current = sections.setdefault(line, [])
            elif line and not line.startswith(" ") and (current is not text or line.startswith("```")):
                current = sections.setdefault("", [])
                current.append(line)
            else:
                current.append(line)
        joined = {name: "\n".join(lines).rstrip() for name, lines in sections.items()}
        return cls("\n".join(text).rstrip(), joined, joined.pop("", ""))

    def entries(self, section: str) -> dict[str, str]:
        """Name -> lines of each entry of a section."""
        entries: dict[str, list[str]] = {}
        lines: list[str] = []
        for line in self.sections.get(section, "").splitlines():
            named = _ENTRY.match(line)
            if named:
                lines = entries.setdefault(named[1], [])
            lines.append(line)
        return {name: "\n".join(entry) for name, entry in entries.items()}

    def __str__(self) -> str:
        parts = [f"{name}\n{self.sections[name]}" for name in _SECTIONS if self.sections.get(name)]
        return "\n\n".join(part for part in (self.text, *parts, self.example) if part)


def complete_docstrings(cls: type[Any], options: Sequence[str]) -> None:
    """Fill in the options and errors of a component's class, and the inputs and outputs of its `run`.

    What neither its docstring nor the vocabulary describes is left out: the docstrings of other packages may
    have another style.

    Args:
        cls: the class; its docstrings are replaced.
        options: names of its options, in the order of its signature.
    """
    if cls.__doc__ is None:  # python -OO
        return
    docstring = _Docstring.parsed(cls.__doc__)
    judged = "chat_generator" in options
    inherited = {name: entry for name, entry in _inherited(cls).items() if name in options}
    docstring.sections["Args:"] = "\n".join((inherited | docstring.entries("Args:")).values())
    errors = {"InputError": _entry("InputError", JUDGE_ERRORS if judged else ERRORS)}
    _fill(docstring, "Args:", options, OPTIONS | JUDGE_OPTIONS if judged else OPTIONS)
    docstring.sections["Raises:"] = "\n".join((errors | docstring.entries("Raises:")).values())
    cls.__doc__ = str(docstring)
    run = getattr(cls, "run", None)
    if run is not None and run.__doc__:
        run.__doc__ = _completed_run(run)


def function_docstrings(
    docstring: str | None, name: str, options: Sequence[str], sockets: Sequence[str]
) -> tuple[str, str]:
    """The docstrings of a component's class and of its `run`, from the docstring of a function.

    Options and inputs without a description are listed by name.
    """
    parsed = _Docstring.parsed(docstring or f"Score of the function `{name}`.")
    written = parsed.entries("Args:")
    words = {**{name: OPTIONS.get(name, f"option of `{name}`.") for name in options}, "name": OPTIONS["name"]}
    entries = [written.get(option) or _entry(option, text) for option, text in words.items()]
    text, example = parsed.text, f"\n\n{parsed.example}" if parsed.example else ""
    inputs = [
        written.get(socket) or _entry(socket, SOCKETS.get(socket, "one entry per item."))
        for socket in sockets
    ]
    first = text.split("\n\n", maxsplit=1)[0]
    of_class = "\n".join((text, "", "Args:", *entries)) + example
    return of_class, "\n".join((first, "", "Args:", *inputs))


def _inherited(cls: type[Any]) -> dict[str, str]:
    """The options that the bases of a component describe, which are not components themselves."""
    entries: dict[str, str] = {}
    for base in reversed(cls.__mro__[1:]):
        if "__signature__" not in vars(base):
            entries |= _Docstring.parsed(base.__doc__).entries("Args:")
    return entries


def _completed_run(run: Callable[..., Any]) -> str:
    docstring = _Docstring.parsed(run.__doc__)
    parameters = inspect.signature(run).parameters.values()
    sockets = [
        parameter.name
        for parameter in parameters
        if parameter.name != "self" and parameter.kind is not parameter.VAR_KEYWORD
    ]
    if sockets:
        _fill(docstring, "Args:", sockets, SOCKETS)
    docstring.sections.setdefault("Returns:", textwrap.indent(textwrap.fill(RETURNS, _WIDTH), "    "))
    return str(docstring)


def _fill(docstring: _Docstring, section: str, names: Sequence[str], vocabulary: Mapping[str, str]) -> None:
    written = docstring.entries(section)
    described = [name for name in names if name in written or name in vocabulary]
    filled = {name: written.get(name) or _entry(name, vocabulary[name]) for name in described}
    docstring.sections[section] = "\n".join((filled | written).values())


@cache
def _entry(name: str, words: str) -> str:
    """One entry as lines."""
    return textwrap.fill(f"{name}: {words}", _WIDTH, initial_indent=" " * 4, subsequent_indent=" " * 8)
