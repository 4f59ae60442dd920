"""The runner: a data set through an evaluation pipeline, chunk by chunk."""

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.judges.session import current_session
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import build
from thresher.pipelines.judged import judged_components
from thresher.pipelines.labelled import data_for
from thresher.pipelines.library import named_pipeline
from thresher.pipelines.mending import mended
from thresher.pipelines.parts import Part
from thresher.pipelines.plan import Plan
from thresher.pipelines.progress import Progress
from thresher.pipelines.provenance import arguments, now, provenance
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.texts import check_texts
from thresher.reports.completeness import warn_of_shortfall
from thresher.reports.evaluation_results import EvaluationResults

CHUNK_SIZE = 10_000


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
) -> EvaluationResults:
    """Run an evaluation pipeline over a data set.

    Args:
        pipeline: a Haystack pipeline, the name of a recipe, names of metrics separated by commas, or metrics
            for `build`.
        dataset: the items: a `Dataset`, or anything that `read_dataset` reads, e.g. a dict of lists.
        name: name of the run; the data set's name without.
        out: folder to keep the run in. A run that was killed is continued: committed chunks are not
            computed again. Without it nothing is written.
        chunk_size: items computed and committed together; a run that is continued keeps its own.
        progress: whether to tell progress on standard error.
        retry_failed: compute the items of a finished run again that failed or were unreadable; those of an
            unfinished run are anyway. All other scores stay, and answers that a judge gave are kept.
        shard: `(i, n)` computes only every n-th chunk, from the i-th (the first is 1), so that n processes,
            wherever they run, share the work of one directory that all of them see.
        primary: names of the measures that comparisons with this run test, instead of those that the pipeline
            declares; kept with the run before anything is computed.

    Returns:
        The results of all items; their `provenance` says how they came about. With `shard`, those of the
        chunks that are committed by now. Where a judge stopped answering or a budget ended, `complete` is
        False and an IncompleteWarning says what is lacking; the same call continues a run that has a folder.

    Raises:
        InputError: if the data lack a column that a metric needs, or do not fit; or if `out` is given and a
            component cannot be serialised, e.g. a judge with a lambda; before anything is computed as far as
            it can be known.
        ComponentError: if a component of the pipeline failed; says which and why.
        RunDirectoryError: if `out` holds another run, or cannot be written.
    """
    _check_options(name, out, chunk_size, shard)
    chosen = _pipeline(pipeline)
    data = data_for(chosen, dataset)
    plan = Plan.of(chosen, data, primary)
    plan.warn_of_absent(stacklevel=3)
    given: dict[str, Any] = {"name": name, "out": out, "chunk_size": chunk_size, "progress": progress}
    given |= {"retry_failed": retry_failed, "shard": shard, "primary": primary}
    facts: dict[str, Any] = {
        "name": name or data.name,
        "items": len(data),
        "ids_given": data.ids_given,
        **_reading(data),
        "provenance": provenance() | {"arguments": arguments(evaluate, given, plan.pipeline)},
    }
    if out is None:
        with current_session().breakers.attempt():
            return _in_memory(plan, data, facts, progress=progress)
    check_texts(data)
    plan.text.check()
    foreseen = plan.foreseen()
    manifest = {**facts, "chunk_size": chunk_size, "data": data.fingerprint(), **plan.told(foreseen)}
    directory = RunDirectory.start(out, manifest, named=bool(name))
    done = set(directory.committed(failed=directory.manifest["complete"] and not retry_failed))
    first, step = shard or (1, 1)
    left = [number for number in range(first - 1, directory.chunks, step) if number not in done]
    with current_session().breakers.attempt():
        fresh = _compute(directory, plan, data, left, progress=progress)
    if shard and not directory.committed():  # more shards than chunks, and the others are still at work
        nothing = data.slice(0, 0)
        return EvaluationResults(nothing.columns, foreseen, name=facts["name"], ids=nothing.ids)
    results = directory.results(fresh)
    if any(part.unfinished for part in fresh.values()):
        warn_of_shortfall(results)
    return results


