"""Thresholds of a deployment, from the file that `thresher thresholds --export` writes.

The file is plain JSON (or YAML): without this package, `json.load(file)["thresholds"].get(label, default)`
reads it. This module adds checks, and imports only errors, parsers and counted nouns of the package.
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, Self

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.parsing import parse_json, parse_yaml
from thresher.files.texts import whole_text

SCHEMA = "thresher-thresholds/1"
"""Name and version of the form of the file; another form gets another number."""


_COMMAND = "`thresher thresholds RUN --export FILE`"


@dataclass(frozen=True)
class Thresholds:
    """One threshold per label, and one for all other labels.

    Attributes:
        default: threshold of labels without one of their own; None keeps nothing.
        labels: label -> its threshold; None keeps nothing of that label.
        direction: whether scores of at least (`higher`) or at most (`lower`) the threshold are kept.
        positive: of two labels, the one to report; None otherwise.
        metric: the metric whose scores the thresholds are for.
        objective: what they were chosen for.
        source: the rest of the file: run, ranges, values on other items.

    >>> thresholds = Thresholds(0.5, {"cat": 0.3})
    >>> thresholds.apply("cat", 0.3), thresholds.apply("dog", 0.3)
    (True, False)
    """

    default: float | None
    labels: Mapping[str, float | None] = field(default_factory=dict)
    direction: Literal["higher", "lower"] = "higher"
    positive: str | None = None
    metric: str = ""
    objective: str = ""
    source: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def from_dict(cls, data: Any, where: object = "thresholds") -> Self:
        """Read the content of a file.

        Raises:
            InputError: for another form, or thresholds that are not numbers.
        """
        if not isinstance(data, Mapping) or data.get("schema") != SCHEMA:
            raise InputError(f"{where}: {_other_kind(data)}; write one with {_COMMAND}")
        labels = data.get("thresholds", {})
        if not isinstance(labels, Mapping) or not all(isinstance(label, str) for label in labels):
            raise InputError(f"{where}: thresholds must be an object label -> number")
        named = {"default": data.get("default"), **{f"thresholds[{key!r}]": labels[key] for key in labels}}
        for name, value in named.items():
            _check_number(value, f"{where}: {name}")
        if data.get("direction", "higher") not in ("higher", "lower"):
            raise InputError(f"{where}: direction is {data['direction']!r}; give 'higher' or 'lower'")
        positive = data.get("positive")
        return cls(
            data.get("default"),
            dict(labels),
            data.get("direction", "higher"),
            None if positive is None else str(positive),
            str(data.get("metric") or ""),
            str(data.get("objective") or ""),
            dict(data),
        )

    def of(self, label: object) -> float | None:
        """The threshold of a label; None keeps nothing.

        Raises:
            InputError: for a class number where the file has names, which would get the default unnoticed.
        """
        label = label.item() if hasattr(label, "item") else label  # of numpy's and torch's arrays
        if isinstance(label, int) and self.labels and not any(name.isdecimal() for name in self.labels):
            known = next(iter(self.labels))
            raise InputError(
                f"label {label} is a class number, and thresholds are of names such as {known!r}; give the "
                f"model's name of the class, names[{label}]"
            )
        return self.labels.get(str(label), self.default)

    def apply(self, label: object, score: float) -> bool:
        """Whether a label or object with this score is kept; one with the score NaN is not."""
        threshold = self.of(label)
        if threshold is None:
            return False
        return bool(score >= threshold if self.direction == "higher" else score <= threshold)

    def keep(self, labels: Iterable[object], scores: Iterable[float]) -> list[bool]:
        """Whether each object of an image is kept, for `boxes[keep]` and the like.

        Raises:
            InputError: if there is not one score per label.

        >>> Thresholds(0.5, {"cat": 0.3}).keep(["cat", "dog"], [0.4, 0.4])
        [True, False]
        """
        if isinstance(labels, str) or not isinstance(scores, Iterable):
            raise InputError("keep takes the labels and scores of all objects; apply(label, score) takes one")
        pairs = [*labels], [*scores]
        if len(pairs[0]) != len(pairs[1]):
            sizes = f"{counted(len(pairs[1]), 'score')} for {counted(len(pairs[0]), 'label')}"
            raise InputError(f"{sizes}; give one score per label")
        return [self.apply(label, score) for label, score in zip(*pairs, strict=True)]


def load_thresholds(path: str | Path) -> Thresholds:
    """Read the file that `thresher thresholds --export` wrote.

    Raises:
        InputError: if it cannot be read, or has another form.
    """
    parse = parse_yaml if Path(path).suffix.lower() in (".yaml", ".yml") else parse_json
    return Thresholds.from_dict(parse(whole_text(Path(path)), path), path)


def _other_kind(data: Any) -> str:
    """What the content of a file is instead of thresholds that this version reads."""
    schema = data.get("schema") if isinstance(data, Mapping) else None
    if isinstance(schema, str) and schema.startswith(SCHEMA.partition("/")[0]):
        return f"schema is {schema!r}, and this version reads {SCHEMA!r}"
    found = "has none" if schema is None else f"has {schema!r}"
    return f"not a file of thresholds, whose schema is {SCHEMA!r} (this one {found})"


def _check_number(value: Any, name: str) -> None:
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise InputError(f"{name} is {value!r}; give a number, or null to keep nothing")
