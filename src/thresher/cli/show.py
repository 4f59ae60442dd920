"""Showing reports: in the requested format, on the terminal or in a file."""

import argparse
import sys
from collections.abc import Iterable, Sequence
from typing import Any

from thresher.cli.streams import print_data, print_lines
from thresher.errors import InputError
from thresher.files.writing import replace_file
from thresher.reports.rendering.registry import Renderer, format_of, rendered, renderer_of, write_text
from thresher.reports.rendering.registry import write as write_report
from thresher.reports.report import Report
from thresher.reports.runs.completeness import unfinished_sentence
from thresher.reports.runs.run_data import RunData
from thresher.visible_text import one_line

_PICTURES = {"images": "--images", "image_bytes": "--image-budget", "image_pixels": "--image-pixels"}
"""Argument of `thresher.reports.html.html_report` -> option."""


def show(options: argparse.Namespace, report: Report[Any], lines: Sequence[str] = ()) -> None:
    """Print a report, or write it to a file: notes first, then the table, then what it says.

    Args:
        options: the command's `format` and `output`.
        report: the report. Notes and `lines` go to standard error where the format has no place for them.
        lines: further sentences under the table, for people.
    """
    renderer = chosen_format(options)
    further = _format_options(options, renderer)
    report = report.with_remarks(lines)
    if options.output is None:
        printed = print_data if renderer.is_exact else print
        printed(rendered(report, renderer.name, **further).rstrip("\r\n"))
    else:
        write_report(report, options.output, renderer.name, **further)
        remark(f"thresher: wrote {options.output}")
    if not renderer.has_notes:
        table = report.table()
        for line in (*table.notes, *table.reading, *report.remarks):
            remark(one_line(line))


def chosen_format(options: argparse.Namespace) -> Renderer:
    """Return the format that the report of a command is shown in."""
    return renderer_of(chosen_name(options))


def chosen_name(options: argparse.Namespace) -> str:
    """Return the name of the format: `--format`, else by the suffix of `-o FILE`, else aligned text."""
    by_suffix = None if options.output is None else format_of(options.output)
    return options.format or (by_suffix if by_suffix in options.formats else None) or "table"


def write(path: str | None, text: str) -> None:
    """Print a text, or write it to a file."""
    if path is None:
        print(text)
    else:
        write_text(path, text)
        remark(f"thresher: wrote {path}")


def write_lines(path: str | None, lines: Iterable[str]) -> None:
    """Print lines for programs, or write them to a file, as they come."""
    if path is None:
        print_lines(lines)
    else:
        replace_file(path, lines)


def _format_options(options: argparse.Namespace, renderer: Renderer) -> dict[str, Any]:
    if options.raw and renderer.name != "csv":
        raise InputError(f"--raw is an option of CSV, not of {renderer.name}: add --format csv")
    named = {"images": "picture_folder"}
    pictures = {name: getattr(options, named.get(name, name), None) for name in _PICTURES}
    if renderer.is_page:
        for name, option in _PICTURES.items():
            if pictures[name] is not None and pictures["images"] is None:
                raise InputError(f"{option} needs --images DIR, the folder of the pictures")
        limits = {name: getattr(options, name, None) for name in ("max_rows", "max_bytes")}
        return {name: value for name, value in (limits | pictures).items() if value is not None}
    for name, option in _PICTURES.items():
        if pictures[name] is not None:
            raise InputError(f"{option} is an option of HTML pages, not of {renderer.name}: add -o FILE.html")
    return {"raw": True} if options.raw else {}


def remark(text: str) -> None:
    """Print a remark to standard error."""
    print(text, file=sys.stderr)


def unfinished(run: RunData) -> list[str]:
    """Return one sentence if the run is not complete, for tables that have no notes on it."""
    sentence = unfinished_sentence(run)
    return [sentence] if sentence else []
