"""Write items of a run as a data set: JSON lines, CSV or Parquet."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, get_args

from thresher.errors import InputError
from thresher.files.arrow_arrays import without_secrets_in_array
from thresher.files.writing import replace_file
from thresher.reports.runs.export_rows import export_rows
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.results.column_vocabulary import ORIGIN
from thresher.surface import option
from thresher.visible_text import json_escaped

if TYPE_CHECKING:
    import pyarrow as pa

ExportFormat = Literal["jsonl", "csv", "parquet"]


def source_rows(
    run: RunData, items: Sequence[int], columns: Sequence[str] | None = None
) -> list[dict[str, Any]]:
    """Return items as `export_rows`, with the names that the columns had in the source of the run.

    Args:
        run: the run.
        items: positions of the items.
        columns: input columns to keep, by either name; default: all.

    Raises:
        InputError: for an unknown column.
    """
    names = _source_names(run)
    rows = export_rows(run, items)
    known = list(rows[0]) if rows else [*run.inputs, "id", ORIGIN]
    if columns is not None:
        unknown = [name for name in columns if name not in known and name not in names.values()]
        if unknown:
            listed = ", ".join(names.get(name, name) for name in known if name != ORIGIN)
            raise InputError(
                f"no input column {unknown[0]!r} in {run.name or 'this run'}; there are {listed}"
            )
    kept = [
        name for name in known if columns is None or name == ORIGIN or {name, names.get(name)} & set(columns)
    ]
    return [{names.get(name, name): row[name] for name in kept} for row in rows]


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


def rows_text(rows: Sequence[dict[str, Any]], output_format: ExportFormat = "jsonl") -> str:
    """Return rows as JSON lines or CSV."""
    if output_format == "csv":
        return Table(_columns(rows), ([row.get(name) for name in _columns(rows)] for row in rows)).to_csv()
    return "".join(f"{json_escaped(json.dumps(row, ensure_ascii=False, allow_nan=False))}\n" for row in rows)


def write_rows(
    rows: Sequence[dict[str, Any]], path: str | Path, output_format: ExportFormat | None = None
) -> None:
    """Write rows to a file; its suffix chooses the format by default.

    Raises:
        InputError: for an unknown suffix, columns that Parquet cannot hold, or a file that cannot be written.
        DiskFullError: if the disk is full.
    """
    chosen = output_format or export_format(path)
    content = _parquet(rows) if chosen == "parquet" else rows_text(rows, chosen).encode()
    replace_file(path, content)


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
