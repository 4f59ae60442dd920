"""Runs in notebooks, and as printed text."""

from html import escape

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.rendering.notebook import notebook_html
from thresher.reports.rendering.text import plain_text, surrounded
from thresher.reports.runs.run_data import RunData
from thresher.reports.runs.run_report import RunReport


def notebook_report(run: RunData) -> str:
    """Return the values of a run with intervals and coverage; without them, why they cannot be computed."""
    try:
        table = RunReport(run).summary()
    except InputError as error:  # a notebook would print a traceback under every cell that shows the run
        return f"<p>{escape(repr(run))}</p><p>{escape(str(error))}</p>"
    return f"<p>{escape(run.name or 'run')}: {counted(len(run), 'item')}</p>{notebook_html(table)}"


def printed_report(run: RunData) -> str:
    """Return the same as text for `print`."""
    try:
        table = RunReport(run).summary()
    except InputError as error:
        return f"{run!r}\n{error}"
    return f"{run.name or 'run'}: {counted(len(run), 'item')}\n\n{surrounded(table, plain_text(table))}"
