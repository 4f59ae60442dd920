"""The page of a report that is not about whole runs: its tables, with what they say."""

from typing import Any

from thresher.reports.html.contents import contents
from thresher.reports.html.page import page
from thresher.reports.html.sections.facts import table_section
from thresher.reports.report import Report
from thresher.version import __version__


def table_page(report: Report[Any], *, max_rows: int = 10_000, title: str = "Report", **_: Any) -> str:
    """Return a page with the tables of a report.

    Args:
        report: the report.
        max_rows: rows of each table; the page says how many are left out.
        title: title of the page.
    """
    tables = [report.summary(), *report.further_tables()]
    headings = [title, *(f"Table {place}" for place in range(2, len(tables) + 1))]
    sections = {name: table_section(shown, max_rows) for name, shown in zip(headings, tables, strict=True)}
    context = {
        "version": __version__,
        "title": title,
        "kind": "thresher",
        "names": [title],
        "size": "",
        "costs": [],
        "remarks": list(report.remarks),
        "notes": [],
        "tables": sections,
        "items": {"payload": "", "sliders": False},
    }
    return page({**context, **contents(context, ["tables"])})
