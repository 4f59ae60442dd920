"""Entry point: report each error in one line and choose the exit code."""

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module

from thresher.cli.encoding import allow_any_encoding
from thresher.cli.logs import without_tracebacks
from thresher.cli.option_values import check_output
from thresher.cli.parser import parser
from thresher.cli.startup import fewer_collections, shorten, start_workers_early
from thresher.cli.streams import visible_output
from thresher.cli.verbose import report_versions, step
from thresher.errors import (
    ComponentError,
    CoverageWarning,
    DataWarning,
    DiskFullError,
    IncompleteWarning,
    InputError,
    ThresherError,
)
from thresher.files.limits import parse_limits, read_limits
from thresher.files.writing import discarding_stream, is_full
from thresher.freed_memory import reuse_freed_memory
from thresher.plugins import load_plugin
from thresher.surface import command_line
from thresher.visible_text import one_line

FINE, FAILED_GATE, UNUSABLE, COULD_NOT_RUN = 0, 1, 2, 3
"""Exit codes; 4 is an inconclusive gate."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    Args:
        arguments: the words after `thresher`; default: those of the process.
    """
    _open_closed_streams()
    allow_any_encoding()
    shorten()
    with (
        command_line(),
        visible_output(),
        without_tracebacks(),
        fewer_collections(),
        warnings.catch_warnings(),
    ):
        options = parser().parse_args(arguments)
        warnings.simplefilter("ignore", CoverageWarning)  # every table prints its coverage
        warnings.simplefilter("ignore", IncompleteWarning)  # every report says it first
        warnings.simplefilter("always", DataWarning)
        warnings.showwarning = partial(_show_warning, set())
        return _run(options)


def _run(options: argparse.Namespace) -> int:
    try:
        check_output(options)
        report_versions(options)
        reuse_freed_memory()  # sets a variable; workers fork from a process that has the same ones
        start_workers_early(options)
        for plugin in getattr(options, "plugin", ()):
            load_plugin(plugin)
        command = import_module(f"thresher.cli.{options.module}")
        limits = parse_limits(getattr(options, "read_limit", []), "--read-limit")
        with step(options, "whole command"), read_limits(**limits):
            code: int = command.run(options)
        sys.stdout.flush()  # at the end of the process, an error would be a traceback without an exit code
    except (ComponentError, DiskFullError) as error:
        return _report(error, COULD_NOT_RUN)
    except ThresherError as error:
        return _report(error, UNUSABLE)
    except BrokenPipeError:
        _close_output()
        return FINE
    except KeyboardInterrupt:
        print(
            "thresher: interrupted; finished chunks are stored, run the same command again to continue",
            file=sys.stderr,
        )
        return COULD_NOT_RUN
    except Exception as error:  # noqa: BLE001  # the message names the class; users of a command line cannot act on a traceback
        return _report(*_explained(error))
    return code


def _open_closed_streams() -> None:
    """Discard output to a stream that the caller closed (`>&-`); Python sets such a stream to None."""
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, discarding_stream())


def _explained(error: Exception) -> tuple[ThresherError, int]:
    """An error that is not Thresher's own in one line, and its exit code."""
    if isinstance(error, OSError) and is_full(error):  # only printing raises it here
        _close_output()
        return DiskFullError(f"standard output cannot be written: {error.strerror}"), COULD_NOT_RUN
    if isinstance(error, OSError) and error.filename is not None:  # a path that the system does not accept
        return InputError(f"{error.filename} cannot be used: {error.strerror}"), UNUSABLE
    return ComponentError(f"unexpected {type(error).__name__}: {error}"), COULD_NOT_RUN


def _close_output() -> None:
    """Discard pending output, which Python would otherwise try to write when the process ends."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(shown: set[str], message: Warning | str, *_: object, **__: object) -> None:
    """Print a warning in one line and once, without the place in the code that Python adds."""
    line = f"thresher: warning: {one_line(str(message))}"
    if line not in shown:
        shown.add(line)
        print(line, file=sys.stderr)


def _report(error: Exception, code: int) -> int:
    print(f"thresher: {one_line(str(error))}", file=sys.stderr)
    return code
