"""Aligned text for a terminal."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.terminal import as_records, fitted_text, fitting
from thresher.reports.rendering.text import surrounded
from thresher.reports.report import Report


def render(report: Report[Any]) -> str:
    """Return the report in the width of the terminal; whole in a pipe or a file."""
    table = fitting(report.layouts()).with_findings(report.remarks)
    text = as_records(table) if report.wide else fitted_text(table)
    leading = report.leading()
    further = [surrounded(part, fitted_text(part)) for part in report.further_tables()]
    own = surrounded(table, "\n\n".join([text, *further]))
    return own if leading is None else f"{render(leading)}\n\n\n{own}"


RENDERER = Renderer("table", render)
