"""CSV for programs."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report


def render(report: Report[Any]) -> str:
    """Return every column and digit of the report (RFC 4180)."""
    return report.table().to_csv()


RENDERER = Renderer("csv", render, suffixes=(".csv",), has_notes=False)
