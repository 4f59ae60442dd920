"""Options of `thresher prompts`."""

import argparse

from thresher.cli.argument_parser import Commands
from thresher.cli.common_options import output


def prompts(commands: "Commands[argparse.ArgumentParser]") -> None:
    """Add `thresher prompts` with its actions."""
    command = commands.add_parser(
        "prompts",
        help="write the shipped prompts as files; check your own",
        description="Write the shipped prompts of judged metrics as files, and check your own words before "
        "`thresher run --templates FOLDER` uses them.",
    )
    command.set_defaults(module="prompts")
    actions = command.add_subparsers(title="actions", metavar="ACTION", required=True, dest="action")
    _export(actions)
    _check(actions)


def _export(actions: "Commands[argparse.ArgumentParser]") -> None:
    command = actions.add_parser(
        "export",
        examples=["thresher prompts export my-words --origin valor"],
        usage="thresher prompts export FOLDER [options]",
        help="write the shipped prompts into a folder",
        description="Write the shipped prompts and the system message into a folder. Edit some files and "
        "delete the others, for which the shipped prompts stay.",
    )
    command.add_argument("folder", metavar="FOLDER", help="the folder, which is made")
    command.add_argument(
        "--origin",
        action="append",
        default=[],
        metavar="ORIGIN",
        help="write only prompts of ORIGIN, such as valor or ragas; repeatable (default: all)",
    )
    command.add_argument("--overwrite", action="store_true", help="replace files that exist")


def _check(actions: "Commands[argparse.ArgumentParser]") -> None:
    command = actions.add_parser(
        "check",
        examples=["thresher prompts check my-words"],
        usage="thresher prompts check FOLDER [options]",
        help="check templates without calling a model",
        description="Check the variables, reply forms and labels of templates: every metric that uses one "
        "judges an invented item with invented replies. No model is called.",
    )
    command.add_argument("folder", metavar="FOLDER", help="the folder, or package:folder")
    output(command)
