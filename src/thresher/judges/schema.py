"""Forms of replies, which serve the request, the reader and the estimate."""

import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from thresher.counted import counted
from thresher.judges.fields import as_yes_or_no, json_object, note_on, reason_of
from thresher.judges.gist import Gist, gist_of
from thresher.judges.reply_schema import Ambiguous, Json, Misfit, PanelUse, ReplySchema, refuse_objects

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
        at_least: minimum number of texts.
        decides: whether the texts decide the item's score by themselves, without verdicts on them.
    """

    key: str
    at_least: int = 0
    decides: bool = False

    @property
    def panel_use(self) -> PanelUse:  # type: ignore[override]  # depends on the instance
        """`once`: all judges vote on the texts that one of them extracts, unless no verdicts follow."""
        return "item" if self.decides else "once"

    def json_schema(self) -> Json:
        """One required key, a list of strings; not every strict decoder supports `minItems`."""
        return json_object({self.key: {"type": "array", "items": {"type": "string"}}})

    def read(self, data: Json) -> tuple[str, ...]:
        """The non-empty texts without surrounding space."""
        texts = data.get(self.key)
        if self.key in _twice(data) or not isinstance(texts, list):
            raise Misfit(f'it has no list "{self.key}"')
        if not all(isinstance(text, str) for text in texts):
            raise Misfit(f'"{self.key}" must hold texts only')
        texts = tuple(text.strip() for text in texts if text.strip())
        if len(texts) < self.at_least:
            raise Misfit(f'"{self.key}" holds {counted(len(texts), "text")}, not at least {self.at_least}')
        return texts

    def read_list(self, entries: Sequence[Any]) -> tuple[str, ...]:
        """The texts of the list."""
        return self.read({self.key: entries})

    def imagine(self, subject: str) -> str:
        """One text for each sentence of the subject."""
        sentences = [part for part in re.split(r"(?<=[.!?。！？])\s*", subject.strip()) if part]  # noqa: RUF001
        return json.dumps({self.key: sentences or ["-"]}, ensure_ascii=False)


@dataclass(frozen=True)
class JudgeVerdict:
    """A judge's verdict on one subject.

    Attributes:
        label: one of the labels of the form.
        reason: the reason; empty if the judge gave none.
        note: remark if the judge wrote another word for the label, e.g. 1 for yes.
    """

    label: str
    reason: str = ""
    note: str = field(default="", compare=False)


@dataclass(frozen=True)
class Verdicts(ReplySchema[dict[str, JudgeVerdict]]):
    """One verdict for each id: `{"1": {"reason": "...", "verdict": "yes"}, ...}`.

    Other ids are ignored. An id without a readable verdict is missing from the value; an id that is judged
    twice, or with an unknown label, has no readable verdict.
    """

    panel_use: ClassVar[PanelUse] = "votes"
    ids: tuple[str, ...]
    labels: tuple[str, ...] = ("yes", "no")

    @property
    def things(self) -> tuple[str, ...]:
        """The ids."""
        return self.ids

    def json_schema(self) -> Json:
        """An object with every id as a required key, so that a strict decoder omits none."""
        return {
            "$defs": {"verdict": json_object(self._fields())},
            **json_object({id_: {"$ref": "#/$defs/verdict"} for id_ in self.ids}),
        }

    def _fields(self) -> Json:
        """JSON schemas of the fields of one verdict, in the order in which they are written."""
        return {"reason": {"type": "string"}, "verdict": {"type": "string", "enum": [*self.labels]}}

    def read(self, data: Json) -> dict[str, JudgeVerdict]:
        """The verdicts by id, from an object keyed by id or a list of objects with an `id`."""
        entries, twice = self._about_one(data) or _by_id(data)
        once = (id_ for id_ in self.ids if id_ in entries and id_ not in twice)
        readable = {id_: verdict for id_ in once if (verdict := self._verdict(entries[id_])) is not None}
        if self.ids and not readable:
            raise Misfit(f"it has no verdict ({'/'.join(self.labels)}) for {', '.join(self.ids)}")
        return readable

    def together(self, values: Sequence[dict[str, JudgeVerdict]]) -> dict[str, JudgeVerdict]:
        """All verdicts if no id is judged twice (one object for each id), else the last value."""
        whole = {id_: verdict for value in values for id_, verdict in value.items()}
        return whole if len(whole) == sum(map(len, values)) else values[-1]

    def gists(self, value: dict[str, JudgeVerdict]) -> dict[str, Gist]:
        """Label and reason by id."""
        return {id_: gist_of(verdict) for id_, verdict in value.items()}

    def about(self, value: dict[str, JudgeVerdict]) -> Collection[str]:
        """The ids that have a verdict."""
        return value.keys()

    def without(self, value: dict[str, JudgeVerdict], things: Collection[str]) -> dict[str, JudgeVerdict]:
        """The verdicts on the other ids."""
        return {id_: verdict for id_, verdict in value.items() if id_ not in things}

    def votes(self, value: dict[str, JudgeVerdict]) -> dict[str, str | float]:
        """The label of each id."""
        return {id_: verdict.label for id_, verdict in value.items()}

    def elected(
        self, values: Sequence[dict[str, JudgeVerdict]], votes: Mapping[str, str | float]
    ) -> dict[str, JudgeVerdict]:
        """The pooled label of each id, with the reason of the first judge that gave it."""
        return {id_: _elected([value[id_] for value in values], str(vote)) for id_, vote in votes.items()}

    def planted(self, container: Any) -> Iterator[tuple[str, Gist]]:
        """Verdicts by id or in a list; one without an id counts for every id, as keys are easily changed."""
        yield from super().planted({"verdicts": container} if isinstance(container, list) else container)
        verdict = self._verdict(container) if isinstance(container, dict) else None
        if verdict is not None:
            id_ = str(container.get("id", ""))
            yield from ((thing, gist_of(verdict)) for thing in self.ids if id_ in ("", thing))

    def read_list(self, entries: Sequence[Any]) -> dict[str, JudgeVerdict]:
        """The verdicts of a list with exactly one verdict per id of the form."""
        return self.read_wrapped(entries)

    def read_wrapped(self, inner: Any) -> dict[str, JudgeVerdict]:
        """The verdicts of a container with exactly one verdict per id of the form."""
        verdicts = self.read({"verdicts": inner})
        if len(inner) != len(self.ids) or len(verdicts) != len(self.ids):
            raise Misfit(f"it is not about {', '.join(self.ids)} alone")
        return verdicts

    def imagine(self, subject: str) -> str:  # noqa: ARG002
        """The first label for every id, with a short reason."""
        return json.dumps(dict.fromkeys(self.ids, self._imagined()))

    def _imagined(self) -> Json:
        return {"reason": "The passage states this, so it can be told from it.", "verdict": self.labels[0]}

    def _about_one(self, data: Json) -> tuple[Json, frozenset[str]] | None:
        """A single verdict without another id, if the form has one id."""
        alone = len(self.ids) == 1 and "verdict" in data and self.ids[0] not in data
        if not alone or str(data.get("id", self.ids[0])) != self.ids[0]:
            return None
        return {self.ids[0]: data}, frozenset()

    def _verdict(self, entry: Any) -> JudgeVerdict | None:
        """The verdict in an entry; None if it has none or several."""
        whole = entry if isinstance(entry, Mapping) else {"verdict": entry}
        word = whole.get("verdict")
        label = None if "verdict" in _twice(whole) else self._label(word)
        return None if label is None else JudgeVerdict(label, reason_of(whole), note_on(word, label))

    def _label(self, word: Any) -> str | None:
        """The label of a word, ignoring case and punctuation, or of its synonym."""
        plain = word.strip(".!\"'` \t\n\r").casefold() if isinstance(word, str) else None
        label = next((label for label in self.labels if label.casefold() == plain), None)
        return as_yes_or_no(word, self.labels) if label is None else label


def _elected(verdicts: Sequence[JudgeVerdict], label: str) -> JudgeVerdict:
    agreeing = (verdict for verdict in verdicts if verdict.label == label)
    return next(agreeing, None) or replace(verdicts[0], label=label, reason="", note="")


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
    return by_id, frozenset(id_ for id_, count in ids.items() if count > 1)
