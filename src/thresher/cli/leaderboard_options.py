"""Options of `thresher leaderboard`."""

from argparse import ArgumentParser, ArgumentTypeError, _ArgumentGroup

from thresher.cli.argument_parser import Commands
from thresher.cli.common_options import across_settings, bounds, output, statistics

MOST_MISSING = 0.1


def leaderboard(commands: "Commands[ArgumentParser]") -> None:
    """Add `thresher leaderboard`."""
    command = commands.add_parser(
        "leaderboard",
        examples=[
            "thresher leaderboard runs/*",
            "thresher leaderboard runs/top-k --weights recall=.3,token_f1=.7",
        ],
        usage="thresher leaderboard DIR|RUN... [options]",
        help="order runs by one measure and say which may be the best",
        description="Order runs by one measure on the items that all scored, and say which may be the best. "
        "For runs of an experiment, also show what each setting changes.",
    )
    command.add_argument(
        "runs",
        metavar="DIR|RUN",
        nargs="+",
        help="experiments, other folders of runs, directories or files of runs; entries of a folder that are "
        "not runs are skipped",
    )
    _content(command.add_argument_group("content"))
    group = command.add_argument_group("statistics")
    across_settings(group)
    group.add_argument(
        "--most-missing",
        type=_share,
        default=MOST_MISSING,
        metavar="SHARE",
        help="share of the items that a run may lack and still get a rank (default: 0.1)",
    )
    statistics(group)
    bounds(group)
    output(command, pages=True)
    command.set_defaults(module="leaderboard")


def _content(group: _ArgumentGroup) -> None:
    group.add_argument(
        "--primary",
        metavar="MEASURE",
        help="order the runs by MEASURE (default: the primary measure of the runs)",
    )
    group.add_argument(
        "--baseline",
        metavar="NAME",
        help="show differences to the run of this name or folder (default: to the best value)",
    )
    group.add_argument("--pairs", action="store_true", help="show the differences of all pairs")
    group.add_argument(
        "--letters", action="store_true", help="show letters; runs that share one are not shown to differ"
    )
    group.add_argument(
        "--weights",
        metavar="MEASURE=W,...",
        help="show a weighted score of measures, such as faithfulness=0.7,token_f1=0.3",
    )
    group.add_argument(
        "--reference",
        action="append",
        default=[],
        metavar="MEASURE=LOW,HIGH",
        help="scale of a measure without bounds in the weighted score, such as latency=0,10; repeatable",
    )


def _share(text: str) -> float:
    """Read a share from 0 to below 1, as argparse's `type`."""
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share < 1:
        raise ArgumentTypeError(f"{text!r} is not a share from 0 to below 1")
    return share
