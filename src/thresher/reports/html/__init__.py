"""The report as one self-contained HTML file."""

from thresher.reports.html.report import html_report

__all__ = ["html_report"]
