"""Convert cells with the labels of an item into lists of labels, or objects label -> score."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.parsing import parse_json
from thresher.kernels.classification.two_labels import label_text
from thresher.surface import option

SEPARATORS = ("|", ";", ",")
"""Signs that separate labels in a text."""
_MARKS = {"0": 0, "1": 1, "false": 0, "true": 1, "0.0": 0, "1.0": 1}


@dataclass(frozen=True)
class Cells:
    """How cells are read.

    Attributes:
        where: name of the source in messages.
        ids: ids of the items.
        separator: sign between the labels of a text; None for texts that are one label each.
        labels: the label of each score of a list; None if unknown.
        empty: entry of an item with an empty cell: None (missing), or a list without labels.
    """

    where: str
    ids: Sequence[Any]
    separator: str | None = None
    labels: Sequence[Any] | None = None
    empty: tuple[()] | None = None

    def sets(self, column: Sequence[Any]) -> list[Any]:
        """One list of labels, or object of scores or marks, per item; None for a missing one."""
        return [self._set(item, entry) for item, entry in enumerate(column)]

    def marks(self, columns: Mapping[str, Sequence[Any]], *, scores: bool) -> list[dict[str, float] | None]:
        """Objects label -> 0 or 1, or score, from one column per label.

        Raises:
            InputError: for a cell that is not such a number, and for items with some empty cells.
        """
        rows: list[dict[str, float] | None] = []
        for item, row in enumerate(zip(*columns.values(), strict=True)):
            empty = [entry is None or entry == "" for entry in row]
            if all(empty):
                rows.append(None)
                continue
            if any(empty) and not scores:
                label = list(columns)[empty.index(True)]
                raise InputError(
                    f"{self._at(item)}: the cell of {label!r} is empty; give 0 or 1, or leave all cells of "
                    "the item empty to leave it out"
                )
            pairs = zip(columns, row, empty, strict=True)
            rows.append(
                {label: self._number(item, label, cell, scores) for label, cell, no in pairs if not no}
            )
        return rows

    def _set(self, item: int, entry: Any) -> Any:
        if entry is None:
            return None if self.empty is None else list(self.empty)
        if isinstance(entry, str) and entry.lstrip().startswith(("[", "{")):
            entry = parse_json(entry, self._at(item))
        if isinstance(entry, str):
            parts = entry.split(self.separator) if self.separator else [entry]
            return list(dict.fromkeys(part.strip() for part in parts if part.strip()))
        if isinstance(entry, list | tuple):
            return self._listed(item, list(entry))
        if isinstance(entry, Mapping):
            return {label_text(label): score for label, score in entry.items()}
        return [label_text(entry)] if isinstance(entry, int | float) else entry

    def _listed(self, item: int, entry: list[Any]) -> Any:
        """A list of labels; a list with decimals, or of 0 and 1 for all labels, has a number per label."""
        if self._are_marks(entry):
            return dict(zip(map(label_text, self.labels or ()), entry, strict=True))
        if not any(isinstance(part, float) and part != part // 1 for part in entry):
            return [label_text(part) if isinstance(part, int | float) else part for part in entry]
        if self.labels is None or len(self.labels) != len(entry):
            known = "unknown labels" if self.labels is None else counted(len(self.labels), "label")
            remedy = option("--labels FILE", "labels=[...] of read_label_sets")
            raise InputError(
                f"{self._at(item)}: {counted(len(entry), 'score')} for {known}; give the labels in "
                f"order: {remedy}"
            )
        return dict(zip(map(label_text, self.labels), entry, strict=True))

    def _are_marks(self, entry: list[Any]) -> bool:
        if self.labels is None or len(entry) != len(self.labels):
            return False
        known = {label_text(label) for label in self.labels}
        return all(isinstance(part, int | float) and part in (0, 1) for part in entry) and not (
            {label_text(part) for part in entry} <= known
        )

    def _number(self, item: int, label: str, cell: Any, scores: bool) -> float:
        if scores:
            try:
                return float(cell)
            except (TypeError, ValueError):
                raise InputError(
                    f"{self._at(item)}: {label!r} is {cell!r}; give the score as a number"
                ) from None
        mark = _MARKS.get(str(cell).lower())
        if mark is None:
            raise InputError(
                f"{self._at(item)}: {label!r} is {cell!r}; give 1 for a label of the item, else 0"
            )
        return mark

    def _at(self, item: int) -> str:
        return f"{self.where}, item {self.ids[item]!r}"


def infer_separator(columns: Sequence[Sequence[Any]], where: str) -> str | None:
    """The only one of `SEPARATORS` in texts that are not JSON; None if they have none.

    Raises:
        InputError: for texts with several of them.
    """
    texts = [cell for column in columns for cell in column if isinstance(cell, str)]
    plain = [text for text in texts if not text.lstrip().startswith(("[", "{"))]
    found = [sign for sign in SEPARATORS if any(sign in text for text in plain)]
    if len(found) > 1:
        signs = " and ".join(map(repr, found))
        remedy = option("--separator SIGN", "separator=")
        raise InputError(
            f"{where}: labels contain {signs}, so where one ends is unknown; name it with {remedy}"
        )
    return found[0] if found else None
