"""What a reply must look like: a small description that serves the request, the reader and the estimate."""

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, TypeVar

T = TypeVar("T")
Json = dict[str, Any]
_REASON_KEYS = ("reason", "analysis", "explanation")
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


@dataclass(frozen=True)
class Texts(ReplySchema[tuple[str, ...]]):
    """A list of texts under one key: `{"statements": ["...", "..."]}`.

    Attributes:
        key: the key.
        at_least: how many texts a list must hold to be of use.
    """

    key: str
    at_least: int = 0

    def json_schema(self) -> Json:
        """One required key, a list of strings; not every strict decoder knows `minItems`."""
        return _object({self.key: {"type": "array", "items": {"type": "string"}}})

    def read(self, data: Json) -> tuple[str, ...]:
        """The texts without surrounding space; empty ones are left out."""
        texts = data.get(self.key)
        if self.key in _twice(data) or not isinstance(texts, list):
            raise Misfit(f'it has no list "{self.key}"')
        if not all(isinstance(text, str) for text in texts):
            raise Misfit(f'"{self.key}" must hold texts only')
        found = tuple(text.strip() for text in texts if text.strip())
        if len(found) < self.at_least:
            raise Misfit(f'"{self.key}" holds {len(found)} texts, not at least {self.at_least}')
        return found

    def read_list(self, said: Sequence[Any]) -> tuple[str, ...]:
        """The texts of the list."""
        return self.read({self.key: said})

    def imagine(self, subject: str) -> str:
        """One text a sentence of the subject."""
        sentences = [part for part in re.split(r"(?<=[.!?。！？])\s*", subject.strip()) if part]  # noqa: RUF001
        return json.dumps({self.key: sentences or ["-"]}, ensure_ascii=False)


@dataclass(frozen=True)
class Verdict:
    """What a judge said about one thing."""

    label: str
    reason: str = ""


@dataclass(frozen=True)
class Verdicts(ReplySchema[dict[str, Verdict]]):
    """One verdict for each id: `{"1": {"reason": "...", "verdict": "yes"}, ...}`.

    Ids that were not asked for are ignored; an id without a readable verdict is missing from the value;
    an id that is judged twice, or out of the vocabulary, has no readable verdict.
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...] = ("yes", "no")

    def json_schema(self) -> Json:
        """An object with every id as a required key, so that a strict decoder leaves none out."""
        verdict = _object(
            {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": [*self.labels]}}
        )
        return {
            "$defs": {"verdict": verdict},
            **_object({id_: {"$ref": "#/$defs/verdict"} for id_ in self.ids}),
        }

    def read(self, data: Json) -> dict[str, Verdict]:
        """The verdicts by id, as an object keyed by id or as a list of objects that carry theirs."""
        entries, twice = self._about_one(data) or _by_id(data)
        found = {id_: self._verdict(entries[id_]) for id_ in self.ids if id_ in entries and id_ not in twice}
        readable = {id_: verdict for id_, verdict in found.items() if verdict is not None}
        if self.ids and not readable:
            raise Misfit(f"it has no verdict ({'/'.join(self.labels)}) for {', '.join(self.ids)}")
        return readable

    def together(self, values: Sequence[dict[str, Verdict]]) -> dict[str, Verdict]:
        """All verdicts where no thing is judged twice, as some judges give each an object; else the last."""
        whole = {id_: verdict for value in values for id_, verdict in value.items()}
        return whole if len(whole) == sum(map(len, values)) else values[-1]

    def read_list(self, said: Sequence[Any]) -> dict[str, Verdict]:
        """The verdicts, if exactly the ids that were asked for have one each."""
        return self.read_wrapped(said)

    def read_wrapped(self, said: Any) -> dict[str, Verdict]:
        """The verdicts, if exactly the ids that were asked for have one each: else who knows what it is."""
        found = self.read({"verdicts": said})
        if len(said) != len(self.ids) or len(found) != len(self.ids):
            raise Misfit(f"it is not about {', '.join(self.ids)} alone")
        return found

    def imagine(self, subject: str) -> str:
        """The first label for every id, with a short reason."""
        del subject
        verdict = {"reason": "The passage states this, so it can be told from it.", "verdict": self.labels[0]}
        return json.dumps(dict.fromkeys(self.ids, verdict))

    def _about_one(self, data: Json) -> tuple[Json, frozenset[str]] | None:
        """A verdict that names no other thing, where only one was asked about."""
        alone = len(self.ids) == 1 and "verdict" in data and self.ids[0] not in data
        if not alone or str(data.get("id", self.ids[0])) != self.ids[0]:
            return None
        return {self.ids[0]: data}, frozenset()

    def _verdict(self, entry: Any) -> Verdict | None:
        if isinstance(entry, Mapping):
            reason = next((entry[key] for key in _REASON_KEYS if isinstance(entry.get(key), str)), "")
            label = None if "verdict" in _twice(entry) else self._label(entry.get("verdict"))
        else:
            reason, label = "", self._label(entry)
        return None if label is None else Verdict(label, reason.strip())

    def _label(self, said: Any) -> str | None:
        """The label without regard to case and punctuation; true and false stand for yes and no."""
        word = {True: "yes", False: "no"}[said] if isinstance(said, bool) else said
        plain = word.strip().strip(".!\"'` ").casefold() if isinstance(word, str) else None
        return next((label for label in self.labels if label.casefold() == plain), None)


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


def _object(properties: Json) -> Json:
    """A JSON object with exactly these keys."""
    return {
        "type": "object",
        "properties": properties,
        "required": [*properties],
        "additionalProperties": False,
    }


def _twice(data: Mapping[str, Any]) -> frozenset[str]:
    return data.twice if isinstance(data, Ambiguous) else frozenset()


def _by_id(data: Json) -> tuple[Json, frozenset[str]]:
    """Entries by id, and the ids that stand twice; a wrapping key `verdicts` is looked through."""
    inner = data.get("verdicts", data)
    if isinstance(inner, Mapping):
        return dict(inner), _twice(inner)
    entries = [entry for entry in inner if isinstance(entry, Mapping)] if isinstance(inner, Sequence) else []
    ids = [str(entry.get("id")) for entry in entries]
    return dict(zip(ids, entries, strict=True)), frozenset(id_ for id_ in ids if ids.count(id_) > 1)