def _reading(dataset: Dataset) -> dict[str, Any]:
    """How the data were read: the names that columns had in the source, and what was guessed or converted."""
    reading = {"columns": dict(dataset.origin), "notes": list(dataset.notes)}
    return {"reading": reading} if any(reading.values()) else {}


def _in_memory(
    plan: Plan, dataset: Dataset, facts: Mapping[str, Any], *, progress: bool
) -> EvaluationResults:
    """All items at once; nothing is written."""
    attempt = Attempt()
    started = now()
    plan.foreseen()  # a clash of names is told before anything is computed
    if plan.text.problem and not plan.text.secret:
        warnings.warn(f"{plan.text.problem}; the run's provenance lacks the pipeline", stacklevel=3)
    with _progress(plan, len(dataset), shown=progress) as told, told.chunk(len(dataset)):
        part = plan.compute(dataset)
    provided = {
        **facts,
        **plan.told(part.results),
        **completeness(attempt.why_unfinished()),
        "started": started,
        "finished": now(),
        **attempt.to_dict(),
    }
    kept = {"name": facts["name"], "ids": part.ids, "ids_given": dataset.ids_given, "provenance": provided}
    results = EvaluationResults(part.inputs, part.results, **kept)
    warn_of_shortfall(results)
    return results


def _compute(
    directory: RunDirectory, plan: Plan, dataset: Dataset, left: Sequence[int], *, progress: bool
) -> dict[int, Part]:
    """Compute and commit the chunks that are left; returns the new parts by number.

    A budget that is used up, or a judge that stops answering, ends the work: the run stays unfinished, and
    can be continued.
    """
    fresh: dict[int, Part] = {}
    attempt = Attempt()
    size = directory.manifest["chunk_size"]
    before = len(dataset) - sum(min(size, len(dataset) - number * size) for number in left)
    with _progress(plan, len(dataset), before, shown=progress) as told:
        for number in _not_done_by_others(directory, left):
            if attempt.ended:
                break
            chunk = dataset.slice(number * size, (number + 1) * size)
            compute = partial(_computed, plan, chunk, number * size, directory.part(number), attempt)
            with told.chunk(len(chunk)):
                fresh[number] = directory.commit(number, compute)
    directory.close(attempt.to_dict() if fresh else {})
    return fresh


def _computed(plan: Plan, chunk: Dataset, start: int, there: Part | None, attempt: Attempt) -> Part:
    """The part of a chunk; of one that is there, only the items are computed that failed.

    A chunk that was done stays done where its failed items are tried again in vain: they failed by
    themselves before, while the judge answered others.
    """
    if there is None:
        part = plan.compute(chunk, start)
    else:
        part = mended(there, chunk, partial(plan.compute, start=start))
    why = attempt.why_unfinished()
    return part if there is not None and not there.unfinished else replace(part, unfinished=why)


def _progress(plan: Plan, items: int, done: int = 0, *, shown: bool) -> Progress:
    """Told live where a judge is asked, which takes long; else chunk by chunk."""
    account = current_session().account if judged_components(plan.pipeline) else None
    return Progress(items, done, shown=shown, account=account)


def _not_done_by_others(directory: RunDirectory, left: Sequence[int]) -> Iterator[int]:
    """The chunks that are left, one by one; those that others are at come last, what they commit not at all.

    Nobody waits for another process, which may hang: at the end a chunk may be computed by both.
    """
    stamps = {number: directory.stamp(number) for number in left}
    put_off = []
    for number in left:
        if directory.stamp(number) == stamps[number]:
            if directory.is_taken(number):
                put_off.append(number)
            else:
                yield number
    for number in put_off:
        if directory.stamp(number) == stamps[number]:
            yield number


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


def _pipeline(given: Pipeline | str | Sequence[Any] | Mapping[str, Any]) -> Pipeline:
    if isinstance(given, Pipeline):
        return given
    if isinstance(given, str):
        return named_pipeline(given)
    if isinstance(given, Sequence | Mapping):
        return build(given)
    raise InputError(
        f"{type(given).__name__} is no pipeline: give a Haystack pipeline, a recipe's name, or metrics"
    )
