"""`thresher completion`."""

import argparse

from thresher.cli.argument_parser import Commands
from thresher.cli.parser import parser
from thresher.errors import MissingDependencyError

_PATHS = ("DIR", "FILE", "PATH", "RUN")
"""Words in the placeholder of an argument that is a file or folder."""


def run(options: argparse.Namespace) -> int:
    """Print the script for a shell."""
    try:
        import shtab
    except ImportError as error:
        raise MissingDependencyError("shtab", "completion") from error
    top = parser()
    _complete_paths(top, shtab.FILE)
    print(shtab.complete(top, options.shell))
    return 0


def _complete_paths(command: argparse.ArgumentParser, files: object) -> None:
    """Mark the arguments that are paths, in a command and in those below it, as the library requires."""
    for action in command._actions:  # noqa: SLF001  # argparse has no public list
        if isinstance(action, Commands):
            for child in action.choices.values():
                _complete_paths(child, files)
        elif any(word in str(action.metavar) for word in _PATHS):
            action.complete = files  # type: ignore[attr-defined]
