"""`evaluate`: run an evaluation pipeline over a data set, chunk by chunk."""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.judges.session import current_session, sharded
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import build
from thresher.pipelines.claims import claimable
from thresher.pipelines.failed_items import recompute_failed
from thresher.pipelines.judged import judged_components
from thresher.pipelines.labelled import data_for
from thresher.pipelines.library import named_pipeline
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.plan import Plan
from thresher.pipelines.progress import Progress
from thresher.pipelines.provenance import arguments, now, provenance
from thresher.pipelines.replaced_run import delete_replaced, make_room
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.texts import check_texts
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import warn_of_shortfall

CHUNK_SIZE = 10_000
"""Items per part. A chunk costs 2 to 4 ms to run and commit, and 1.4 ms to open, whatever its size (measured
with chunks of one item): nothing for thousands of items. A kill loses at most one chunk; its answers are in
the cache."""


def evaluate(
    pipeline: Pipeline | str | Sequence[Any] | Mapping[str, Any],
    dataset: Any,
    *,
    name: str = "",
    out: str | Path | None = None,
    chunk_size: int = CHUNK_SIZE,
    progress: bool = False,
    retry_failed: bool = False,
    shard: tuple[int, int] | None = None,
    primary: Sequence[str] | None = None,
    overwrite: bool = False,
) -> EvaluationResults:
    """Run an evaluation pipeline over a data set.

    Args:
        pipeline: a Haystack pipeline, the name of a recipe, names of metrics separated by commas, or metrics
            for `build`.
        dataset: the items: a `Dataset`, or anything that `read_dataset` reads, e.g. a dict of lists.
        name: name of the run; default: the data set's name.
        out: folder of the run; default: nothing is written. An interrupted run is continued: committed
            chunks are not computed again.
        chunk_size: items computed and committed together; a continued run retains its own.
        progress: whether to show progress on standard error.
        retry_failed: recompute the failed and unreadable items of a finished run, as is always done for an
            unfinished one. All other scores stay, and cached answers of judges are reused.
        shard: `(i, n)` computes only every n-th chunk, from the i-th (the first is 1), so that n processes
            on any machines share the work of one directory that all of them can access. Each has 1/n of the
            limits and the budget of the session (`asking`).
        primary: names of the measures that comparisons with this run test, instead of those that the pipeline
            declares; saved with the run before anything is computed.
        overwrite: whether to replace a run in `out` that this one cannot continue. The old run is deleted
            when this one is complete; until then it is next to `out`, as `.NAME.replaced`.

    Returns:
        The results of all items, with their `provenance`. With `shard`, those of the chunks that are
        committed so far. If a judge stopped answering or a budget ended, `complete` is False and an
        IncompleteWarning reports what is missing; the same call continues a run that has a folder.

    Raises:
        InputError: if the data lack a column that a metric needs, or are malformed; or if `out` is given and
            a component cannot be serialised, e.g. a judge with a lambda. Raised before anything is computed
            if possible.
        ComponentError: if a component of the pipeline failed, naming it and the cause.
        RunDirectoryError: if `out` holds another run, or cannot be written.
    """
    _check_options(name, out, chunk_size, shard)
    if overwrite and out is None:
        raise InputError("overwrite=True replaces a run in a folder: give out=..., or remove it")
    built = evaluation_pipeline(pipeline)
    data = data_for(built, dataset)
    plan = Plan.of(built, data, primary)
    plan.warn_of_absent(stacklevel=3)
    given: dict[str, Any] = {"name": name, "out": out, "chunk_size": chunk_size, "progress": progress}
    given |= {"retry_failed": retry_failed, "shard": shard, "primary": primary}
    given |= {"overwrite": overwrite}
    facts: dict[str, Any] = {
        "name": name or data.name,
        "items": len(data),
        "ids_given": data.ids_given,
        **_reading(data),
        "provenance": provenance() | {"arguments": arguments(evaluate, given, plan.pipeline)},
    }
    with sharded(shard), current_session().breakers.attempt():
        if out is None:
            return _evaluate_in_memory(plan, data, facts, progress=progress)
        return _evaluate_in_directory(plan, data, facts, given)


def _reading(dataset: Dataset) -> dict[str, Any]:
    """Manifest entry on reading: the columns' names in the source, and guesses and conversions."""
    reading = {"columns": dict(dataset.origin), "notes": list(dataset.notes)}
    return {"reading": reading} if any(reading.values()) else {}


def _evaluate_in_memory(
    plan: Plan, dataset: Dataset, facts: Mapping[str, Any], *, progress: bool
) -> EvaluationResults:
    """Compute all items at once; write nothing."""
    attempt = Attempt()
    started = now()
    plan.dry_run()  # to raise for a clash of names before anything is computed
    if plan.text.problem and not plan.text.secret:
        warnings.warn(f"{plan.text.problem}; the run's provenance lacks the pipeline", stacklevel=3)
    with _progress(plan, len(dataset), shown=progress) as reporter, reporter.chunk(len(dataset)):
        part = plan.compute(dataset)
    provenance = {
        **facts,
        **plan.manifest_entries(part.results),
        **completeness(attempt.why_unfinished()),
        "started": started,
        "finished": now(),
        **attempt.to_dict(),
    }
    results = EvaluationResults(
        part.inputs,
        part.results,
        name=facts["name"],
        ids=part.ids,
        ids_given=dataset.ids_given,
        provenance=provenance,
    )
    warn_of_shortfall(results)
    return results


