"""The command line, shown in a notebook: the command, then what it prints."""

import os
import shlex
import subprocess
import sys
from pathlib import Path

WIDTH = "110"


def shell(command: str, folder: str | Path = ".") -> None:
    """Run a command of Thresher's as one would type it, and print what it prints.

    Args:
        command: e.g. `thresher run qa --data answers.jsonl`.
        folder: where to run it.
    """
    print(f"$ {command}")  # that is what it is for
    words = shlex.split(command)
    beside = Path(sys.executable).parent / words[0]  # of this environment, whatever the path says
    done = subprocess.run(  # noqa: S603  # the commands stand in the tutorials
        [str(beside) if beside.exists() else words[0], *words[1:]],
        cwd=folder,
        env={**os.environ, "COLUMNS": WIDTH, "HAYSTACK_TELEMETRY_ENABLED": "False"},
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout.rstrip() or done.stderr.rstrip())  # the same
    if done.returncode:
        print(f"(exit code {done.returncode})")  # the same
