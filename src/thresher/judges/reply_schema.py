"""Base class of the forms of replies."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import fields, replace
from functools import lru_cache
from typing import Any, ClassVar, Generic, Literal, TypeVar

from thresher.judges.gist import WHOLE, Gist, gist_of

T = TypeVar("T")
Json = dict[str, Any]
PanelUse = Literal["votes", "once", "item"]
_OPENING = re.compile(r"\{\s*(?:[\"']|\w+\s*:)")
"""Start of an object, well-formed or not."""
_WORDS = ("reason", "note")


class Misfit(Exception):  # noqa: N818  (not a user's error)
    """The reply does not fit the form; the message may be sent to the judge."""


class Ambiguous(dict[str, Any]):
    """A JSON object with repeated keys, named in `twice`."""

    twice: frozenset[str] = frozenset()


class ReplySchema(ABC, Generic[T]):
    """Form of a reply; subclasses are frozen dataclasses.

    Attributes:
        panel_use: what a panel of judges does with an ask of this form. `votes`: every judge is asked, and
            `votes` are pooled; `once`: one judge is asked, as for extractions; `item`: judges answer in words
            of their own, so every judge is asked all about the item, and the item's scores are pooled.
    """

    panel_use: ClassVar[PanelUse] = "item"

    @property
    def form(self) -> str:
        """The JSON schema as text, equal for equal forms."""
        try:
            return _form(self)
        except TypeError:  # a form with a dict or a list is not hashable
            return _schema_text(self)

    @property
    def things(self) -> tuple[str, ...]:
        """Ids of the subjects that a reply judges."""
        return (WHOLE,)

    @abstractmethod
    def json_schema(self) -> Json:
        """JSON schema in the subset that strict structured output accepts."""

    @abstractmethod
    def read(self, data: Json) -> T:
        """Read a JSON object; raise `Misfit` if it does not fit."""

    def read_text(self, text: str) -> T:
        """Read a reply without a fitting object; most forms cannot."""
        del text
        raise Misfit("it holds no complete JSON object of the form asked for")

    def together(self, values: Sequence[T]) -> T:
        """Choose among several values of one reply: the last value, as the others are drafts."""
        return values[-1]

    def gists(self, value: T) -> dict[str, Gist]:
        """Judgement and reason by id; most forms have one id, `WHOLE`."""
        return {WHOLE: gist_of(value)}

    def about(self, value: T) -> Collection[str]:
        """Ids of the subjects that a value judges, without the cost of their gists if a form can."""
        return self.gists(value).keys()

    def without(self, value: T, things: Collection[str]) -> T:
        """Remove some ids from a value, but not all; most forms have only one."""
        del things
        return value

    def planted(self, container: Any) -> Iterator[tuple[str, Gist]]:
        """Read a JSON object or list of the data as if it were a reply: ids and gists."""
        if isinstance(container, dict):
            with suppress(Misfit):
                yield from self.gists(self.read(container)).items()

    def remarks(self, value: T) -> list[str]:
        """Notes on a value that was read leniently: synonyms and missing reasons."""
        parts = dict(_parts(value))
        notes = [
            f"{name}: {part.note}" if name else part.note for name, part in parts.items() if _has_note(part)
        ]
        unexplained = [name for name, part in parts.items() if getattr(part, "reason", None) == ""]
        if not unexplained or '"reason"' not in self.form:
            return notes
        which = f" for {', '.join(unexplained)}" if "" not in unexplained else ""
        return [*notes, f"no reason was given{which}"]

    def votes(self, value: T) -> dict[str, str | float]:
        """Votes of a value by subject: its labels and numbers. For forms whose `panel_use` is `votes`."""
        parts = ((part.name, getattr(value, part.name)) for part in fields(value))  # type: ignore[arg-type]  # a dataclass
        return {name: part for name, part in parts if name not in _WORDS}

    def elected(self, values: Sequence[T], votes: Mapping[str, str | float]) -> T:
        """Return the value with these pooled votes, and the reason of the first judge that voted so."""
        agreeing = (value for value in values if self.votes(value) == votes)
        return next(agreeing, None) or replace(values[0], **votes, reason="")  # type: ignore[type-var]  # a dataclass

    def read_list(self, entries: Sequence[Any]) -> T:
        """Read a reply that is a bare list; most forms cannot."""
        del entries
        raise Misfit("it is a list, not a JSON object of the form asked for")

    def read_wrapped(self, inner: Any) -> T:
        """Read a value under an unexpected key."""
        if not isinstance(inner, dict):
            raise Misfit("it holds no complete JSON object of the form asked for")
        return self.read(inner)

    @abstractmethod
    def imagine(self, subject: str) -> str:
        """Make a plausible reply about `subject`, for cost estimates."""


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a value by name; a single value has the name ""."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, tuple):
        yield from ((str(place), part) for place, part in enumerate(value, 1))
    else:
        yield "", value


def _has_note(part: Any) -> bool:
    return bool(getattr(part, "note", ""))


@lru_cache(maxsize=1024)
def _form(schema: ReplySchema[Any]) -> str:
    return _schema_text(schema)


def _schema_text(schema: ReplySchema[Any]) -> str:
    return json.dumps(schema.json_schema(), sort_keys=True)


def refuse_objects(text: str) -> None:
    """Raise if a text contains an object, which did not fit and must not be read as plain text.

    Raises:
        Misfit: if it does.
    """
    if _OPENING.search(text):
        raise Misfit("it holds no complete JSON object of the form asked for")
