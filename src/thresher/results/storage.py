"""Metric results as plain data: strict JSON, and Arrow columns for run directories."""

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from thresher.errors import InputError
from thresher.results.measure import Measure
from thresher.results.metric_result import MetricResult
from thresher.results.statistics import Array, Statistics
from thresher.results.status import Status

if TYPE_CHECKING:
    import pyarrow as pa


def to_dict(result: MetricResult) -> dict[str, Any]:
    """A result as strict JSON data: NaN is None, and the status says why."""
    return {
        **describe(result),
        "status": [Status(code).label for code in result.status.tolist()],
        "reasons": {str(item): reason for item, reason in result.reasons.items()},
        "statistics": {name: _without_nan(array) for name, array in result.statistics.items()},
        "dtypes": {name: array.dtype.str for name, array in result.statistics.items()},
        "evidence": None if result.evidence is None else list(result.evidence),
    }


def from_dict(data: Mapping[str, Any]) -> MetricResult:
    """The inverse of `to_dict`."""
    statistics = {
        name: np.array(_with_nan(values), dtype=np.dtype(data["dtypes"][name]))
        for name, values in data["statistics"].items()
    }
    return MetricResult(
        [Measure.from_dict(measure) for measure in data["measures"]],
        Statistics(statistics),
        [Status.from_label(label) for label in data["status"]],
        {int(item): reason for item, reason in data["reasons"].items()},
        data["evidence"],
    )


def describe(result: MetricResult) -> dict[str, Any]:
    """All of a result that does not grow with the items."""
    return {"measures": [measure.to_dict() for measure in result.measures]}


def to_arrow(result: MetricResult) -> dict[str, "pa.Array"]:
    """Columns of a run's part: `status`, `reason`, `evidence` (JSON) and `statistic.<name>`."""
    import pyarrow as pa

    labels = [status.label for status in Status]
    columns = {
        "status": pa.DictionaryArray.from_arrays(pa.array(result.status.astype(np.int8)), pa.array(labels)),
        "reason": pa.array([result.reasons.get(item) for item in range(len(result))], pa.string()),
        "evidence": pa.array(_json_entries(result), pa.string()),
    }
    for name, array in result.statistics.items():
        columns[f"statistic.{name}"] = _arrow(array)
    return columns


def from_arrow(description: Mapping[str, Any], columns: Mapping[str, "pa.ChunkedArray"]) -> MetricResult:
    """The inverse of `to_arrow`, given what `describe` said."""
    labels = columns["status"].to_pylist()
    reasons = {item: text for item, text in enumerate(columns["reason"].to_pylist()) if text is not None}
    evidence = [entry and json.loads(entry) for entry in columns["evidence"].to_pylist()]
    statistics = {
        name.removeprefix("statistic."): _numpy(column)
        for name, column in columns.items()
        if name.startswith("statistic.")
    }
    return MetricResult(
        [Measure.from_dict(measure) for measure in description["measures"]],
        Statistics(statistics),
        [Status.from_label(label) for label in labels],
        reasons,
        None if all(entry is None for entry in evidence) else evidence,
    )


def _json_entries(result: MetricResult) -> list[str | None]:
    if result.evidence is None:
        return [None] * len(result)
    return [None if entry is None else json.dumps(entry, allow_nan=False) for entry in result.evidence]


def _arrow(array: Array) -> "pa.Array":
    import pyarrow as pa

    if array.ndim == 1:
        return pa.array(array)
    if array.ndim == 2:  # noqa: PLR2004
        return pa.FixedSizeListArray.from_arrays(pa.array(array.ravel()), array.shape[1])
    raise InputError(f"statistics have one or two axes, not {array.ndim}")


def _numpy(column: "pa.ChunkedArray") -> Array:
    import pyarrow as pa

    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks)
    if pa.types.is_fixed_size_list(array.type):
        width = array.type.list_size
        return np.asarray(array.flatten().to_numpy(zero_copy_only=False).reshape(-1, width))
    return np.asarray(array.to_numpy(zero_copy_only=False))


def _without_nan(array: Array) -> Any:
    if array.dtype.kind != "f":
        return array.tolist()
    return np.where(np.isnan(array), None, array).tolist()  # type: ignore[call-overload]


def _with_nan(values: Any) -> Any:
    if isinstance(values, list):
        return [_with_nan(value) for value in values]
    return float("nan") if values is None else values
