"""The kinds of fields that a reply may have: texts, numbers on a scale, labels."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.errors import InputError
from thresher.judges.fields import TEXT, label_in, label_of, number_in, number_of
from thresher.judges.schema import Json, Misfit
from thresher.metrics import FiniteNumber, check_option

_ENDS = {"low", "high"}
_MOST_LISTED = 20
"""A schema lists fewer whole numbers than this one by one."""
_YES_NO = {"yes": 1.0, "no": 0.0}


@dataclass(frozen=True)
class Words:
    """A text, or a list of texts."""

    several: bool = False
    ends: tuple[float, float] | None = None

    def schema(self) -> Json:
        """As JSON schema."""
        return {"type": "array", "items": TEXT} if self.several else TEXT

    def described(self) -> str:
        """In words, for the judge."""
        return "a list of texts" if self.several else "a text"

    def read(self, entry: Any) -> Any:
        """The text or texts; anything but a text in place of one, such as a list of reasons, as JSON."""
        if not self.several:
            return entry if isinstance(entry, str) else json.dumps(entry, ensure_ascii=False)
        if not isinstance(entry, list) or not all(isinstance(text, str) for text in entry):
            raise Misfit(f"it must be {self.described()}")
        return entry

    def example(self) -> Any:
        """Something plausible, for estimates."""
        text = "The passage speaks of exactly this, and it can be told from it."
        return [text] if self.several else text


@dataclass(frozen=True)
class Number:
    """A number on a scale."""

    low: float
    high: float
    whole: bool

    @property
    def ends(self) -> tuple[float, float]:
        """Lowest and highest score."""
        return self.low, self.high

    def schema(self) -> Json:
        """As JSON schema."""
        if self.whole and self.high - self.low < _MOST_LISTED:
            return {"type": "integer", "enum": [*range(int(self.low), int(self.high) + 1)]}
        return {"type": "integer" if self.whole else "number"}

    def described(self) -> str:
        """In words, for the judge."""
        return f"a {'whole ' if self.whole else ''}number from {self.low:g} to {self.high:g}"

    def read(self, entry: Any) -> float:
        """The number; never clamped."""
        return number_of(entry, self.low, self.high, whole=self.whole)

    def read_text(self, text: str) -> float:
        """The only rating in a plain text."""
        return number_in(text, self.low, self.high, whole=self.whole)

    def score(self, value: float) -> float:
        """The number itself."""
        return value

    def example(self) -> float:
        """The highest."""
        return self.high


@dataclass(frozen=True)
class Labels:
    """One of several words, each with its score if it has one."""

    scores: tuple[tuple[str, float | None], ...]

    @property
    def labels(self) -> list[str]:
        """The words."""
        return [label for label, _ in self.scores]

    @property
    def ends(self) -> tuple[float, float] | None:
        """Lowest and highest score; None if labels have no scores."""
        known = [score for _, score in self.scores if score is not None]
        return (min(known), max(known)) if len(known) == len(self.scores) else None

    def schema(self) -> Json:
        """As JSON schema."""
        return {"type": "string", "enum": self.labels}

    def described(self) -> str:
        """In words, for the judge."""
        return "one of " + ", ".join(f'"{label}"' for label in self.labels)

    def read(self, entry: Any) -> str:
        """The label."""
        return label_of(entry, self.labels)

    def read_text(self, text: str) -> str:
        """The only label in a plain text."""
        return label_in(text, self.labels)

    def score(self, value: str) -> float:
        """The label's score."""
        return float(dict(self.scores)[value] or 0.0)

    def example(self) -> str:
        """The first."""
        return self.labels[0]


Kind = Words | Number | Labels


def kind_of(name: str, description: Any) -> Kind:
    """Return the kind of a field that a user describes.

    Args:
        name: the field.
        description: `text`, `texts`, a scale, labels, or labels with scores.

    Raises:
        InputError: for anything else; names the field.
    """
    if description in ("text", "texts"):
        return Words(several=description == "texts")
    if isinstance(description, Mapping) and _ENDS <= description.keys() <= _ENDS | {"whole"}:
        return _number(name, description)
    if isinstance(description, Mapping) and description:
        for label, score in description.items():
            check_option(f"reply.{name}.{label}", score, FiniteNumber)
        return _labels(name, [(word(label), float(score)) for label, score in description.items()])
    if isinstance(description, Sequence) and not isinstance(description, str) and len(description) > 1:
        labels = [word(label) for label in description]
        scores = _YES_NO if set(labels) == set(_YES_NO) else {}
        return _labels(name, [(label, scores.get(label)) for label in labels])
    raise InputError(
        f"reply.{name}={description!r} is not a kind of field; give text, texts, {{low: 1, high: 5}}, "
        "a list of labels, or a mapping of labels to scores"
    )


def _labels(name: str, scores: Sequence[tuple[str, float | None]]) -> Labels:
    folded = [label.casefold() for label, _ in scores]
    for label, same in zip(scores, folded, strict=True):
        if folded.count(same) > 1:
            raise InputError(
                f"reply.{name}: the label {label[0]!r} occurs twice (case is ignored); rename one"
            )
    return Labels(tuple(scores))


def _number(name: str, description: Mapping[str, Any]) -> Number:
    for end in ("low", "high"):
        check_option(f"reply.{name}.{end}", description[end], FiniteNumber)
    low, high, whole = float(description["low"]), float(description["high"]), description.get("whole", True)
    if not isinstance(whole, bool):
        raise InputError(f"reply.{name}.whole={whole!r} must be true or false")
    if not low < high or (whole and not (low.is_integer() and high.is_integer())):
        what = "whole numbers" if whole else "numbers"
        raise InputError(f"reply.{name}: low={low:g} and high={high:g} must be {what}, the lower one first")
    return Number(low, high, whole)


def word(label: Any) -> str:
    """A label as text; YAML reads an unquoted yes and no as true and false."""
    return {True: "yes", False: "no"}[label] if isinstance(label, bool) else str(label)
