"""Write items of a run as a data set: JSON lines, CSV or Parquet."""

import json
import shutil
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.files.arrow_arrays import without_secrets_in_array
from thresher.files.building import GrowingFile, temporary_folder
from thresher.files.writing import replace_file
from thresher.reports.rendering.text import csv_lines, plain
from thresher.reports.runs.run_data import RunData
from thresher.reports.scores.score_blocks import score_blocks, score_metrics
from thresher.results import FrozenColumn, Statistics, Status
from thresher.results.column_vocabulary import ORIGIN
from thresher.results.parted_columns import reasons_at
from thresher.surface import option
from thresher.visible_text import json_escaped

if TYPE_CHECKING:
    import pyarrow as pa

ExportFormat = Literal["jsonl", "csv", "parquet"]
Floats = npt.NDArray[np.float64]
Int64s = npt.NDArray[np.int64]
_encode = json.JSONEncoder(ensure_ascii=False, allow_nan=False).encode


def export_rows(run: RunData, items: Iterable[int]) -> Iterator[dict[str, Any]]:
    """Yield some items as JSON data, which the HTML report's JSONL button writes alike (`export.js`).

    Args:
        run: the run.
        items: positions of the items.

    Yields:
        In the order of the data, per item the input columns, `id` if ids were given without a column, and under
        `_thresher` the name of the run, the score of each metric that scores items (None without one), and of each
        metric without a score its status and reason. Under its own name, a score would collide with that of the next
        run.
    """
    positions, columns, metrics = (
        np.unique(np.fromiter(items, np.int64)),
        _columns_of(run),
        score_metrics(run),
    )
    read = score_blocks(metrics) if metrics else ((rows, []) for rows in Statistics.ranges(len(run)))
    for rows, blocks in read:
        start, stop = np.searchsorted(positions, (rows.start, rows.stop)).tolist()
        for place in range(start, stop, Statistics.BLOCK):
            chosen = positions[place : min(place + Statistics.BLOCK, stop)]
            of_metrics = zip(metrics, blocks, strict=True)
            scores = {metric.name: block[chosen - rows.start] for metric, block in of_metrics}
            entries = [_plain(column.take(chosen.tolist())) for column in columns.values()]
            for *row, origin in zip(*entries, _origins(run, chosen, scores), strict=True):
                yield {**dict(zip(columns, row, strict=True)), ORIGIN: origin}


def _plain(entries: Iterable[Any]) -> Iterable[Any]:
    entries = list(entries)
    return entries if set(map(type, entries)) <= {str} else map(plain, entries)


def _columns_of(run: RunData) -> dict[str, FrozenColumn]:
    without = not run.ids_given or any(map(run.holds_ids, run.inputs))
    return {**({} if without else {"id": run.ids}), **run.inputs}


def _origins(run: RunData, items: Int64s, scores: Mapping[str, Floats]) -> list[dict[str, Any]]:
    """What each item has under `_thresher`."""
    plain_scores = [
        own.tolist() if np.isfinite(own).all() else map(plain, own.tolist()) for own in scores.values()
    ]
    by_item = zip(*plain_scores, strict=True) if scores else repeat((), len(items))
    origins: list[dict[str, Any]] = [
        {"run": run.name, "scores": dict(zip(scores, own, strict=True))} for own in by_item
    ]
    for name, own in scores.items():
        result, unscored = run.metrics[name].result, np.flatnonzero(np.isnan(own))
        reasons = reasons_at(result.reasons, items[unscored].tolist())
        for place, reason in zip(unscored.tolist(), reasons, strict=True):
            status = Status(int(result.status[items[place]])).label
            origins[place].setdefault("unscored", {})[name] = {"status": status, "reason": reason}
    return origins


