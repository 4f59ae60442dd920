"""JSON for programs."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.text import json_text
from thresher.reports.report import Report


def render(report: Report[Any]) -> str:
    """Return the report's data as strict JSON."""
    return json_text(report.data())


RENDERER = Renderer("json", render, suffixes=(".json",))
