"""The command line: thin; parse, call, print."""

from thresher.cli.main import main

__all__ = ["main"]
