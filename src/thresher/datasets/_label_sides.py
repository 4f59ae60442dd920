"""True and predicted labels in the same spelling, so that equal labels compare equal."""

import re
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.classification.named_scores import scores_of
from thresher.kernels.classification.two_labels import TwoLabels, label_text, polarity

_DECIMAL = re.compile(r"-?\d+\.0+")
"""A whole number written as a decimal, as pandas does for columns with gaps."""


@dataclass(frozen=True)
class LabelSides:
    """True and predicted labels of the items.

    Attributes:
        where: name of the source in messages.
        ids: ids of the items.
        truths: true labels.
        predicted: predicted labels, scores of all labels, or numbers; None if absent.
        scored: column -> label, of columns with the scores of one label each.
    """

    where: str
    ids: Sequence[Any]
    truths: list[Any]
    predicted: list[Any] | None
    scored: dict[str, str]

    @classmethod
    def of(cls, dataset: Dataset, by_label: Mapping[str, str], where: str) -> "LabelSides":
        """Take the labels of a data set and spell them as the true labels are spelt.

        `1.0` on one side and `1` on the other become `1`; `true` and `1` become what the true labels use.
        """
        truths = [_plain(entry) for entry in dataset.column("ground_truths")]
        predicted = (
            [scores_of(_plain(entry)) for entry in dataset.column("predictions")]
            if "predictions" in dataset.columns
            else None
        )
        for name, entries in (("ground_truths", truths), ("predictions", predicted)):
            _refuse_odd(name, entries or (), where, dataset.ids)
        true = _labels(truths)
        if predicted is not None and not any(isinstance(entry, Mapping) for entry in truths):
            predicted = [_numbered(entry) for entry in predicted]
        other = {*_labels(predicted or ()), *by_label.values()}
        if not true & other:
            if _are_decimals(true) and {_whole(label) for label in true} & other:
                truths = [_whole(entry) if isinstance(entry, str) else entry for entry in truths]
            else:
                names = _spelling(other, true)
                predicted = None if predicted is None else [_rename(entry, names) for entry in predicted]
                by_label = {column: names.get(label, label) for column, label in by_label.items()}
        return cls(where, dataset.ids, truths, predicted, dict(by_label))

    def at(self, item: int) -> str:
        """Name of an item in messages."""
        return f"{self.where}, item {self.ids[item]!r}"

    def named(self, names: Sequence[str]) -> Self:
        """The same sides, whose true labels are names if they all are positions in `names`."""
        true = self.true
        if not true or true & {*names} or not are_positions(true, len(names)):
            return self
        truths = [names[int(entry)] if isinstance(entry, str | int) else entry for entry in self.truths]
        return replace(self, truths=truths)

    @property
    def true(self) -> set[str]:
        """The plain labels that are true somewhere."""
        return {str(label) for label in self.truths if isinstance(label, str | int)}

    @property
    def known(self) -> set[str]:
        """The labels that are true or predicted somewhere."""
        return {*_labels(self.truths), *_labels(self.predicted or ())}

    @property
    def seen(self) -> set[str]:
        """The labels that are true, predicted or scored somewhere."""
        return {*self.known, *self.scored.values()}


def are_positions(labels: Collection[str], size: int) -> bool:
    """Whether labels are whole numbers from 0 to `size - 1`."""
    return all(label.isdecimal() and int(label) < size for label in labels)


def _plain(entry: Any) -> Any:
    """Convert truth values to `true` and `false`, whole floats to integers; leave the rest unchanged."""
    value = entry.item() if isinstance(entry, np.generic) else entry
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | int | bool):
        value = value[0]
    if isinstance(value, bool):
        return label_text(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _refuse_odd(name: str, entries: Sequence[Any], where: str, ids: Sequence[Any]) -> None:
    """Raise InputError for an entry that could only become a label by its form in Python."""
    for item, value in enumerate(entries):
        if isinstance(value, np.ndarray):
            problem = f"an array of {' x '.join(map(str, value.shape))}"
        elif isinstance(value, int) and abs(value) > sys.float_info.max:
            problem = "a whole number of more than 308 digits"
        else:
            continue
        raise InputError(
            f"{where}, item {ids[item]!r}: {name!r} is {problem}; give a label, or one score per label"
        )


def _labels(entries: Collection[Any]) -> set[str]:
    """The plain labels of entries and of objects label -> score."""
    labels: set[str] = set()
    for entry in entries:
        if isinstance(entry, Mapping):
            labels.update(map(str, entry))
        elif isinstance(entry, str | int):
            labels.add(str(entry))
    return labels


def _spelling(predicted: Collection[str], true: set[str]) -> dict[str, str]:
    """Predicted label -> the true label with the same meaning."""
    if _are_decimals(predicted) and {_whole(label) for label in predicted} & true:
        return {label: _whole(label) for label in predicted}
    if not true or len(true) > 2 or not all(polarity(label) for label in {*true, *predicted}):  # noqa: PLR2004
        return {}
    both = TwoLabels.of(true)
    return {label: both.positive if polarity(label) > 0 else both.negative for label in predicted}


def _rename(entry: Any, names: Mapping[str, str]) -> Any:
    if isinstance(entry, Mapping):
        return {names.get(str(label), label): score for label, score in entry.items()}
    return names.get(str(entry), entry) if isinstance(entry, str | int) else entry


def _numbered(entry: Any) -> Any:
    """Scores that are texts, as exports to JSON write them, as numbers; other entries unchanged."""
    if not isinstance(entry, Mapping) or not all(isinstance(score, str) for score in entry.values()):
        return entry
    try:
        return {label: float(score) for label, score in entry.items()}
    except ValueError:
        return entry


def _are_decimals(labels: Collection[str]) -> bool:
    return bool(labels) and all(_DECIMAL.fullmatch(label) for label in labels)


def _whole(label: str) -> str:
    return label.partition(".")[0]
