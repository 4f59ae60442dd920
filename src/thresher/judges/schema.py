"""What a reply must look like: a small description that serves the request, the reader and the estimate."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from thresher.judges.fields import as_yes_or_no, json_object, note_on, reason_of
from thresher.judges.gist import Gist, gist_of
from thresher.judges.reply_schema import Ambiguous, Json, Misfit, ReplySchema, refuse_objects

__all__ = [
    "Ambiguous",
    "Json",
    "JudgeVerdict",
    "Misfit",
    "ReplySchema",
    "Texts",
    "Verdicts",
    "refuse_objects",
]


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
        return json_object({self.key: {"type": "array", "items": {"type": "string"}}})

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
class JudgeVerdict:
    """What a judge said about one thing.

    Attributes:
        label: the verdict, one of the labels asked for.
        reason: why; empty where the judge gave no reason.
        note: that the judge wrote another word for the label, e.g. 1 for yes.
    """

    label: str
    reason: str = ""
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Verdicts(ReplySchema[dict[str, JudgeVerdict]]):
    """One verdict for each id: `{"1": {"reason": "...", "verdict": "yes"}, ...}`.

    Ids that were not asked for are ignored; an id without a readable verdict is missing from the value;
    an id that is judged twice, or out of the vocabulary, has no readable verdict.
    """

    ids: tuple[str, ...]
    labels: tuple[str, ...] = ("yes", "no")

    @property
    def things(self) -> tuple[str, ...]:
        """The ids."""
        return self.ids

    def json_schema(self) -> Json:
        """An object with every id as a required key, so that a strict decoder leaves none out."""
        verdict = json_object(
            {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": [*self.labels]}}
        )
        return {
            "$defs": {"verdict": verdict},
            **json_object({id_: {"$ref": "#/$defs/verdict"} for id_ in self.ids}),
        }

    def read(self, data: Json) -> dict[str, JudgeVerdict]:
        """The verdicts by id, as an object keyed by id or as a list of objects that carry theirs."""
        entries, twice = self._about_one(data) or _by_id(data)
        found = {id_: self._verdict(entries[id_]) for id_ in self.ids if id_ in entries and id_ not in twice}
        readable = {id_: verdict for id_, verdict in found.items() if verdict is not None}
        if self.ids and not readable:
            raise Misfit(f"it has no verdict ({'/'.join(self.labels)}) for {', '.join(self.ids)}")
        return readable

    def together(self, values: Sequence[dict[str, JudgeVerdict]]) -> dict[str, JudgeVerdict]:
        """All verdicts where no thing is judged twice, as some judges give each an object; else the last."""
        whole = {id_: verdict for value in values for id_, verdict in value.items()}
        return whole if len(whole) == sum(map(len, values)) else values[-1]

    def gists(self, value: dict[str, JudgeVerdict]) -> dict[str, Gist]:
        """Label and reason by id."""
        return {id_: gist_of(verdict) for id_, verdict in value.items()}

    def without(self, value: dict[str, JudgeVerdict], things: Collection[str]) -> dict[str, JudgeVerdict]:
        """The verdicts on the other ids."""
        return {id_: verdict for id_, verdict in value.items() if id_ not in things}

    def planted(self, found: Any) -> Iterator[tuple[str, Gist]]:
        """Verdicts keyed by id or in a list; one without an id is on every id: a key is easily changed."""
        yield from super().planted({"verdicts": found} if isinstance(found, list) else found)
        verdict = self._verdict(found) if isinstance(found, dict) else None
        if verdict is not None:
            id_ = str(found.get("id", ""))
            yield from ((thing, gist_of(verdict)) for thing in self.ids if id_ in ("", thing))

    def read_list(self, said: Sequence[Any]) -> dict[str, JudgeVerdict]:
        """The verdicts, if exactly the ids that were asked for have one each."""
        return self.read_wrapped(said)

    def read_wrapped(self, said: Any) -> dict[str, JudgeVerdict]:
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

    def _verdict(self, entry: Any) -> JudgeVerdict | None:
        """The verdict in an entry; None where it has none, or several."""
        whole = entry if isinstance(entry, Mapping) else {"verdict": entry}
        said = whole.get("verdict")
        label = None if "verdict" in _twice(whole) else self._label(said)
        return None if label is None else JudgeVerdict(label, reason_of(whole), note_on(said, label))

    def _label(self, said: Any) -> str | None:
        """The label without regard to case and punctuation, or the one that another word stands for."""
        plain = said.strip(".!\"'` \t\n\r").casefold() if isinstance(said, str) else None
        label = next((label for label in self.labels if label.casefold() == plain), None)
        return as_yes_or_no(said, self.labels) if label is None else label


def _twice(data: Mapping[str, Any]) -> frozenset[str]:
    return data.twice if isinstance(data, Ambiguous) else frozenset()


def _by_id(data: Json) -> tuple[Json, frozenset[str]]:
    """Entries by id, and the ids that occur twice; a wrapping key `verdicts` is skipped."""
    inner = data.get("verdicts", data)
    if isinstance(inner, Mapping):
        return dict(inner), _twice(inner)
    entries = [entry for entry in inner if isinstance(entry, Mapping)] if isinstance(inner, Sequence) else []
    ids = Counter(str(entry.get("id")) for entry in entries)
    by_id = {str(entry.get("id")): dict(entry) for entry in entries}
    return by_id, frozenset(id_ for id_, times in ids.items() if times > 1)
