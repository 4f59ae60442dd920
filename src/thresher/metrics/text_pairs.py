"""Predicted answers with their reference answers, checked, and as flat lists for kernels."""

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any
from weakref import ReferenceType, WeakKeyDictionary, ref

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.text.squad_pairs import SquadPairs
from thresher.metrics.items import Items
from thresher.results import FrozenColumn, Status


@dataclass(frozen=True, eq=False)
class _Texts:
    """What two columns hold.

    Attributes:
        predictions: one text per item with a prediction and a reference.
        references: the reference texts of each of them.
        without_reference: the items with a prediction and an empty list of references.
    """

    predictions: list[str]
    references: list[list[str]]
    without_reference: list[int] = field(default_factory=list)

    @cached_property
    def flat(self) -> tuple[list[str], list[str]]:
        """Predictions and references of all pairs, in item order."""
        pairs = zip(self.predictions, self.references, strict=True)
        flat_predictions = [text for text, references in pairs for _ in references]
        return flat_predictions, [text for references in self.references for text in references]

    @cached_property
    def squad(self) -> SquadPairs:
        """All pairs in the normal form of SQuAD."""
        return SquadPairs(*self.flat)


_known: WeakKeyDictionary[FrozenColumn, tuple[ReferenceType[FrozenColumn], _Texts]] = WeakKeyDictionary()
"""Predictions -> references and what both hold. All components of a pipeline get the same columns, so that
texts are read, and brought into SQuAD's normal form, once for all of them."""


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
        texts = _texts_of(items.present, predicted_answers, ground_truth_answers)
        for item in texts.without_reference:
            items.leave_out(item, Status.MISSING, "no reference in ground_truth_answers")
        pairs = cls(items, texts.predictions, texts.references)
        vars(pairs)["_all_texts"] = texts
        return pairs

    def flat(self) -> tuple[list[str], list[str]]:
        """Predictions and references of all pairs, in item order."""
        return self._all_texts.flat

    @property
    def squad(self) -> SquadPairs:
        """All pairs in the normal form of SQuAD, in item order."""
        return self._all_texts.squad

    @cached_property
    def _all_texts(self) -> _Texts:
        return _Texts(self.predictions, self.references)

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

    def warn_of_unread_references(self, name: str, tokens: npt.NDArray[Any], consequence: str) -> None:
        """Warn of items whose references have text but no token, so that no answer is compared with them.

        Args:
            name: the metric.
            tokens: tokens of the reference of each pair, or of each item.
            consequence: the score of such items, and what to do.
        """
        empty = np.flatnonzero(
            tokens[self.best(tokens)] == 0 if len(tokens) > len(self.starts) else tokens == 0
        )
        unread = sum(any(map(str.strip, self.references[item])) for item in empty.tolist())
        if unread:
            items = counted(len(self.references), "item")
            warnings.warn(
                f"{name}: no token is found in the references of {unread} of {items}: {consequence}",
                stacklevel=3,
            )

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


def _texts_of(present: Sequence[int], predictions: Sequence[Any], references: Sequence[Any]) -> _Texts:
    """The texts of two columns; those of columns that are known are not read again.

    Raises:
        InputError: for entries that are not texts.
    """
    if not (isinstance(predictions, FrozenColumn) and isinstance(references, FrozenColumn)):
        return _read_texts(present, predictions, references)
    others, texts = _known.get(predictions, (None, None))
    if texts is None or others is None or others() is not references:
        texts = _read_texts(present, predictions, references)
        _known[predictions] = ref(references), texts
    return texts


def _read_texts(present: Sequence[int], predictions: Sequence[Any], references: Sequence[Any]) -> _Texts:
    several = {item: _references(item, references[item]) for item in present}
    without = [item for item, texts in several.items() if not texts]
    scored = [item for item, texts in several.items() if texts] if without else present
    texts = [_text(item, "predicted_answers", predictions[item]) for item in scored]
    return _Texts(texts, [several[item] for item in scored], without)


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
