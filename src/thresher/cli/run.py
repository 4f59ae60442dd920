"""`thresher run`."""

import argparse
from pathlib import Path

import numpy as np

from thresher.cli import asking, tables
from thresher.cli.report import heading
from thresher.cli.show import remark, show
from thresher.cli.source import prepared
from thresher.errors import InputError
from thresher.pipelines.runner import CHUNK_SIZE, evaluate
from thresher.reports.evaluation_results import EvaluationResults
from thresher.results import Status

_TOO_MANY_FAILED = 3


def run(options: argparse.Namespace) -> int:
    """Evaluate a file, keep the run, and show what it says."""
    pipeline, dataset = prepared(options)
    asking.choose_judge(options, pipeline)
    name = options.name or dataset.name
    if not options.out and Path(name).name != name:
        raise InputError(f"--name {name!r} is no plain name: give --out to keep the run elsewhere")
    out = Path(options.out or Path("runs") / name)
    with asking.session(options, pipeline, out) as account:
        results = evaluate(
            pipeline,
            dataset,
            name=name,
            out=out,
            chunk_size=options.chunk_size or CHUNK_SIZE,
            progress=not options.quiet,
            retry_failed=options.retry_failed,
        )
    table, data = tables.aggregate(results)
    show(options, table, data, [*heading(results), *asking.told(account), f"kept in {out}"])
    return _code(results, options.max_failed, spent=account.spent)


def _code(results: EvaluationResults, max_failed: int | None, *, spent: bool) -> int:
    """Fine, unless the budget ended the run or more items failed than are allowed."""
    failed = np.zeros(len(results), np.bool_)
    for result in results.results:
        failed |= np.isin(result.status, (Status.FAILED, Status.UNREADABLE))
    count = int(failed.sum())
    if max_failed is not None and count > max_failed:
        remark(
            f"thresher: {count} items have failed or unreadable scores, more than --max-failed {max_failed}"
        )
        return _TOO_MANY_FAILED
    return _TOO_MANY_FAILED if spent else 0
