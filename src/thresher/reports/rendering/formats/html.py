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
        arguments |= {"sections": _with_pictures(report.page_sections, options), "remarks": report.remarks}
    return html_report(**{**arguments, **options})


def _with_pictures(sections: tuple[str, ...], options: dict[str, Any]) -> tuple[str, ...]:
    """The sections, with the pictures after the first if they are asked for."""
    if options.get("images") is None or "pictures" in sections:
        return sections
    return (*sections[:1], "pictures", *sections[1:])


RENDERER = Renderer("html", render, suffixes=(".html", ".htm"), is_page=True)
