"""The report as one self-contained HTML file."""

from thresher.reports.html.report import html_report
from thresher.reports.html.table_page import table_page

__all__ = ["html_report", "table_page"]
