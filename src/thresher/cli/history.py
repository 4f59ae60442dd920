"""`thresher history`."""

import argparse

from thresher.cli.option_values import names_of
from thresher.cli.project_runs import bars, stored_runs
from thresher.cli.show import show
from thresher.errors import InputError
from thresher.reports.report import TableReport
from thresher.reports.trends.histories import item_history
from thresher.reports.trends.trend_report import TrendOptions, TrendReport


def run(options: argparse.Namespace) -> int:
    """Show one item over runs, or what each item did."""
    runs = stored_runs(options.runs)
    options.metric = names_of(options.metric, [name for run in runs.values() for name in run.metrics])
    if options.item is not None:
        show(options, item_history(runs, options.item, options.metric))
        return 0
    passing = bars(options.bar)
    metrics = options.metric or list(passing) or [None]
    if len(metrics) > 1:
        raise InputError("histories of all items are of one metric: give one --metric, or --item ID")
    trend = TrendReport(runs, TrendOptions(primary=metrics[0], bars=passing))
    histories = trend.histories
    if histories is None:
        raise InputError(f"which scores of {trend.measure} pass? add --bar {trend.measure}=0.5")
    table = histories.table()
    report = TableReport(table, table, data=histories.data())
    report.title = "Histories of items"
    show(options, report, histories.reading())
    return 0
