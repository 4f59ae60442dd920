"""The parser of all commands. Imports nothing heavy, so that `--help` answers at once."""

import argparse
from functools import cache
from typing import Any

from thresher.cli.argument_parser import Commands, Parser, leaves
from thresher.cli.common_options import read_limit
from thresher.cli.experiment_options import experiment
from thresher.cli.gate_options import gate
from thresher.cli.label_options import labels
from thresher.cli.leaderboard_options import leaderboard
from thresher.cli.probe_options import probe
from thresher.cli.project_options import export, history, runs, trend
from thresher.cli.prompt_options import prompts
from thresher.cli.report_options import compare, inputs_below, report, thresholds, verify
from thresher.cli.run_options import estimate, plan, run
from thresher.version import __version__

_WITHOUT_METRICS = {"completion", "demo", "help", "labels", "probe", "runs", "verify"}
_WITHOUT_FILES = {"completion", "demo", "help", "list", "verify"}


class _Version(argparse.Action):
    """Print the version and which kernels compute; the library is looked up only when it is asked for."""

    def __call__(self, parser: argparse.ArgumentParser, *_: Any) -> None:
        from thresher.native.library import kernels_in_use

        print(f"thresher {__version__}, kernels: {kernels_in_use()}")
        parser.exit()


@cache
def parser() -> argparse.ArgumentParser:
    """Return the parser of all commands, made once in a process: it takes longer than many a command."""
    top: argparse.ArgumentParser = Parser(
        prog="thresher",
        description="Evaluate ML and LLM systems, compare runs, find weak slices, and gate releases.",
        epilog="`thresher help COMMAND` explains a command. Exit codes: 0 success, 1 a gate failed, "
        "2 wrong usage or unreadable input, 3 could not run or is incomplete, 4 a gate is inconclusive.",
    )
    top.add_argument("--version", action=_Version, nargs=0, help="print version and kernels")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)
    reading = (
        report,
        compare,
        leaderboard,
        thresholds,
        inputs_below,
        gate,
        labels,
        verify,
        runs,
        trend,
        history,
        export,
    )
    judging = (run, estimate, plan, experiment, probe, prompts)
    for add_command in (_list, *judging, *reading, _demo, _completion, _help):
        add_command(commands)
    for name, command in commands.choices.items():
        for action in leaves(command):
            action.add_argument(
                "-v", "--verbose", action="store_true", help="report versions and times on standard error"
            )
            group = action.add_argument_group("plugins and limits")  # seldom needed, so last on the screen
            if name not in _WITHOUT_METRICS:
                _plugin(group)
            if name not in _WITHOUT_FILES:
                read_limit(group)
    return top


def _list(commands: "Commands[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "list",
        usage="thresher list [NAME ...] [options]",
        examples=[
            "thresher list",
            "thresher list qa",
            "thresher list token_f1 --format json",
        ],
        help="list recipes and metrics with the columns that each needs",
        description="List recipes and metrics with the columns that each needs.",
    )
    command.add_argument(
        "names",
        nargs="*",
        metavar="NAME",
        help="list only this recipe, metric, family of metrics or package (default: all)",
    )
    command.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="print text, CSV, or JSON with all options and measures of each metric (default: table)",
    )
    command.set_defaults(module="list_metrics")


def _plugin(group: argparse._ArgumentGroup) -> None:
    group.add_argument(
        "--plugin",
        action="append",
        default=[],
        metavar="FILE.py|MODULE",
        help="import metrics and components from a Python file or module, and allow pipelines to load them; "
        "repeatable",
    )


def _demo(commands: "Commands[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "demo",
        examples=[
            "thresher demo",
            "thresher demo --out demo-runs",
        ],
        help="run an example on shipped data, without a key or network",
        description="Evaluate, compare and judge two small runs on shipped data, without a key or network.",
    )
    command.add_argument("--out", metavar="DIR", help="store the runs in DIR (default: discard them)")
    command.set_defaults(module="demo")


def _completion(commands: "Commands[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "completion",
        examples=[
            "source <(thresher completion bash)",
            "thresher completion zsh > ~/.zfunc/_thresher",
        ],
        help="print a script that completes commands and options in a shell",
        description="Print a script that completes commands, options and files in a shell. It needs the "
        "extra `completion`.",
    )
    command.add_argument("shell", choices=("bash", "zsh", "tcsh"), metavar="SHELL", help="bash, zsh or tcsh")
    command.set_defaults(module="completion")


def _help(commands: "Commands[argparse.ArgumentParser]") -> None:
    command = commands.add_parser(
        "help",
        examples=["thresher help run", "thresher help labels draw"],
        help="explain a command",
        description="Explain a command, as `thresher COMMAND --help` does.",
    )
    command.add_argument("command", nargs="*", metavar="COMMAND", help="the command (default: all commands)")
    command.set_defaults(module="command_help")
