"""`thresher trend`."""

import argparse

from thresher.cli.project_runs import bars, stored_runs
from thresher.cli.show import show
from thresher.reports.trends.options import TrendOptions
from thresher.reports.trends.trend_report import TrendReport


def run(options: argparse.Namespace) -> int:
    """Show a measure over runs.

    Returns:
        0, or 1 if there is an alarm and `--fail-on-alarm`.
    """
    chosen = TrendOptions(
        primary=options.primary,
        step=options.step,
        bars=bars(options.bar),
        level=options.level,
        cluster=options.cluster,
        repeats=options.repeats,
    )
    report = TrendReport(stored_runs(options.runs), chosen)
    show(options, report)
    return int(report.alarm and options.fail_on_alarm)
