"""What every form of a reply has in common."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, Generic, TypeVar

from thresher.judges.gist import WHOLE, Gist, gist_of

T = TypeVar("T")
Json = dict[str, Any]
_OPENING = re.compile(r"\{\s*(?:[\"']|\w+\s*:)")
"""How an object begins, well written or not."""


class Misfit(Exception):  # noqa: N818  (not an error of the user's: the reply does not fit)
    """A reply that does not fit; its text says why, in words that may be told to the judge."""


class Ambiguous(dict[str, Any]):
    """A JSON object in which keys stand twice; `twice` names them."""

    twice: frozenset[str] = frozenset()


class ReplySchema(ABC, Generic[T]):
    """The form of one reply; subclasses are frozen dataclasses."""

    @property
    def form(self) -> str:
        """The JSON schema as a text, the same for equal forms; written once for all that are equal."""
        try:
            return _form(self)
        except TypeError:  # a form with a dict or a list in it has no hash
            return _written(self)

    @property
    def things(self) -> tuple[str, ...]:
        """What a reply is about."""
        return (WHOLE,)

    @abstractmethod
    def json_schema(self) -> Json:
        """The form as JSON schema, in the subset that strict structured output accepts."""

    @abstractmethod
    def read(self, data: Json) -> T:
        """The value in a JSON object; `Misfit` if it does not fit."""

    def read_text(self, text: str) -> T:
        """The value in a reply without a fitting object; most forms have none."""
        del text
        raise Misfit("it holds no complete JSON object of the form asked for")

    def together(self, values: Sequence[T]) -> T:
        """What several values of one reply come to: the last one, as the others were drafts."""
        return values[-1]

    def gists(self, value: T) -> dict[str, Gist]:
        """What a value says about each thing: for most forms one thing, `WHOLE`."""
        return {WHOLE: gist_of(value)}

    def without(self, value: T, things: Collection[str]) -> T:
        """The value without what it says about some things, but not all; most forms have only one."""
        del things
        return value

    def planted(self, found: Any) -> Iterator[tuple[str, Gist]]:
        """What a JSON object or list in the data says, were it a reply: thing and gist."""
        if isinstance(found, dict):
            with suppress(Misfit):
                yield from self.gists(self.read(found)).items()

    def remarks(self, value: T) -> list[str]:
        """What a reader should know of a value that was read all the same: other words, reasons not given."""
        parts = dict(_parts(value))
        notes = [
            f"{name}: {part.note}" if name else part.note for name, part in parts.items() if _noted(part)
        ]
        unexplained = [name for name, part in parts.items() if getattr(part, "reason", None) == ""]
        if not unexplained or '"reason"' not in self.form:
            return notes
        which = f" for {', '.join(unexplained)}" if "" not in unexplained else ""
        return [*notes, f"no reason was given{which}"]

    def read_list(self, said: Sequence[Any]) -> T:
        """The value in a reply that is a bare list; most forms have none."""
        del said
        raise Misfit("it is a list, not a JSON object of the form asked for")

    def read_wrapped(self, said: Any) -> T:
        """The value in what stands under a key that nobody asked for."""
        if not isinstance(said, dict):
            raise Misfit("it holds no complete JSON object of the form asked for")
        return self.read(said)

    @abstractmethod
    def imagine(self, subject: str) -> str:
        """A plausible reply about `subject`, for estimates made before anything is asked."""


def _parts(value: Any) -> Iterator[tuple[str, Any]]:
    """The parts of a value by name; a single one has none."""
    if isinstance(value, dict):
        yield from value.items()
    elif isinstance(value, tuple):
        yield from ((str(place), part) for place, part in enumerate(value, 1))
    else:
        yield "", value


def _noted(part: Any) -> bool:
    return bool(getattr(part, "note", ""))


@lru_cache(maxsize=1024)
def _form(schema: ReplySchema[Any]) -> str:
    return _written(schema)


def _written(schema: ReplySchema[Any]) -> str:
    return json.dumps(schema.json_schema(), sort_keys=True)


def refuse_objects(text: str) -> None:
    """Refuse a text with an object in it: one that did not fit must not be read as plain text.

    Raises:
        Misfit: if there is one.
    """
    if _OPENING.search(text):
        raise Misfit("it holds no complete JSON object of the form asked for")
