"""Options of `thresher runs`, `trend`, `history` and `export`."""

from argparse import ArgumentParser

from thresher.cli.argument_parser import Commands
from thresher.cli.common_options import output


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
        "items, primary measures with 95 %% intervals, cost and state. Other entries are skipped.",
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
    output(command)
    command.set_defaults(module="runs")
