"""`thresher labels draw` and `thresher labels read`."""

import argparse

from thresher.cli.show import remark, show, unfinished, write
from thresher.cli.streams import print_data
from thresher.pipelines.run_directory import open_run
from thresher.reports.labels import draw, judge_by_labels
from thresher.reports.rendering.formats.excel import write_workbook
from thresher.reports.report import TableReport
from thresher.reports.table import Table


def run(options: argparse.Namespace) -> int:
    """Draw items to label, or report on labels."""
    return _draw(options) if options.action == "draw" else _read(options)


def _draw(options: argparse.Namespace) -> int:
    results = open_run(options.run)
    table = draw(
        results,
        options.n,
        seed=options.seed,
        metric=options.metric,
        by=options.by,
        raters=options.raters,
        with_scores=options.with_scores,
    )
    if options.output is not None and options.output.lower().endswith(".xlsx"):
        write_workbook(options.output, {"labels": table})
    else:
        text = table.to_csv().rstrip("\r\n")
        print_data(text) if options.output is None else write(options.output, text)
    if len(table):
        remark(f"drew {table[0]['drawn']}; fill in the column `label`, then run `thresher labels read`")
    for line in unfinished(results):
        remark(line)
    return 0


def _read(options: argparse.Namespace) -> int:
    results = open_run(options.run)
    labelled = judge_by_labels(
        results,
        options.labels,
        options.metric,
        threshold=options.threshold,
        columns=options.label_column,
    )
    table = labelled.table()
    confusion = [] if labelled.confusion is None else [labelled.confusion]
    data = labelled.to_dict()
    report = TableReport.of(table, summary=rounded(table), further=confusion, data=data)
    show(options, report, unfinished(results))
    return 0


def rounded(table: Table) -> Table:
    """Round to three decimals and show both ends of an interval in one column."""
    rows = []
    for row in table:
        ends = "" if row["low"] is None else f"{row['low']:.3f} to {row['high']:.3f}"
        value = "-" if row["value"] != row["value"] else f"{row['value']:.3f}"
        rows.append((row["number"].replace("_", " "), row["about"], value, ends, row["items"]))
    columns = ["number", "about", "value", "95 % interval", "items"]
    return Table(columns, rows, notes=table.notes, reading=table.reading)