def _evaluate_in_directory(
    plan: Plan, dataset: Dataset, facts: Mapping[str, Any], options: Mapping[str, Any]
) -> EvaluationResults:
    """Compute and commit the chunks that the folder lacks.

    Args:
        plan: what to compute.
        dataset: all items.
        facts: the manifest's entries on the run.
        options: keywords of `evaluate`.
    """
    check_texts(dataset)
    plan.text.check()
    empty = plan.dry_run()
    size = {"chunk_size": options["chunk_size"]}
    manifest = {**facts, **size, "data": dataset.fingerprint(), **plan.manifest_entries(empty)}
    if options["overwrite"]:
        make_room(Path(options["out"]), manifest, named=bool(options["name"]))
    directory = RunDirectory.start(options["out"], manifest, named=bool(options["name"]))
    failed = directory.manifest["complete"] and not options["retry_failed"]
    done, (first, step) = set(directory.committed(failed=failed)), options["shard"] or (1, 1)
    remaining = [number for number in range(first - 1, directory.chunks, step) if number not in done]
    unfinished = _compute(directory, plan, dataset, remaining, progress=options["progress"])
    if options["shard"] and not directory.committed():  # more shards than chunks; the others are not done
        no_rows = dataset.slice(0, 0)
        return EvaluationResults(no_rows.columns, empty, name=facts["name"], ids=no_rows.ids)
    results = directory.results()
    directory.record_summary(results)
    if unfinished:
        warn_of_shortfall(results)
    return results


def _compute(
    directory: RunDirectory, plan: Plan, dataset: Dataset, remaining: Sequence[int], *, progress: bool
) -> bool:
    """Compute and commit the remaining chunks; return whether one of them is unfinished.

    Stops if a budget is used up or a judge stops answering; the run stays unfinished and can be continued.
    No part stays in memory after its commit.
    """
    computed = unfinished = False
    attempt = Attempt()
    size = directory.manifest["chunk_size"]
    before = len(dataset) - sum(min(size, len(dataset) - number * size) for number in remaining)
    with _progress(plan, len(dataset), before, shown=progress) as reporter:
        for number in claimable(directory, remaining):
            if attempt.ended:
                break
            chunk = dataset.slice(number * size, (number + 1) * size)
            compute = partial(_compute_chunk, plan, chunk, number * size, directory.part(number), attempt)
            with reporter.chunk(len(chunk)):
                unfinished |= bool(directory.commit(number, compute).unfinished)
            computed = True
    directory.close(attempt.to_dict() if computed else {})
    if directory.manifest["complete"]:
        delete_replaced(directory.path)
    return unfinished


def _compute_chunk(
    plan: Plan, chunk: Dataset, start: int, previous: ChunkPart | None, attempt: Attempt
) -> ChunkPart:
    """The part of a chunk; computes only the failed items if there is a previous part.

    A finished chunk stays finished even if its failed items fail again: they failed for their own reasons,
    while the judge answered others.
    """
    if previous is None:
        part = plan.compute(chunk, start)
    else:
        part = recompute_failed(previous, chunk, partial(plan.compute, start=start))
    why = attempt.why_unfinished()
    return part if previous is not None and not previous.unfinished else replace(part, unfinished=why)


def _progress(plan: Plan, items: int, done: int = 0, *, shown: bool) -> Progress:
    """Progress that is updated within chunks if there is a judge, which takes long."""
    account = current_session().account if judged_components(plan.pipeline) else None
    return Progress(items, done, shown=shown, account=account)


def _check_options(name: object, out: object, chunk_size: object, shard: object) -> None:
    if type(chunk_size) is not int or chunk_size < 1:
        raise InputError(f"chunk_size={chunk_size!r} must be a whole number of at least 1")
    if not isinstance(name, str):
        raise InputError(f"name={name!r} must be a text")
    if out is not None and not isinstance(out, str | Path):
        raise InputError(f"out={out!r} must be the path of a folder")
    if shard is not None and (out is None or not _is_share(shard)):
        raise InputError(
            f"shard={shard!r} must be (i, n) with i from 1 to n, for a run that has a folder: out=..."
        )


def _is_share(shard: object) -> bool:
    match shard:
        case (int() as number, int() as shards):
            return 1 <= number <= shards
    return False


def evaluation_pipeline(given: Pipeline | str | Sequence[Any] | Mapping[str, Any]) -> Pipeline:
    """Return the pipeline of a recipe, of metric names or of metrics; a pipeline is returned unchanged.

    Raises:
        InputError: for an unknown name, or an object of another type.
    """
    if isinstance(given, Pipeline):
        return given
    if isinstance(given, str):
        return named_pipeline(given)
    if isinstance(given, Sequence | Mapping):
        return build(given)
    raise InputError(
        f"{type(given).__name__} is not a pipeline: give a Haystack pipeline, a recipe's name, or metrics"
    )
