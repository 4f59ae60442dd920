"""`thresher run`."""

import argparse
import os
import shlex
from pathlib import Path

import numpy as np

from thresher.cli import asking
from thresher.cli.lost_metrics import failures, first_reason, lost_metrics, lost_sentence
from thresher.cli.named_files import named_files
from thresher.cli.option_values import margins
from thresher.cli.report import heading
from thresher.cli.show import remark, show
from thresher.cli.signals import stopped_by_signals
from thresher.cli.source import pipeline_and_data, selected_note
from thresher.cli.verbose import step
from thresher.counted import counted
from thresher.datasets import Dataset
from thresher.datasets.sources import Source
from thresher.errors import InputError, RunDirectoryError
from thresher.files.stores import FolderStore, Location, Store, is_url, open_store
from thresher.pipelines.looks import Looks
from thresher.pipelines.manifest import read_manifest
from thresher.pipelines.run_end import GIVEN_UP
from thresher.pipelines.run_folder import INDEX
from thresher.pipelines.runner import evaluate
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import failed_share
from thresher.reports.runs.run_report import RunReport

_INCOMPLETE = 3
_LONGEST_NAME = 255
"""Most bytes of a directory's name on common file systems."""


def run(options: argparse.Namespace) -> int:
    """Evaluate a data set, store the run, and show its scores."""
    with step(options, "read pipeline and data"):
        pipeline, dataset = pipeline_and_data(options, _kept_stage(options))
    for note in selected_note(dataset):
        remark(f"thresher: {note}")
    asking.choose_judge(options, pipeline)
    out = _folder(options, dataset)
    finished = _finished(out)
    evaluation = step(options, f"evaluate {counted(len(dataset), 'item')}")
    shard, looks = _shard(options.shard), _looks(options)
    session = asking.session(options, pipeline, out, shard=shard)
    with stopped_by_signals(), evaluation, session as account, asking.explain_missing_key(options):
        results = evaluate(
            pipeline,
            dataset,
            name=options.name or "",
            out=out,
            chunk_size=options.chunk_size,
            progress=not options.quiet,
            retry_failed=options.retry_failed,
            shard=shard,
            primary=options.primary,
            overwrite=options.overwrite,
            workers=options.workers,
            engine=options.engine,
            address=options.address,
            judge_cards=options.judge_card,
            looks=looks,
        )
    if options.gt and isinstance(dataset, Dataset) and not (options.out or options.name):
        named_files(options).write(FolderStore(Path(out) / INDEX), str(results.provenance["data"]))
    del dataset  # a report reads what it needs from the stored run
    share = failed_share(results)
    usage = asking.usage(account, cached=not options.no_cache)
    lines = [*heading(results), *([share] if share else []), *usage, _place(results, out, finished)]
    with step(options, "report"):
        show(options, RunReport(results), lines)
    missing = account.lost or account.pending or results.provenance.get(GIVEN_UP)
    ended = account.spent or bool(missing)
    return _code(results, options.max_failed, ended=ended)


def _kept_stage(options: argparse.Namespace) -> Store | None:
    """Return where the run, if there is one, has a stage of the data; None if it is to be replaced."""
    if options.overwrite:
        return None
    if options.out or options.name:
        return open_store(options.out or Path("runs") / options.name).child(INDEX)
    files = named_files(options)
    folder = Path("runs") / files.name
    if files.name and (other := files.other(FolderStore(folder / INDEX))):
        raise InputError(
            f"{folder} holds the run of {other}: store this one elsewhere with --name or --out, or, if the "
            f"items are equal, continue it with --name {shlex.quote(files.name)}"
        )
    return FolderStore(folder / INDEX)


def _folder(options: argparse.Namespace, dataset: Source) -> Location:
    """Return the directory of the run: `--out`, or a directory of its name in `runs`."""
    if options.name == "":
        raise InputError("--name is empty: give a name, or omit --name to use the name of the data file")
    if options.out:
        return str(options.out) if is_url(options.out) else Path(options.out)
    name = dataset.name if options.name is None else options.name
    if Path(name).name != name or name == "..":
        raise InputError(
            f"--name {name!r} is not a plain name: give one without slashes, or a directory with --out"
        )
    if len(os.fsencode(name)) > _LONGEST_NAME:
        raise InputError(
            f"--name {name[:20]}... has {counted(len(name), 'character')}: shorten it, or give a directory "
            "with --out"
        )
    return Path("runs") / name


def _finished(out: Location) -> str | None:
    """Return when the run in a directory was completed; None without a run, or if it is incomplete."""
    try:
        manifest = read_manifest(open_store(out))
    except RunDirectoryError:
        return None
    return manifest.get("finished") if manifest["complete"] else None


def _place(results: EvaluationResults, out: Location, finished: str | None) -> str:
    if finished is not None and results.provenance.get("finished") == finished:
        return f"stored in {out}, complete since {finished}: nothing was computed"
    return f"stored in {out}"


def _looks(options: argparse.Namespace) -> Looks | None:
    if (options.looks is None) != (options.baseline is None):
        raise InputError("--looks N and --baseline RUN belong together: when to compare, and with which run")
    if options.looks is None:
        if options.margin:
            raise InputError("--margin is for --looks: add --looks N, or remove it")
        return None
    return Looks(options.looks, options.baseline, **margins(options.margin))


def _shard(text: str | None) -> tuple[int, int] | None:
    """Parse I/N: which chunks this process computes, of how many processes."""
    if text is None:
        return None
    number, slash, shards = text.partition("/")
    if not (slash and number.isdecimal() and shards.isdecimal() and 1 <= int(number) <= int(shards)):
        raise InputError(
            f"--shard {text}: write I/N with I from 1 to N, e.g. 1/4 for the first of four shards"
        )
    return int(number), int(shards)


def _code(results: EvaluationResults, max_failed: int | None, *, ended: bool) -> int:
    """Return the exit code.

    Args:
        results: results of the run.
        max_failed: how many items may fail; None for any number.
        ended: whether a budget was used up, the judge stopped answering, or answers are pending.

    Returns:
        0, or 3 if the run ended early, too many items failed, no item has a score, or a metric lost all of
        its scores.
    """
    failed = np.zeros(len(results), np.bool_)
    for result in results.results:
        failed |= failures(result)
    count = int(failed.sum())
    if max_failed is not None and count > max_failed:
        failures_of = counted(count, "item has", "items have")
        remark(f"thresher: {failures_of} failed or unreadable scores, more than --max-failed {max_failed}")
        return _INCOMPLETE
    lost = lost_metrics(results.results)
    nothing = bool(len(results)) and not any(result.n_scored for result in results.results)
    if nothing:
        remark(f"thresher: no item could be scored: {first_reason(lost or results.results)}")
    elif lost:
        remark(lost_sentence(lost))
    return _INCOMPLETE if ended or lost or nothing else 0
