"""Tables of items that may have several labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from thresher.counted import counted
from thresher.datasets._label_set_cells import SEPARATORS, Cells, infer_separator
from thresher.datasets._label_set_columns import Side, label_set_columns
from thresher.datasets._label_table import head_of, read_mapped
from thresher.datasets._opened import explained, warn_of
from thresher.datasets._table import quoted
from thresher.datasets.dataset import Dataset
from thresher.datasets.read import EmptyCells, rereadable
from thresher.errors import InputError
from thresher.results import FrozenColumn
from thresher.surface import option, reading_with


@explained
def read_label_sets(
    source: Any,
    *,
    mapping: Mapping[str, str] | None = None,
    scores: str | None = None,
    separator: str | None = None,
    labels: Sequence[str | int] | None = None,
    limit: int | None = None,
    empty_cells: EmptyCells = "missing",
    split: str | None = None,
) -> Dataset:
    """Read a table of items that may have several true labels, under any of their usual column names.

    True and predicted labels are one of: a column of lists, of JSON, or of texts such as `cat|dog`; a column
    of objects label -> 0 or 1 (predictions: label -> score); or one column per label, of 0 and 1 under
    `true_cat` or `cat`, or of scores under `score_cat`.

    Args:
        source: as of `read_labels`.
        mapping: column -> socket, as in `read_dataset`; overrides every guess.
        scores: prefix of the columns with the scores of one label each; default: `score_` and the like.
        separator: sign between labels in a text; default: the one of `|`, `;` and `,` that occurs.
        labels: the label of each entry of lists of scores.
        limit: read the first rows only.
        empty_cells: as in `read_dataset`: with `text`, an item with an empty cell has no labels; otherwise
            it is left out as missing.
        split: as in `read_dataset`.

    Returns:
        A data set with the columns `ground_truths` and `predictions`: lists of labels, or objects.

    Raises:
        InputError: as `read_dataset`; if there are no true labels or no predictions, and for cells that are
            neither.

    Warns:
        DataWarning: which sign separates labels, if it was inferred.

    >>> table = {"labels": ["a|b", "b"], "score_a": [0.9, 0.1], "score_b": [0.8, 0.7]}
    >>> list(read_label_sets(table, separator="|").column("ground_truths"))
    [['a', 'b'], ['b']]
    """
    source = rereadable(source, limit)
    where, head = head_of(source, limit, split)
    true, predicted = label_set_columns(head, mapping or {}, scores, where)
    _check(true, "ground_truths", "true labels", where, head)
    _check(predicted, "predictions", "predicted labels or scores", where, head)
    sides = {"ground_truths": true, "predictions": predicted}
    own = {side.column: socket for socket, side in sides.items() if side.column is not None}
    kept = {column: column for side in sides.values() for column in side.by_label}
    options: dict[str, Any] = {"limit": limit, "empty_cells": empty_cells, "split": split}
    dataset = read_mapped(source, {**kept, **(mapping or {}), **own}, options)
    texts = [dataset.column(socket) for socket, side in sides.items() if side.column is not None]
    sign = separator if separator is not None else infer_separator(texts, where)
    cells = Cells(where, dataset.ids, sign, labels, () if empty_cells == "text" else None)
    entries = {socket: FrozenColumn(_entries(dataset, socket, side, cells)) for socket, side in sides.items()}
    rest = {name: column for name, column in dataset.columns.items() if name not in kept}
    notes = [_note(sign, where)] if sign is not None and separator is None else []
    notes += _unused_note(texts, separator, where) if separator else []
    notes += [] if sign is None or empty_cells == "text" else _empty_notes(texts, where)
    warn_of(notes)
    return replace(dataset, columns={**rest, **entries}, notes=(*dataset.notes, *notes))


def has_label_sets(source: Any) -> bool:
    """Whether `read_label_sets` can convert a source; False for a `Dataset` of lists and objects already."""
    where, head = head_of(source, None, None)
    true, predicted = label_set_columns(head, {}, None, where)
    if not (true.is_given and predicted.is_given):
        return False
    ready = isinstance(source, Dataset) and {"ground_truths", "predictions"} <= head.keys()
    return not ready or any(isinstance(entry, str) for entry in head["ground_truths"])


def _entries(dataset: Dataset, socket: str, side: Side, cells: Cells) -> list[Any]:
    if side.column is not None:
        return cells.sets(dataset.column(socket))
    columns = {label: dataset.column(column) for column, label in side.by_label.items()}
    return cells.marks(columns, scores=socket == "predictions")


def _check(side: Side, socket: str, what: str, where: str, head: Mapping[str, Any]) -> None:
    if not side.is_given:
        remedy = f"name it with {reading_with(('COLUMN', socket))}"
        raise InputError(f"{where} has no column of {what}: it has {quoted(head)}; {remedy}")


def _empty_notes(texts: Sequence[Sequence[Any]], where: str) -> list[str]:
    items = {item for column in texts for item, cell in enumerate(column) if cell is None}
    if not items:
        return []
    remedy = option("--empty-cells text", "empty_cells='text'")
    some = "items have an empty cell of labels and are"
    left_out = counted(len(items), "item has an empty cell of labels and is", some)
    return [f"{where}: {left_out} left out; if it means no labels, pass {remedy}"]


def _unused_note(texts: Sequence[Sequence[Any]], separator: str, where: str) -> list[str]:
    """Warn of a wrong separator: no text contains it, but some contain a usual one."""
    cells = [cell for column in texts for cell in column if isinstance(cell, str)]
    plain = [cell for cell in cells if not cell.lstrip().startswith(("[", "{"))]
    example = next((cell for cell in plain if any(sign in cell for sign in SEPARATORS)), None)
    if example is None or any(separator in cell for cell in plain):
        return []
    return [f"{where}: no cell of labels contains {separator!r}, so {example!r} is read as one label"]


def _note(sign: str, where: str) -> str:
    remedy = option("--separator SIGN", "separator=")
    return f"{where}: read {sign!r} as the sign between labels; {remedy} names another one"
