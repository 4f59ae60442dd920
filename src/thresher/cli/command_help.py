"""`thresher help`."""

import argparse

from thresher.cli.parser import parser


def run(options: argparse.Namespace) -> int:
    """Print the help of a command, and exit."""
    parser().parse_args([*options.command, "--help"])
    return 0
