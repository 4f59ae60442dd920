"""`thresher verify`."""

import argparse

from thresher.cli.show import show
from thresher.pipelines.verification import verification_report, verify_run


def run(options: argparse.Namespace) -> int:
    """Check the files of stored runs; 3 if one is damaged, foreign or missing."""
    runs = [verify_run(path, clean=options.clean) for path in options.runs]
    show(options, verification_report(runs))
    return 0 if all(run.whole for run in runs) else 3
