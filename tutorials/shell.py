"""The command line, shown in a notebook: the command, then what it prints."""

import os
import shlex
import warnings
from contextlib import chdir, redirect_stderr, redirect_stdout
from io import StringIO
from pathlib import Path

import thresher.cli

WIDTH = 110


def shell(command: str, folder: str | Path = ".", width: int = WIDTH) -> None:
    """Run a command of Thresher's as one would type it, and print what it prints.

    It runs in this process, which has loaded already what a new one would have to load for every command.

    Args:
        command: e.g. `thresher run qa --data answers.jsonl`.
        folder: where to run it.
        width: columns of the terminal; a table leaves out what does not fit.
    """
    print(f"$ {command}")  # that is what it is for
    name, *words = shlex.split(command)
    if name != "thresher":
        raise ValueError(f"{name} is none of Thresher's commands")
    os.environ["COLUMNS"] = str(width)
    printed, told = StringIO(), StringIO()
    with chdir(folder), redirect_stdout(printed), redirect_stderr(told), warnings.catch_warnings():
        code = _code(words)
    print(printed.getvalue().rstrip() or told.getvalue().rstrip())  # the same
    if code:
        print(f"(exit code {code})")  # the same


def _code(words: list[str]) -> int:
    try:
        return thresher.cli.main(words)
    except SystemExit as left:  # how argparse tells that it cannot read the words
        return int(left.code or 0)
