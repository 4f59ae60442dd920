"""Metric results as Arrow columns, for run directories."""

import json
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files.arrow_arrays import array_of_numbers, array_of_texts, numpy_of
from thresher.results.breakdown import Breakdown
from thresher.results.labels import Label
from thresher.results.measure import Measure
from thresher.results.metric_result import MetricResult
from thresher.results.ragged import Array, Ragged
from thresher.results.statistics import Statistics
from thresher.results.status import Status

if TYPE_CHECKING:
    import pyarrow as pa


def to_arrow(result: MetricResult) -> dict[str, "pa.Array"]:
    """Arrow columns: `status`, `reason`, `evidence` (JSON), `statistic.<name>`, `ragged.<name>`."""
    import pyarrow as pa

    labels = [status.label for status in Status]
    columns = {
        "status": pa.DictionaryArray.from_arrays(
            array_of_numbers(result.status.astype(np.int8)), array_of_texts(labels)
        ),
        "reason": _texts_column(result.reasons, len(result)),
        "evidence": _texts_column(_json_entries(result), len(result)),
    }
    for name, array in result.statistics.items():
        columns[f"statistic.{name}"] = _arrow(array)
    for name, entries in result.statistics.ragged.items():
        inner = pa.StructArray.from_arrays([_arrow(array) for array in entries.values()], list(entries))
        columns[f"ragged.{name}"] = pa.LargeListArray.from_arrays(array_of_numbers(entries.offsets), inner)
    return columns


def from_arrow(description: Mapping[str, Any], columns: Mapping[str, "pa.ChunkedArray"]) -> MetricResult:
    """The inverse of `to_arrow`, with the description from `plain_results.described`."""
    reasons = read_texts(columns["reason"])
    return described_result(
        description,
        read_statistics(description, columns),
        read_status(columns["status"]),
        {item: text for item, text in enumerate(reasons) if text is not None},
        read_evidence(columns["evidence"]) or None,
    )


def read_statistics(description: Mapping[str, Any], columns: Mapping[str, "pa.ChunkedArray"]) -> Statistics:
    """The statistics in the Arrow columns of a result; other columns are ignored."""
    dense = {name: _numpy(_whole(column)) for name, column in _starting("statistic.", columns).items()}
    ragged = {name: _ragged(_whole(column)) for name, column in _starting("ragged.", columns).items()}
    labels = [Label(*label) for label in description["labels"]]
    return Statistics(dense, ragged, labels, description["coded"])


def read_texts(column: "pa.ChunkedArray") -> list[str | None]:
    """The entries of a string column; an empty list if all are null, as in most columns."""
    return [] if column.null_count == len(column) else list(column.to_pylist())


def read_evidence(column: "pa.ChunkedArray") -> list[Any]:
    """The evidence of each item; an empty list if there is none."""
    return [entry and json.loads(entry) for entry in read_texts(column)]


def read_status(column: "pa.ChunkedArray") -> Array:
    """Codes of the statuses; the order of the file's dictionary does not matter."""
    array = _whole(column)
    codes = np.array([Status.from_label(label) for label in array.dictionary.to_pylist()], np.uint8)
    return np.asarray(codes[numpy_of(array.indices)])


def described_result(
    description: Mapping[str, Any],
    statistics: Statistics,
    status: npt.ArrayLike,
    reasons: Mapping[int, str],
    evidence: Iterable[Any] | None,
) -> MetricResult:
    """A result of these parts, with the measures and breakdowns of a description."""
    measures = [Measure.from_dict(measure) for measure in description["measures"]]
    breakdowns = [Breakdown.from_dict(breakdown) for breakdown in description["breakdowns"]]
    parts = (measures, statistics, status, reasons, evidence)
    return MetricResult(*parts, breakdowns=breakdowns, primary=description["primary"])


def shape_of(kind: "pa.DataType") -> tuple[np.dtype[Any], int]:
    """Type of the numbers of a stored statistic, and the width of its rows (0 for one number per item)."""
    import pyarrow as pa

    if pa.types.is_fixed_size_list(kind):
        return np.dtype(kind.value_type.to_pandas_dtype()), int(kind.list_size)
    return np.dtype(kind.to_pandas_dtype()), 0


def _json_entries(result: MetricResult) -> dict[int, str]:
    """Item -> its evidence as strict JSON, for items with evidence."""
    if result.evidence is None:
        return {}
    entries = enumerate(result.evidence)
    return {item: json.dumps(entry, allow_nan=False) for item, entry in entries if entry is not None}


def _texts_column(texts: Mapping[int, str], size: int) -> "pa.Array":
    """A string column, null for items without a text; a lone surrogate is written as its escape."""
    import pyarrow as pa

    if not texts:
        return pa.nulls(size, pa.string())
    entries = [texts.get(item) for item in range(size)]
    try:
        return array_of_texts(entries)
    except UnicodeEncodeError:
        return array_of_texts([text and text.encode(errors="backslashreplace").decode() for text in entries])


def _starting(prefix: str, columns: Mapping[str, "pa.ChunkedArray"]) -> dict[str, "pa.ChunkedArray"]:
    return {name.removeprefix(prefix): column for name, column in columns.items() if name.startswith(prefix)}


def _arrow(array: Array) -> "pa.Array":
    import pyarrow as pa

    if array.ndim == 1:
        return array_of_numbers(array)
    if array.ndim == 2:  # noqa: PLR2004
        return pa.FixedSizeListArray.from_arrays(array_of_numbers(array.ravel()), array.shape[1])
    raise InputError(f"statistics have one or two axes, not {array.ndim}")


def _whole(column: "pa.ChunkedArray") -> "pa.Array":
    import pyarrow as pa

    array = column.combine_chunks()
    return pa.concat_arrays(array.chunks) if isinstance(array, pa.ChunkedArray) else array


def _numpy(array: "pa.Array") -> Array:
    import pyarrow as pa

    if pa.types.is_fixed_size_list(array.type):
        width = array.type.list_size
        return numpy_of(array.flatten()).reshape(-1, width)
    return numpy_of(array)


def _ragged(array: "pa.Array") -> Ragged:
    inner = array.flatten()
    columns = {field.name: _numpy(inner.field(at)) for at, field in enumerate(inner.type)}
    return Ragged(numpy_of(array.value_lengths()), columns)
