"""Predicted answers with their reference answers, checked, and as flat lists for kernels."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.metrics.items import Items
from thresher.results import Status


@dataclass(frozen=True)
class TextPairs:
    """Every (prediction, reference) pair of the items that can be scored.

    Attributes:
        items: all items; those without a prediction or a reference are left out.
        predictions: one text per present item.
        references: the reference texts of each present item; at least one.
    """

    items: Items
    predictions: list[str]
    references: list[list[str]]

    @classmethod
    def read(cls, predicted_answers: Sequence[Any], ground_truth_answers: Sequence[Any]) -> "TextPairs":
        """Read both inputs; a missing prediction or an empty list of references leaves the item out.

        Args:
            predicted_answers: per item a text, or None.
            ground_truth_answers: per item a text, a list of texts, or None; None in a list is skipped.

        Raises:
            InputError: for inputs of unequal length, and for entries that are not texts.
        """
        _check_list("predicted_answers", predicted_answers)
        _check_list("ground_truth_answers", ground_truth_answers)
        items = Items(predicted_answers=predicted_answers, ground_truth_answers=ground_truth_answers)
        references = {item: _references(item, ground_truth_answers[item]) for item in items.present}
        for item, texts in references.items():
            if not texts:
                items.leave_out(item, Status.MISSING, "no reference in ground_truth_answers")
        predictions = [_text(item, "predicted_answers", predicted_answers[item]) for item in items.present]
        return cls(items, predictions, [references[item] for item in items.present])

    def flat(self) -> tuple[list[str], list[str]]:
        """Predictions and references of all pairs, in item order."""
        flat_predictions = [
            text
            for text, references in zip(self.predictions, self.references, strict=True)
            for _ in references
        ]
        return flat_predictions, [text for references in self.references for text in references]

    @property
    def starts(self) -> npt.NDArray[np.int64]:
        """Position of each item's first pair in the flat lists."""
        counts = np.fromiter(map(len, self.references), np.int64, len(self.references))
        return np.asarray(np.cumsum(counts) - counts, dtype=np.int64)

    def best(self, scores: npt.NDArray[Any]) -> npt.NDArray[np.int64]:
        """Position of each item's best pair in the flat lists: the first of the highest scores.

        Args:
            scores: one number per pair, none of them NaN.
        """
        starts = self.starts
        if len(scores) == len(starts):
            return starts
        counts = np.diff(np.append(starts, len(scores)))
        highest = np.repeat(np.maximum.reduceat(scores, starts), counts)
        hits = np.flatnonzero(scores == highest)
        owner = np.repeat(np.arange(len(starts)), counts)[hits]
        return np.asarray(hits[np.searchsorted(owner, np.arange(len(starts)))], dtype=np.int64)

    def existing(self, scores: npt.NDArray[Any], status: Status, reason: str) -> npt.NDArray[np.bool_]:
        """Leave out present items whose score is NaN; return which ones remain.

        Args:
            scores: one number per present item.
            status: status of an item whose score is NaN.
            reason: why it has no score.
        """
        present, exists = self.items.present, ~np.isnan(scores)
        for place in np.flatnonzero(~exists).tolist():
            self.items.leave_out(present[place], status, reason)
        return np.asarray(exists, dtype=np.bool_)


def _check_list(socket: str, column: object) -> None:
    if not isinstance(column, Sequence) or isinstance(column, str | bytes):
        raise InputError(f"{socket} is {type(column).__name__}; give a list with one entry per item")


def _references(item: int, entry: Any) -> list[str]:
    if isinstance(entry, str):
        return [entry]
    if isinstance(entry, Sequence) and not isinstance(entry, bytes):
        return [_text(item, "ground_truth_answers", text) for text in entry if text is not None]
    raise InputError(
        f"ground_truth_answers[{item}] is {type(entry).__name__}; give a text or a list of texts"
    )


def _text(item: int, socket: str, entry: Any) -> str:
    if not isinstance(entry, str):
        raise InputError(
            f"{socket}[{item}] is {type(entry).__name__}; give a text, or None where there is none"
        )
    return entry
