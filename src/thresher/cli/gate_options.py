"""Options of `thresher gate`."""

import argparse

from thresher.cli.argument_parser import Commands, positive
from thresher.cli.common_options import (
    RUN_HELP,
    across_settings,
    bounds,
    choose_on,
    margin,
    output,
    page_size,
    statistics,
)

FORMATS = ("github", "junit")
"""Formats that only gates have; `thresher.reports.gates.renderers` is too heavy to import for `--help`."""


def gate(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher gate`."""
    command = commands.add_parser(
        "gate",
        examples=[
            "thresher gate runs/answers --require 'token_f1 >= 0.6'",
            "thresher gate runs/candidate --baseline runs/baseline --require 'no-regression within 0.02'",
        ],
        usage="thresher gate RUN --require REQUIREMENT [options]",
        help="check a run against requirements, for continuous integration",
        description="Check a stored run against requirements. docs/gates.md lists what can be required.",
        epilog="Exit codes: 0 passed, 1 failed, 2 wrong usage or unreadable input, 3 could not run or is "
        "incomplete, 4 inconclusive.",
    )
    command.add_argument("run", metavar="RUN", help=f"{RUN_HELP}, which is checked")
    group = command.add_argument_group("requirements")
    requirements(group, "'valor_faithfulness>=0.8', 'token_f1>=baseline-0.02' or 'no-regression within 0.02'")
    group.add_argument("--baseline", metavar="RUN", help="compare with this run")
    choose_on(group, "`held_out` chooses thresholds on the items with VALUE in COLUMN, and checks them on")
    group = command.add_argument_group("earlier gates, as gates.jsonl next to the run records them")
    group.add_argument(
        "--rerun",
        action="append",
        default=[],
        metavar="RUN",
        help="average item scores over this run of the same system too; repeatable (default: recorded runs of the same "
        "commit, data and settings)",
    )
    group.add_argument(
        "--false-alarms-per-year",
        type=float,
        metavar="R",
        help="set the level so that unchanged commits fail R times a year (default: by --level)",
    )
    group.add_argument(
        "--commits", type=positive, default=250, metavar="N", help="gated commits a year (default: 250)"
    )
    group.add_argument("--no-record", action="store_true", help="neither read nor write gates.jsonl")
    group = command.add_argument_group("statistics")
    margin(group, "how much worse a run may be for `no-regression` without `within`")
    across_settings(group)
    statistics(group)
    bounds(group)
    _output(command)
    command.set_defaults(module="gate")


def requirements(group: argparse._ArgumentGroup, examples: str) -> None:
    """Add the options of requirements and of how they are decided."""
    group.add_argument(
        "--require",
        action="append",
        default=[],
        metavar="REQUIREMENT",
        help=f"require e.g. {examples}; repeatable",
    )
    group.add_argument(
        "--requirements",
        action="append",
        default=[],
        metavar="FILE",
        help="read requirements from the list `require` of a YAML or TOML file; repeatable",
    )
    group.add_argument(
        "--decide",
        choices=("interval", "value"),
        default="interval",
        help="decide by the confidence interval, which can be inconclusive, or by the value alone (default: "
        "interval)",
    )
    group.add_argument(
        "--allow-missing",
        metavar="SHARE",
        help="decide although up to SHARE of the scores, e.g. 2%%, are missing (default: 0)",
    )


def _output(command: argparse.ArgumentParser) -> None:
    group = output(command, further=FORMATS)
    group.add_argument("--junit", metavar="FILE", help="also write JUnit XML to FILE")
    group.add_argument("--html", metavar="FILE", help="also write the whole report to FILE, as one HTML page")
    page_size(group)
