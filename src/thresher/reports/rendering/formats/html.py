"""HTML pages with figures and items."""

from typing import Any

from thresher.errors import InputError
from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report


def render(report: Report[Any], **options: Any) -> str:
    """Return the page of the report.

    Args:
        report: a report of runs.
        options: further arguments of `thresher.reports.html.html_report`.

    Raises:
        InputError: for a report that has no page.
    """
    from thresher.reports.html import html_report  # --help lists the formats without loading the page

    arguments = report.page_arguments()
    if arguments is None:
        raise InputError("only reports of whole runs have an HTML page; choose another format")
    return html_report(**{**arguments, **options})


RENDERER = Renderer("html", render, suffixes=(".html", ".htm"), is_page=True)
