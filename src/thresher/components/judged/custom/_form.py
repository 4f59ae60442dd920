"""The form of a reply that a user describes: fields, and the one that is the score."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.components.judged.custom._kinds import Kind, Labels, Number, Words, kind_of, word
from thresher.errors import InputError
from thresher.judges import ReplySchema
from thresher.judges.fields import field_of, json_object, keys_of, note_on
from thresher.judges.gist import WHOLE, Gist, judgement_of
from thresher.judges.reply_schema import PanelUse
from thresher.judges.schema import Json, Misfit, refuse_objects
from thresher.results.choices import unknown_choice


class ReadFields(dict[str, Any]):
    """Field -> value; `notes` lists the labels that the judge wrote in other words."""

    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Form(ReplySchema[dict[str, Any]]):
    """A JSON object with fields in a fixed order.

    Attributes:
        fields: name and kind of each field.
        scored: the field that is the score.
    """

    fields: tuple[tuple[str, Kind], ...]
    scored: str

    @property
    def panel_use(self) -> PanelUse:  # type: ignore[override]  # depends on the instance
        """`votes`; `once` for texts alone, on which later steps give verdicts."""
        return "once" if all(isinstance(kind, Words) for _, kind in self.fields) else "votes"

    @property
    def scale(self) -> Number | Labels:
        """The kind of the score."""
        kind = dict(self.fields)[self.scored]
        if isinstance(kind, Words):
            raise TypeError(f"{self.scored} is a text, not a score")
        return kind

    def in_words(self, each: str = "") -> str:
        """The instruction for the judge.

        Args:
            each: name of a list, if the reply has these fields for each of its entries.
        """
        listed = "; ".join(f'"{name}", {kind.described()}' for name, kind in self.fields)
        whom = f" for the number of each of the {each} an object with" if each else ""
        return f"Reply with a JSON object that holds{whom}, in this order: {listed}."

    def json_schema(self) -> Json:
        """All fields, required."""
        return json_object({name: kind.schema() for name, kind in self.fields})

    def read(self, data: Json) -> dict[str, Any]:
        """All fields. Texts may be missing: they only explain the score."""
        entries = {name: self._read_field(data, name, kind) for name, kind in self.fields}
        labels = [name for name, kind in self.fields if isinstance(kind, Labels)]
        notes = [(name, note_on(field_of(data, name), entries[name])) for name in labels]
        read = ReadFields(entries)
        read.notes = tuple(f"{name}: {note}" for name, note in notes if note)
        return read

    def gists(self, value: dict[str, Any]) -> dict[str, Gist]:
        """Numbers and labels are the judgement, texts the reason."""
        words = [name for name, kind in self.fields if isinstance(kind, Words)]
        judgement = {name: entry for name, entry in value.items() if name not in words}
        reasons = (entry for name in words for entry in _listed(value[name]))
        return {WHOLE: Gist(judgement_of(judgement), " ".join(reasons) if words else None)}

    def votes(self, value: dict[str, Any]) -> dict[str, str | float]:
        """Numbers and labels by field."""
        return {name: value[name] for name, kind in self.fields if not isinstance(kind, Words)}

    def elected(self, values: Sequence[dict[str, Any]], votes: Mapping[str, str | float]) -> dict[str, Any]:
        """The pooled numbers and labels, with the texts of the first judge that gave all of them."""
        agreeing = (value for value in values if self.votes(value) == votes)
        return {**next(agreeing, values[0]), **votes}

    def remarks(self, value: dict[str, Any]) -> list[str]:
        """Labels in other words, and missing texts."""
        words = [name for name, kind in self.fields if isinstance(kind, Words)]
        notes = value.notes if isinstance(value, ReadFields) else ()
        return [*notes, *(f'no "{name}" was given' for name in words if not value[name])]

    def read_text(self, text: str) -> dict[str, Any]:
        """The score, if all other fields are texts; each of them is then the whole reply."""
        refuse_objects(text)
        others = [kind for name, kind in self.fields if name != self.scored]
        if any(not isinstance(kind, Words) or kind.several for kind in others):
            raise Misfit("it holds no complete JSON object of the form asked for")
        score = self.scale.read_text(text)
        return {name: score if name == self.scored else text.strip() for name, _ in self.fields}

    def imagine(self, subject: str) -> str:
        """A plausible reply."""
        del subject
        return json.dumps({name: kind.example() for name, kind in self.fields})

    @staticmethod
    def _read_field(data: Json, name: str, kind: Kind) -> Any:
        if isinstance(kind, Words) and all(data[key] is None for key in keys_of(data, name)):
            return [] if kind.several else ""
        entry = field_of(data, name)
        try:
            return kind.read(entry)
        except Misfit as error:
            raise Misfit(f'"{name}": {error}') from error


def _listed(words: str | list[str]) -> list[str]:
    return [words] if isinstance(words, str) else words


def form_of(reply: Any, scored: Any) -> Form:
    """Return the form that a user describes.

    Args:
        reply: field -> kind: `text`, `texts`, `{low: 1, high: 5}` (with `whole: false` for decimals), a list
            of labels, or a mapping of labels to scores.
        scored: the field that is the score.

    Raises:
        InputError: for an unusable description; names the field.
    """
    form = Form(kinds_of(reply), str(scored))
    known = dict(form.fields)
    if scored not in known:
        raise unknown_choice(f"score: reply field {scored!r}", scored, list(known))
    if known[scored].ends is None:
        raise InputError(f"reply.{scored} gives no score; use a number, or a mapping of labels to scores")
    low, high = known[scored].ends or (0.0, 0.0)
    if not low < high:
        raise InputError(f"reply.{scored} has only the score {low:g}; a scale needs two")
    return form


def kinds_of(reply: Any) -> tuple[tuple[str, Kind], ...]:
    """Fields with their kinds, in their order.

    Raises:
        InputError: for an unusable description; names the field.
    """
    if not isinstance(reply, Mapping) or not reply:
        raise InputError("reply must map the fields of the judge's reply to their kinds, e.g. {reason: text}")
    return tuple((str(name), kind_of(str(name), kind)) for name, kind in reply.items())


def plain(reply: Mapping[str, Any]) -> dict[str, Any]:
    """A user's description with texts as keys, as files store it."""
    return {
        str(name): {word(key): value for key, value in kind.items()} if isinstance(kind, Mapping) else kind
        for name, kind in reply.items()
    }
