"""Options of `thresher runs`, `trend`, `history` and `export`."""

from argparse import ArgumentParser, _ArgumentGroup

from thresher.cli.argument_parser import Commands, positive
from thresher.cli.common_options import RUN_HELP, output, statistics


def runs(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher runs`."""
    command = commands.add_parser(
        "runs",
        examples=[
            "thresher runs",
            "thresher runs runs --sort token_f1 --reverse",
            "thresher runs -o runs.csv",
        ],
        usage="thresher runs [DIR] [options]",
        help="list the runs in a folder",
        description="List the runs in a folder and the folders below it: when they were started, their data, "
        "items, primary measures with 95 % intervals, cost and state. Other entries are skipped.",
    )
    command.add_argument("folder", metavar="DIR", nargs="?", default="runs", help="folder (default: runs)")
    group = command.add_argument_group("order")
    group.add_argument(
        "--sort",
        metavar="COLUMN",
        default="started",
        help="sort by started, name, items, scored, cost, state or a measure (default: started)",
    )
    group.add_argument("--reverse", action="store_true", help="list the largest value first")
    output(command, pages=True, items=False)
    command.set_defaults(module="runs")


def trend(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher trend`."""
    command = commands.add_parser(
        "trend",
        examples=[
            "thresher trend runs",
            "thresher trend runs --primary token_f1 --bar token_f1=0.5 -o trend.html",
            "thresher trend runs --reference 40 --fail-on-alarm",
        ],
        usage="thresher trend DIR|RUN... [options]",
        help="show a measure over the runs of a project, with an alarm if it falls",
        description="Show a measure over comparable runs, with an alarm if it falls lastingly below the first of "
        "them. A change of data or settings divides the series; the runs since are watched.",
    )
    _project(command)
    group = command.add_argument_group("content")
    group.add_argument(
        "--primary", metavar="MEASURE", help="measure (default: the primary measure of the latest run)"
    )
    _bar(group)
    group = command.add_argument_group("alarm")
    group.add_argument(
        "--reference",
        type=positive,
        default=20,
        metavar="N",
        help="the first N comparable runs show the level (default: 20, the least; 40 if neighbouring runs are alike)",
    )
    group.add_argument(
        "--false-alarms-per-year",
        type=float,
        default=0.5,
        metavar="R",
        help="accepted false alarms (default: 0.5); with fewer a fall is found later",
    )
    group.add_argument(
        "--runs-per-year",
        type=float,
        default=365,
        metavar="N",
        help="how often the system is run (default: 365, every night)",
    )
    group.add_argument("--fail-on-alarm", action="store_true", help="exit with 1 while there is an alarm")
    statistics(command.add_argument_group("statistics"))
    output(command, pages=True, items=False)
    command.set_defaults(module="trend")


def history(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher history`."""
    command = commands.add_parser(
        "history",
        examples=[
            "thresher history runs --item q17",
            "thresher history runs --bar token_f1=0.5 -o items.csv",
        ],
        usage="thresher history DIR|RUN... [--item ID] [options]",
        help="show one item over the runs of a project, or what each item did",
        description="Show the scores and answers of one item in each run. Without --item, classify all "
        "items: steady pass, steady fail, fails since a run, passes since a run, flaky, new.",
    )
    _project(command)
    group = command.add_argument_group("content")
    group.add_argument("--item", metavar="ID", help="id or question of the item")
    group.add_argument(
        "--metric",
        action="append",
        metavar="METRIC",
        help="show the scores of METRIC (default: the metric of --bar, else the primary measures); "
        "with --item repeatable, or a list a,b",
    )
    _bar(group)
    output(command, pages=True, items=False)
    command.set_defaults(module="history")


def _project(command: ArgumentParser) -> None:
    command.add_argument(
        "runs",
        metavar="DIR|RUN",
        nargs="+",
        help="folders of runs, or directories and files of runs; entries that are not runs are skipped",
    )


def _bar(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--bar",
        action="append",
        default=[],
        metavar="METRIC=X",
        help="score from which an item passes, up to which if lower is better (default: 1 or 0 for scores of "
        "0 and 1); repeatable",
    )


def export(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher export`."""
    command = commands.add_parser(
        "export",
        examples=[
            "thresher export runs/answers --below token_f1=0.5 -o low.jsonl",
            "thresher export runs/candidate --regressed-from runs/baseline -o regressed.jsonl",
            "thresher export runs/answers --where 'language == \"de\"' --format csv",
        ],
        usage="thresher export RUN [options]",
        help="write items of a run as a data set that `run` and `experiment` accept",
        description="Write items of a run with their input columns, under the names of the source, and their "
        "scores under `_thresher`, which `run` and `experiment` leave alone. Several choices select "
        "the items that meet all of them; without a choice, all items are written.",
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    _choice(command.add_argument_group("choice of items"))
    group = command.add_argument_group("output")
    group.add_argument("--columns", metavar="NAME,...", help="write only these input columns")
    group.add_argument("--limit", type=positive, metavar="N", help="write at most N items")
    group.add_argument(
        "--format",
        choices=("jsonl", "csv", "parquet"),
        help="format (default: by the suffix of -o FILE, else jsonl)",
    )
    group.add_argument("-o", "--output", metavar="FILE", help="write to FILE instead of printing")
    command.set_defaults(module="export")


def _choice(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--where",
        metavar="CONDITION",
        help="items that meet a condition on columns and scores, such as 'language == \"de\" and bleu < 0.2'",
    )
    group.add_argument(
        "--below",
        action="append",
        default=[],
        metavar="METRIC=X",
        help="items with a score below X, the lowest first; repeatable",
    )
    group.add_argument(
        "--regressed-from",
        metavar="RUN",
        help="items with a worse score than in RUN, the largest losses first",
    )
    group.add_argument("--failed", action="store_true", help="items with a failed or unreadable score")
    group.add_argument("--flaky", action="store_true", help="items whose repeats have different scores")
    group.add_argument(
        "--metric",
        metavar="METRIC",
        help="metric of --regressed-from and --flaky (default: the first primary measure)",
    )
