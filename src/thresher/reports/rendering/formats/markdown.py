"""Markdown for people: pull requests, notebooks and documents."""

from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.text import markdown, surrounded
from thresher.reports.report import Report


def render(report: Report[Any]) -> str:
    """Return the report's tables, notes before them and findings after."""
    summary = report.summary().with_findings(report.remarks)
    tables = [summary, *report.further_tables()]
    return surrounded(summary, "\n\n".join(map(markdown, tables)), bullet="- ")


RENDERER = Renderer("markdown", render, suffixes=(".md", ".markdown"))