def source_rows(
    run: RunData, items: Sequence[int] | Int64s, columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return items as `export_rows`, in their order, with the names that the columns had in the source of the run.

    Args:
        run: the run.
        items: positions of the items, distinct.
        columns: input columns to keep, by either name; default: all.

    Raises:
        InputError: for an unknown column.
    """
    rows = list(_named(export_rows(run, items), _kept(run, columns)))
    return [rows[place] for place in _places(items).tolist()]


def source_lines(
    run: RunData,
    items: Sequence[int] | Int64s,
    output_format: Literal["jsonl", "csv"] = "jsonl",
    columns: Sequence[str] | None = None,
) -> Iterator[str]:
    """Return the lines of a file of these items, one after the other; memory does not grow with their number.

    Each part of a stored run is read once. Rows in another order than that of the data wait in a temporary file.

    Args:
        run: the run.
        items: positions of the items, distinct.
        output_format: the format.
        columns: as in `source_rows`; raises as it does.
    """
    kept, places = _kept(run, columns), _places(items)
    lines = _lines(_named(export_rows(run, items), kept), list(kept.values()), output_format)
    return lines if (places[1:] > places[:-1]).all() else _reordered(lines, places, output_format)


def _places(items: Sequence[int] | Int64s) -> Int64s:
    """Place of each item among all of them in the order of the data."""
    return np.argsort(np.argsort(items))


def _reordered(lines: Iterator[str], places: Int64s, output_format: str) -> Iterator[str]:
    folder = temporary_folder()
    try:
        if output_format == "csv":
            yield next(lines)
        file, ends = GrowingFile(folder / "rows.tmp"), array("q", [0])
        for line in lines:
            file.append(line.encode())
            ends.append(file.size)
        spans = ((ends[place], ends[place + 1]) for place in places.tolist())
        yield from map(bytes.decode, file.pieces(spans))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _kept(run: RunData, columns: Sequence[str] | None) -> dict[str, str]:
    """Exported column -> its name in the source."""
    names, known = _source_names(run), [*_columns_of(run), ORIGIN]
    if columns is not None:
        unknown = [name for name in columns if name not in known and name not in names.values()]
        if unknown:
            listed = ", ".join(names.get(name, name) for name in known if name != ORIGIN)
            raise InputError(
                f"no input column {unknown[0]!r} in {run.name or 'this run'}; there are {listed}"
            )
    return {
        name: names.get(name, name)
        for name in known
        if columns is None or name == ORIGIN or {name, names.get(name)} & set(columns)
    }


def _named(rows: Iterable[dict[str, Any]], names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    return ({own: row[name] for name, own in names.items()} for row in rows)


def _source_names(run: RunData) -> dict[str, str]:
    """Column of the run -> its name in the source, unless two columns would share it."""
    reading = run.provenance.get("reading") or {}
    names = dict(reading.get("columns", {}))
    if "ids" in names:
        names["id"] = names.pop("ids")
    names = {name: source for name, source in names.items() if source not in run.inputs}
    return {name: source for name, source in names.items() if list(names.values()).count(source) == 1}


def export_format(path: str | Path) -> ExportFormat:
    """The format that the suffix of a file means.

    Raises:
        InputError: for another suffix.
    """
    suffix = Path(path).suffix.lower().removeprefix(".")
    for name in get_args(ExportFormat):
        if suffix == name:
            chosen: ExportFormat = name
            return chosen
    raise InputError(f"cannot infer a format from {str(path)!r}; end it with .jsonl, .csv or .parquet")


def write_rows(
    rows: Sequence[dict[str, Any]], path: str | Path, output_format: ExportFormat | None = None
) -> None:
    """Write rows to a file; its suffix chooses the format by default.

    Raises:
        InputError: for an unknown suffix, columns that Parquet cannot hold, or a file that cannot be written.
        DiskFullError: if the disk is full.
    """
    chosen = output_format or export_format(path)
    replace_file(path, _parquet(rows) if chosen == "parquet" else _lines(rows, _columns(rows), chosen))


def _lines(rows: Iterable[dict[str, Any]], columns: Sequence[str], output_format: str) -> Iterator[str]:
    if output_format == "csv":
        return csv_lines(columns, (row.values() for row in rows))
    return (f"{json_escaped(_encode(row))}\n" for row in rows)


def _columns(rows: Sequence[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row))


def _parquet(rows: Sequence[dict[str, Any]]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet as pq

    # The scores differ from item to item, and a struct with all of their names would be read as columns.
    whole = [{**row, ORIGIN: json.dumps(row[ORIGIN])} for row in rows]
    arrays = {
        name: without_secrets_in_array(_array([row.get(name) for row in whole], name))
        for name in _columns(whole)
    }
    sink = pa.BufferOutputStream()
    pq.write_table(pa.table(arrays), sink)
    return bytes(sink.getvalue())


def _array(values: list[Any], name: str) -> "pa.Array":
    """A column of Parquet.

    Raises:
        InputError: for a column of mixed types, such as the pairs of id and score in `rankings`.
    """
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        leave_out = option("leave the column out with --columns", "leave the column out with columns=")
        why = " ".join(str(error).split())
        raise InputError(
            f"Parquet cannot hold the column {name!r}: {why}; export as .jsonl, or {leave_out}"
        ) from error
