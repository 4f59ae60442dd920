"""`thresher trend`."""

import argparse

from thresher.cli.project_runs import bars, stored_runs
from thresher.cli.show import show
from thresher.reports.trends.trend_report import TrendOptions, TrendReport


def run(options: argparse.Namespace) -> int:
    """Show a measure over runs.

    Returns:
        0, or 1 if there is an alarm and `--fail-on-alarm`.
    """
    chosen = TrendOptions(
        primary=options.primary,
        reference=options.reference,
        false_alarms_per_year=options.false_alarms_per_year,
        runs_per_year=options.runs_per_year,
        bars=bars(options.bar),
        level=options.level,
        cluster=options.cluster,
        repeats=options.repeats,
    )
    report = TrendReport(stored_runs(options.runs), chosen)
    show(options, report)
    return int(report.alarm and options.fail_on_alarm)
