"""The page of a report that is not about whole runs: its tables, with what they say."""

from typing import Any

from thresher.reports.html.contents import contents
from thresher.reports.html.page import page
from thresher.reports.html.sections.facts import table_section
from thresher.reports.html.svg.figure import draw
from thresher.reports.report import Report
from thresher.version import __version__


def table_page(report: Report[Any], *, max_rows: int = 10_000, title: str | None = None, **_: Any) -> str:
    """Return a page with the figures and tables of a report.

    Args:
        report: the report.
        max_rows: rows of each table; the page says how many are left out.
        title: title of the page; default: that of the report.
    """
    title = report.title if title is None else title
    tables = [report.summary(), *report.further_tables()]
    headings = report.headings[: len(tables)] or [
        title,
        *(f"Table {place}" for place in range(2, len(tables) + 1)),
    ]
    sections = {name: table_section(shown, max_rows) for name, shown in zip(headings, tables, strict=True)}
    figures = [{"title": figure.title, "plot": draw(figure)} for figure in report.figures()]
    lead: list[str] = []
    if figures:  # what they show is said next to them
        lead, sections[headings[0]]["reading"] = sections[headings[0]]["reading"], []
    context = {
        "version": __version__,
        "title": title,
        "kind": "thresher",
        "names": [title],
        "size": "",
        "costs": [],
        "remarks": list(report.remarks),
        "notes": [],
        "figures": figures,
        "lead": lead,
        "tables": sections,
        "items": {"payload": "", "sliders": False},
    }
    return page({**context, **contents(context, ["figures", "tables"])})
