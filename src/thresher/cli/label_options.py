"""Options of `thresher labels`."""

import argparse

from thresher.cli.argument_parser import Commands, positive
from thresher.cli.common_options import RUN_HELP, output


def labels(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher labels` with its actions."""
    command = commands.add_parser(
        "labels",
        help="draw items for human labels; check a judge against them",
        description="Draw items of a run for people to label, then check a judge against their labels.",
    )
    command.set_defaults(module="labels")
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    _draw(actions)
    _read(actions)


def _draw(actions: "Commands[argparse.ArgumentParser]") -> None:
    command = actions.add_parser(
        "draw",
        examples=[
            "thresher labels draw runs/answers --n 100 -o sheet.csv",
        ],
        usage="thresher labels draw RUN [options]",
        help="draw random items into a sheet with empty label columns",
        description="Draw random items of a run into a sheet with empty label columns.",
    )
    command.add_argument("run", metavar="RUN", help=RUN_HELP)
    command.add_argument("--n", type=positive, default=100, metavar="N", help="draw N items (default: 100)")
    command.add_argument(
        "--seed", type=int, default=0, metavar="SEED", help="seed of the random draw (default: 0)"
    )
    command.add_argument("--metric", metavar="METRIC", help="draw only among items that METRIC scored")
    command.add_argument(
        "--by",
        metavar="COLUMN",
        help="stratify by COLUMN: each value has the same share of the sheet as of the run",
    )
    command.add_argument(
        "--raters", type=positive, default=1, metavar="K", help="add label columns for K raters (default: 1)"
    )
    command.add_argument(
        "--with-scores",
        action="store_true",
        help="show the scores in the sheet, which may bias the raters (default: hide them)",
    )
    command.add_argument(
        "-o", "--output", metavar="FILE", help="write a .csv or .xlsx file (default: print CSV)"
    )


def _read(actions: "Commands[argparse.ArgumentParser]") -> None:
    command = actions.add_parser(
        "read",
        examples=[
            "thresher labels read runs/answers --labels sheet.csv --metric faithfulness --threshold 0.5",
        ],
        usage="thresher labels read RUN --labels FILE --metric METRIC [options]",
        help="report rater agreement, quality of the judge and corrected mean",
        description="Read a labelled sheet; report the agreement of the raters, the quality of the judge and "
        "the mean corrected by the labels.",
    )
    command.add_argument("run", metavar="RUN", help="directory of the run that the sheet was drawn from")
    command.add_argument("--labels", required=True, metavar="FILE", help="the labelled sheet")
    command.add_argument("--metric", required=True, metavar="METRIC", help="the metric to check")
    command.add_argument(
        "--threshold",
        type=float,
        metavar="T",
        help="count scores and labels of at least T as good",
    )
    command.add_argument(
        "--label-column",
        action="append",
        default=[],
        metavar="COLUMN",
        help="read the labels of one rater from COLUMN; repeatable (default: `label` and all `label_...`)",
    )
    output(command)
