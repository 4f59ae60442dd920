"""`thresher compare`."""

import argparse
from typing import Any

from thresher.cli import tables
from thresher.cli.show import page_options, remark, show, write
from thresher.errors import InputError
from thresher.pipelines.run_directory import open_run
from thresher.reports.comparisons.comparison_report import ComparisonReport
from thresher.reports.comparisons.item_comparison import detailed
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.html.report import html_report
from thresher.reports.slices.slice_comparison import SliceComparison


def run(options: argparse.Namespace) -> int:
    """Show runs side by side, joined by item; differences are to the first run.

    Returns:
        0, or 3 where none of the tested measures could be compared.
    """
    if len(options.runs) < 2:  # noqa: PLR2004
        raise InputError("compare needs two or more runs")
    tables.check_one_of(options)
    runs = [open_run(path) for path in options.runs]
    report = _report(options, runs)
    _show(options, runs, report)
    obstacles = report.obstacles
    if obstacles:
        remark(f"thresher: no tested measure could be compared: {' '.join(obstacles)}")
    return 3 if obstacles else 0


def _show(options: argparse.Namespace, runs: list[EvaluationResults], report: ComparisonReport) -> None:
    if options.format == "html":
        write(options.output, html_report(runs, **_kept(options), **page_options(options)))
    elif options.detailed:
        if len(runs) > 2:  # noqa: PLR2004
            raise InputError("compare --detailed shows two runs; leave the others out")
        table = detailed(runs[0], runs[1], options.metric)
        show(options, table, {"notes": list(table.notes), "items": list(table)}, itemwise=True)
    else:
        data = report.data() if options.format == "json" else None
        show(options, tables.compared(report, options.format), data)


def _report(options: argparse.Namespace, runs: list[EvaluationResults]) -> ComparisonReport:
    kept = {**_kept(options), "level": options.level}
    return SliceComparison(runs, options.slice, **kept) if options.slice else ComparisonReport(runs, **kept)


def _kept(options: argparse.Namespace) -> dict[str, Any]:
    return {
        "metrics": options.metric,
        "cluster": options.cluster,
        "repeats": options.repeats,
        **tables.margins(options.margin),
        "primary": options.primary,
        "verdicts": "always" if options.across_settings else "comparable",
    }
