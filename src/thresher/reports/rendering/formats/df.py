"""Data frames for programs."""

from typing import TYPE_CHECKING, Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.report import Report

if TYPE_CHECKING:
    import pandas as pd


def render(report: Report[Any]) -> "pd.DataFrame":
    """Return every column of the report; notes and findings are in the frame's `attrs`."""
    return report.table().to_dataframe()


RENDERER = Renderer("df", render, is_text=False)
