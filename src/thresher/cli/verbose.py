"""Reports of `--verbose` on standard error: versions, and the time of each step."""

import argparse
import platform
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.metadata import version

from thresher.version import __version__

_PACKAGES = ("haystack-ai", "numpy", "pandas", "pyarrow")


def report_versions(options: argparse.Namespace) -> None:
    """Report the versions of Python and of the packages that determine numbers and formats."""
    if getattr(options, "verbose", False):
        from thresher.native.library import kernels_in_use

        packages = ", ".join(f"{name} {version(name)}" for name in _PACKAGES)
        packages = f"{packages}, kernels: {kernels_in_use()}"
        _report(f"thresher {__version__}, Python {platform.python_version()}, {packages}")


@contextmanager
def step(options: argparse.Namespace, what: str) -> Iterator[None]:
    """Report how long a step took, whether it succeeded or not.

    Args:
        options: the command's `verbose`.
        what: the step, as in `read the data`.
    """
    begun = time.perf_counter()
    try:
        yield
    finally:
        if getattr(options, "verbose", False):
            _report(f"{what}: {time.perf_counter() - begun:.2f} s")


def _report(text: str) -> None:
    print(f"thresher: {text}", file=sys.stderr)
