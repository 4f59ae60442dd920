"""Options of `thresher report`, `compare`, `thresholds`, `inputs-below` and `verify`."""

from argparse import ArgumentParser
from typing import get_args

from thresher.cli.argument_parser import Commands, positive
from thresher.cli.common_options import (
    RUN_HELP,
    across_settings,
    bounds,
    by_label,
    choose_on,
    image_pages,
    margin,
    output,
    selection,
    statistics,
)
from thresher.reports.by_label.label_sort import DifferenceSort, LabelSort

PRINTED_ROWS = 20
"""Items that `inputs-below` prints: a screen or two of records, one per item."""


def report(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher report`."""
    command = commands.add_parser(
        "report",
        examples=[
            "thresher report runs/answers",
            "thresher report runs/answers --slice language",
            "thresher report runs/answers --find-slices language topic",
            "thresher report runs/detections --by label",
            "thresher report runs/poses --by keypoint",
            "thresher report runs/answers -o report.html",
            "thresher report runs/detections --images photos/ -o report.html",
        ],
        usage="thresher report RUN [options]",
        help="show the scores of a run, overall, by slice or by item",
        description="Show the scores of a stored run with confidence intervals. Nothing is computed again.",
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    group = command.add_argument_group("content")
    selection(group)
    group.add_argument(
        "--find-slices",
        nargs="*",
        metavar="COLUMN",
        help="search for weak slices: values of the columns, by default of all, and pairs of them; what is found is "
        "a candidate to confirm on other items",
    )
    group.add_argument("--detailed", action="store_true", help="show the scores of each item")
    by_label(group, "show the values of each label, or of each keypoint, with intervals, the worst first")
    group.add_argument(
        "--sort",
        choices=get_args(LabelSort),
        help="order of the labels: worst or best value, name, most objects or narrowest interval first "
        "(default: worst)",
    )
    group = command.add_argument_group("statistics")
    statistics(group)
    bounds(group)
    image_pages(output(command, pages=True))
    command.set_defaults(module="report")


def compare(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher compare`."""
    command = commands.add_parser(
        "compare",
        examples=[
            "thresher compare runs/baseline runs/candidate",
            "thresher compare runs/baseline runs/candidate --margin token_f1=0.02 -o comparison.html",
            "thresher compare runs/baseline runs/candidate --by label",
            "thresher compare runs/poses runs/other_poses --by keypoint",
            "thresher compare runs/baseline runs/candidate --images photos/ -o comparison.html",
        ],
        usage="thresher compare RUN RUN... [options]",
        help="compare runs item by item, with confidence intervals",
        description="Compare runs on the items that they share. Differences are to the first run and have "
        "confidence intervals.",
    )
    command.add_argument(
        "runs",
        metavar="RUN",
        nargs="+",
        help="directories of two or more runs, or files of results (.json, .json.gz); others are skipped",
    )
    group = command.add_argument_group("content")
    selection(group)
    group.add_argument("--detailed", action="store_true", help="show the scores of each item, for two runs")
    by_label(group, "compare the values of each label, or of each keypoint, the largest loss first")
    group.add_argument(
        "--sort",
        choices=get_args(DifferenceSort),
        help="order of the labels: worst (largest loss) or best (largest gain), name, or narrowest interval "
        "first (default: worst)",
    )
    group = command.add_argument_group("statistics")
    margin(group, "runs within the margin are equivalent; without a margin, no verdict is `equivalent`")
    across_settings(group)
    group.add_argument(
        "--primary",
        action="append",
        metavar="MEASURE",
        help="test this measure, or a list a,b, instead of the primary measures of the runs; repeatable",
    )
    statistics(group)
    bounds(group)
    image_pages(output(command, pages=True))
    command.set_defaults(module="compare")


def verify(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher verify`."""
    command = commands.add_parser(
        "verify",
        examples=[
            "thresher verify runs/answers",
            "thresher verify runs/*",
            "thresher verify --clean s3://bucket/runs/answers",
        ],
        usage="thresher verify RUN... [options]",
        help="check that the files of a run are intact",
        description="Check each file of stored runs against its SHA-256, and each part against its run. "
        "Nothing is changed without --clean. Exit code 3 if a file is damaged, belongs to another run or is "
        "missing.",
    )
    command.add_argument(
        "runs", metavar="RUN", nargs="+", help="directories of one or more runs, or their URLs"
    )
    command.add_argument(
        "--clean",
        action="store_true",
        help="delete the temporary files and claims that interrupted processes left behind, and indices of "
        "data that the run does not use",
    )
    output(command)
    command.set_defaults(module="verify")


def thresholds(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher thresholds`."""
    command = commands.add_parser(
        "thresholds",
        examples=[
            "thresher thresholds runs/answers --metric token_f1",
            "thresher thresholds runs/answers --metric token_f1 --label correct",
            "thresher thresholds runs/detections --export thresholds.json",
        ],
        usage="thresher thresholds RUN [options]",
        help="show percentiles of item scores; find the best threshold",
        description="Find the best score thresholds of a detector or classifier, overall and per label. Of "
        "other metrics show percentiles of the item scores; with --label, find the threshold that separates "
        "positive from negative items best.",
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument_group("content").add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help="show only METRIC, a list a,b, or a column of scores; repeatable",
    )
    _best_threshold(command)
    output(command, pages=True)
    command.set_defaults(module="thresholds")


def _best_threshold(command: ArgumentParser) -> None:
    group = command.add_argument_group(
        "best threshold", "Chosen on one part of the items, evaluated on the other, with intervals."
    )
    group.add_argument("--label", metavar="COLUMN", help="read from COLUMN which items are positive (1 or 0)")
    group.add_argument(
        "--positive",
        metavar="VALUE",
        help="value of the positive label (default: 1); of a classifier of two labels also without --label",
    )
    group.add_argument(
        "--objective",
        metavar="OBJECTIVE",
        help="choose the threshold by f1 (or f2, f0.5), precision-at-recall=R, recall-at-precision=P, the "
        "lowest cost=FP,FN, or where there are true negatives, which detections lack, youden or "
        "cost=FP,FN,TP,TN (default: f1)",
    )
    group.add_argument(
        "--split",
        type=float,
        metavar="SHARE",
        help="choose on this share of the items, evaluate on the others (default: 0.5)",
    )
    group.add_argument(
        "--export",
        metavar="FILE",
        help="also write the thresholds of one metric for a deployment, as JSON (.json) or YAML (.yaml)",
    )
    choose_on(group, "choose on the items with VALUE in COLUMN, evaluate on")
    group.add_argument(
        "--folds",
        type=int,
        metavar="K",
        help="evaluate each of K parts with a threshold chosen on the others",
    )
    group.add_argument(
        "--seed",
        type=int,
        default=20240403,
        metavar="SEED",
        help="seed of the split and of the resampling (default: 20240403)",
    )
    group.add_argument(
        "--direction",
        choices=("higher", "lower"),
        help="whether higher or lower scores indicate positive items (default: the metric's direction)",
    )
    group.add_argument(
        "--cluster", metavar="COLUMN", help="keep items with the same value in COLUMN in one part"
    )


def inputs_below(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher inputs-below`."""
    command = commands.add_parser(
        "inputs-below",
        examples=[
            "thresher inputs-below runs/answers --metric token_f1 --threshold 0.5",
            "thresher inputs-below runs/answers --metric token_f1 --threshold 0.5 -o low.jsonl",
        ],
        usage="thresher inputs-below RUN --metric METRIC --threshold T [options]",
        help="list the items that score below a threshold",
        description="List the items that score below a threshold with all their columns, the lowest first. "
        "As JSONL they are a data set that `thresher run` accepts, see `thresher export`.",
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument("--metric", required=True, metavar="METRIC", help="compare the scores of METRIC")
    command.add_argument(
        "--threshold", required=True, type=float, metavar="T", help="list the items with a score below T"
    )
    output(command, pages=True, items=False, further=["jsonl"]).add_argument(
        "--max-rows",
        type=positive,
        metavar="N",
        help=f"list at most N items (default: {PRINTED_ROWS} as printed text; all in files and other "
        "formats)",
    )
    command.set_defaults(module="inputs_below")
