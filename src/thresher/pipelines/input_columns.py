"""Input columns as Arrow, and back."""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.files.arrow_arrays import array_of_numbers, array_of_text_lists, array_of_texts, numpy_of
from thresher.kernels.classification.label_scores_column import LabelScoresColumn
from thresher.kernels.detection.detections_column import DetectionsColumn
from thresher.kernels.retrieval.order import TIE_RULES
from thresher.kernels.retrieval.scored_ids import ScoredIds
from thresher.pipelines import object_arrays
from thresher.reports.rendering.text import plain
from thresher.results import FrozenColumn
from thresher.results.parted_columns import PartedColumn

if TYPE_CHECKING:
    import pyarrow as pa

AS_IS, _JSON = "as is", "json"
"""Forms of an input column; that of ranked ids is their tie rule, that of objects begins with `objects`."""
_SCORES = "scores "
"""Start of the form of scores of the same labels for all items; the labels follow as JSON."""


def encode(column: Sequence[Any]) -> tuple["pa.Array", str]:
    """Return the column as Arrow if that preserves its entries, else as JSON texts; and its form."""
    import pyarrow as pa

    column = column.whole() if isinstance(column, PartedColumn) else column
    if isinstance(column, ScoredIds):
        return column.to_arrow(), column.order
    if isinstance(column, LabelScoresColumn):
        width = len(column.names)
        rows = pa.FixedSizeListArray.from_arrays(array_of_numbers(column.matrix.ravel()), width)
        return rows, _SCORES + json.dumps(column.names)
    if (objects := DetectionsColumn.of_entries(column)) is not None:
        return object_arrays.encode(objects)
    kinds = {type(entry) for entry in column if entry is not None}
    if not kinds or (len(kinds) == 1 and kinds <= {str, int, float, bool, list}):
        try:
            return _as_is(list(column), kinds), AS_IS
        except (pa.ArrowException, OverflowError):  # lists of other things, numbers of more than 64 bits
            pass
    return array_of_texts([json.dumps(plain(entry), ensure_ascii=False) for entry in column]), _JSON


def _as_is(column: list[Any], kinds: set[type]) -> "pa.Array":
    """The column as Arrow; its entries are missing or of the types `kinds`."""
    import pyarrow as pa

    if kinds <= {str}:
        return array_of_texts(column)
    if kinds == {list}:
        return array_of_text_lists(column)
    numbers = np.array(column)  # of objects, if entries are missing or integers need more than 64 bits
    known = numbers.dtype in (np.int64, np.float64, np.bool_)
    return array_of_numbers(numbers) if known else pa.array(column)


def decode(column: "pa.ChunkedArray", form: str) -> FrozenColumn:
    """Return the column that `encode` stored."""
    import pyarrow as pa

    if form in TIE_RULES:
        return ScoredIds.from_arrow(pa.concat_arrays(column.chunks), form)
    if object_arrays.is_form(form):
        return object_arrays.decode(pa.concat_arrays(column.chunks), form)
    if form.startswith(_SCORES):
        names = json.loads(form.removeprefix(_SCORES))
        scores = numpy_of(pa.concat_arrays(column.chunks).flatten())
        return LabelScoresColumn(scores.reshape(-1, len(names)), names)
    if form not in {AS_IS, _JSON}:
        raise ValueError(f"the form {form!r} of an input column is unknown")
    values = column.to_pylist()
    return FrozenColumn(map(json.loads, values) if form == _JSON else values)
