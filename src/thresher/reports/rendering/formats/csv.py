"""CSV for programs."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report


def render(report: Report[Any], *, raw: bool = False) -> str:
    """Return every column and digit of the report (RFC 4180).

    Args:
        report: the report.
        raw: leave texts as they are that a spreadsheet would execute.
    """
    return report.table().to_csv(raw=raw)


RENDERER = Renderer("csv", render, suffixes=(".csv",), is_exact=True, has_notes=False)
