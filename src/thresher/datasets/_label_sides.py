"""True and predicted labels in one spelling, so that those that are the same meet."""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from thresher.datasets.dataset import Dataset
from thresher.kernels.classification.two_labels import TwoLabels, label_text, polarity

_DECIMAL = re.compile(r"-?\d+\.0+")
"""A whole number as a decimal; tools that keep whole numbers with gaps as decimals write them so."""


@dataclass(frozen=True)
class LabelSides:
    """The entries of both sides, and every label that occurs.

    Attributes:
        where: what messages name.
        ids: of the items.
        truths: true labels.
        predicted: predicted labels, scores of all labels, or numbers; None without any.
        scored: column -> label, of columns with the scores of one label each.
    """

    where: str
    ids: Sequence[Any]
    truths: list[Any]
    predicted: list[Any] | None
    scored: dict[str, str]

    @classmethod
    def of(cls, dataset: Dataset, by_label: Mapping[str, str], where: str) -> "LabelSides":
        """From a data set, in the spelling of the true labels.

        `1.0` on one side and `1` on the other are `1` on both; `true` and `1` are what the true labels say.
        """
        truths = [_plain(entry) for entry in dataset.column("ground_truths")]
        predicted = (
            [_plain(entry) for entry in dataset.column("predictions")]
            if "predictions" in dataset.columns
            else None
        )
        wanted = _labels(truths)
        found = {*_labels(predicted or ()), *by_label.values()}
        if not wanted & found:
            if _decimal(wanted) and {_bare(label) for label in wanted} & found:
                truths = [_bare(entry) if isinstance(entry, str) else entry for entry in truths]
            else:
                names = _spelling(found, wanted)
                predicted = None if predicted is None else [_renamed(entry, names) for entry in predicted]
                by_label = {column: names.get(label, label) for column, label in by_label.items()}
        return cls(where, dataset.ids, truths, predicted, dict(by_label))

    def at(self, item: int) -> str:
        """What messages call an item."""
        return f"{self.where}, item {self.ids[item]!r}"

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


def _plain(entry: Any) -> Any:
    """Truth values as `true` and `false`, whole floats as whole numbers; all else as it is."""
    value = entry.item() if isinstance(entry, np.generic) else entry
    if isinstance(value, list) and len(value) == 1 and isinstance(value[0], str | int | bool):
        value = value[0]
    if isinstance(value, bool):
        return label_text(value)
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _labels(entries: Collection[Any]) -> set[str]:
    """The plain labels of entries and of objects label -> score."""
    found: set[str] = set()
    for entry in entries:
        if isinstance(entry, Mapping):
            found.update(map(str, entry))
        elif isinstance(entry, str | int):
            found.add(str(entry))
    return found


def _spelling(found: Collection[str], wanted: set[str]) -> dict[str, str]:
    """Predicted label -> the true label that means the same."""
    if _decimal(found) and {_bare(label) for label in found} & wanted:
        return {label: _bare(label) for label in found}
    if not wanted or len(wanted) > 2 or not all(polarity(label) for label in {*wanted, *found}):  # noqa: PLR2004
        return {}
    both = TwoLabels.of(wanted)
    return {label: both.positive if polarity(label) > 0 else both.negative for label in found}


def _renamed(entry: Any, names: Mapping[str, str]) -> Any:
    if isinstance(entry, Mapping):
        return {names.get(str(label), label): score for label, score in entry.items()}
    return names.get(str(entry), entry) if isinstance(entry, str | int) else entry


def _decimal(labels: Collection[str]) -> bool:
    return bool(labels) and all(_DECIMAL.fullmatch(label) for label in labels)


def _bare(label: str) -> str:
    return label.partition(".")[0]
