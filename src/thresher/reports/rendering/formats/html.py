"""HTML pages with figures and items."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report


def render(report: Report[Any], **options: Any) -> str:
    """Return the page of the report: that of its runs, or else its tables.

    Args:
        report: the report.
        options: further arguments of `thresher.reports.html.html_report`.
    """
    from thresher.reports.html import html_report, table_page  # --help lists formats without loading pages

    arguments = report.page_arguments()
    if arguments is None:
        return table_page(report, **options)
    if report.page_sections is not None:  # then remarks are about what is shown, not about the run
        arguments |= {"sections": report.page_sections, "remarks": report.remarks}
    return html_report(**{**arguments, **options})


RENDERER = Renderer("html", render, suffixes=(".html", ".htm"), is_page=True)
