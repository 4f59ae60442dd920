"""`thresher runs`."""

import argparse

from thresher.cli.show import show
from thresher.pipelines.run_listing import list_runs


def run(options: argparse.Namespace) -> int:
    """List the runs in a folder."""
    show(options, list_runs(options.folder, sort=options.sort, reverse=options.reverse))
    return 0
