"""The forms in which every report can be had."""

from collections.abc import Callable
from typing import Any

from thresher.errors import InputError
from thresher.reports.rendering.text import json_text
from thresher.reports.table import Table

FORMATS = ("default", "df", "csv", "json", "markdown")


def shaped(
    output_format: str,
    table: Callable[[], Table],
    default: Callable[[], Any] | None = None,
    data: Callable[[], Any] | None = None,
    readable: Callable[[], Table] | None = None,
) -> Any:
    """A report in the format asked for; only that form is computed.

    Args:
        output_format: one of `FORMATS`.
        table: makes the table that `df` and `csv` show.
        default: makes what is returned by default; the table without.
        data: makes what `json` shows; the table's rows without.
        readable: makes the table that `markdown` shows; `table` without.

    Raises:
        InputError: for an unknown format.
    """
    if output_format not in FORMATS:
        raise InputError(f"output_format={output_format!r} is unknown; choose one of {', '.join(FORMATS)}")
    if output_format == "default":
        return (default or table)()
    if output_format == "json":
        return json_text(data() if data else list(table()))
    if output_format == "df":
        return table().to_dataframe()
    if output_format == "csv":
        return table().to_csv()
    return (readable or table)().to_markdown()
