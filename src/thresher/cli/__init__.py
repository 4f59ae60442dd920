"""The command line: parse options, call the library, print."""

from thresher.cli.main import main

__all__ = ["main"]
