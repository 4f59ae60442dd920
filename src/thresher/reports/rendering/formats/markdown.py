"""Markdown for people: pull requests, notebooks and documents."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.text import markdown, surrounded
from thresher.reports.report import Report


def render(report: Report[Any]) -> str:
    """Return the report's tables, notes before them and findings after."""
    summary = report.summary().with_findings(report.remarks)
    leading = report.leading()
    further = [surrounded(part, markdown(part)) for part in report.further_tables()]
    own = surrounded(summary, "\n\n".join([markdown(summary), *further]), bullet="- ")
    return own if leading is None else f"{render(leading)}\n\n{own}"


RENDERER = Renderer("markdown", render, suffixes=(".md", ".markdown"))
