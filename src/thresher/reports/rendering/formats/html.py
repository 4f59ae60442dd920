"""HTML pages with figures and items."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report


def render(report: Report[Any], **options: Any) -> str:
    """Return the page of the report; options are those of `thresher.reports.html.html_report`."""
    return report.page(**options)


RENDERER = Renderer("html", render, suffixes=(".html", ".htm"), is_page=True)
