"""`evaluate`: run an evaluation pipeline over a data set, chunk by chunk."""

import shutil
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.datasets import Dataset
from thresher.datasets.samples import shuffled
from thresher.datasets.sources import Source, StagedSource
from thresher.datasets.sources.unused_indices import indices_of_other_data
from thresher.datasets.texts import check_texts
from thresher.errors import InputError
from thresher.files.stores import FolderStore, Store, open_store
from thresher.judges.session import current_session, sharded
from thresher.pipelines.attempt import Attempt, completeness
from thresher.pipelines.builder import build
from thresher.pipelines.driver import Driver, progress_of
from thresher.pipelines.executors.choice import executor_for
from thresher.pipelines.executors.executor import Executor, InProcess
from thresher.pipelines.judge_cards import checked_cards
from thresher.pipelines.labelled import data_for
from thresher.pipelines.library import named_pipeline
from thresher.pipelines.loading import load_pipeline
from thresher.pipelines.looks import Looks, part_size
from thresher.pipelines.plan import Plan
from thresher.pipelines.provenance import arguments, now, provenance
from thresher.pipelines.replaced_run import delete_replaced, make_room
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_folder import INDEX
from thresher.pipelines.shards import SHARDS
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.card_texts import JUDGE_CARDS
from thresher.reports.runs.completeness import warn_of_shortfall
from thresher.reports.runs.looks import STOPPED
from thresher.surface import given

CHUNK_SIZE = 10_000
"""Items per part. A chunk costs 2 to 4 ms to run and commit, and 1.4 ms to open, whatever its size (measured
with chunks of one item): nothing for thousands of items. A kill loses at most one chunk; its answers are in
the cache."""
_CHUNKS_PER_WORKER = 4
_SMALLEST_SHARE = 100
"""Items of the smallest default chunk: below, committing costs more than computing."""


def evaluate(
    pipeline: Pipeline | str | Path | Sequence[Any] | Mapping[str, Any],
    dataset: Any,
    *,
    name: str = "",
    out: str | Path | None = None,
    chunk_size: int | None = None,
    progress: bool = False,
    retry_failed: bool = False,
    shard: tuple[int, int] | None = None,
    primary: Sequence[str] | None = None,
    overwrite: bool = False,
    workers: int | None = None,
    engine: str | None = None,
    address: str | None = None,
    judge_cards: Sequence[EvaluationResults | str | Path] = (),
    looks: Looks | None = None,
) -> EvaluationResults:
    """Run an evaluation pipeline over a data set.

    Args:
        pipeline: a Haystack pipeline, the path of its YAML file (as `load_pipeline`), the name of a recipe,
            names of metrics separated by commas, or metrics for `build`.
        dataset: the items: a `Dataset`, or anything that `read_dataset` reads, e.g. a dict of lists.
        name: name of the run; default: the data set's name.
        out: folder of the run, or its URL in an object store, such as `s3://bucket/run` (extra `cloud`);
            default: nothing is written. An interrupted run is continued: committed
            chunks are not computed again.
        chunk_size: items computed and committed together; a continued run retains its own. Default: 10,000,
            or fewer so that all workers have chunks.
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
        workers: number of chunks that are computed at the same time, for a run that has a folder. More than
            one are computed by worker processes, to which the pipeline is sent as YAML, without the values of
            its credentials.
        engine: who computes the chunks: `processes` of this machine, `ray`, or the name of an executor that
            another package installs; default: this process, or `processes` if there are several workers.
        address: address of a cluster of the engine, e.g. `auto`; default: the engine runs on this machine.
        judge_cards: cards of the pipeline's judges (`thresher probe --out`), or their files, which the
            provenance of a new run and its reports show.
        looks: a plan to compare the run with another one after each of several parts of the items, drawn at
            random, and to end it when the comparison is decided.

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
    executor = executor_for(engine, workers, address)
    alone = isinstance(executor, InProcess) and shard is None and chunk_size is None
    if looks is not None and (out is None or not alone):
        raise InputError(
            "looks at a run need its folder, and its parts one after another: give out, and remove chunk_size, shard, "
            "workers and engine"
        )
    if current_session().rounds is not None and (shard is not None or not isinstance(executor, InProcess)):
        raise InputError(
            "one process submits the batches of a run: remove workers, engine and shard, or batches"
        )
    if out is None and not isinstance(executor, InProcess):
        raise InputError("workers commit what they compute to a folder: give out=..., or no workers")
    if overwrite and out is None:
        raise InputError("overwrite=True replaces a run in a folder: give out=..., or remove it")
    built = evaluation_pipeline(pipeline)
    kept = None if out is None or overwrite else open_store(out).child(INDEX)
    data = data_for(built, dataset, by_chunk=out is not None, index=kept)
    if looks is not None:
        data = shuffled(data)
        chunk_size = part_size(looks.number, len(data))
    plan = Plan.of(built, data, primary)
    plan.warn_of_absent(stacklevel=3)
    given: dict[str, Any] = {"name": name, "out": out, "chunk_size": chunk_size, "progress": progress}
    given |= {"retry_failed": retry_failed, "shard": shard, "primary": primary}
    given |= {"overwrite": overwrite, "workers": workers, "engine": engine, "address": address}
    cards = checked_cards(judge_cards, plan.pipeline)
    given |= {"judge_cards": tuple(card["name"] for card in cards), "looks": looks}
    facts: dict[str, Any] = {
        "name": name or data.name,
        "items": len(data),
        "ids_given": data.ids_given,
        **_reading(data),
        **_sampled(data),
        **({} if shard is None else {SHARDS: shard[1]}),
        **({JUDGE_CARDS: cards} if cards else {}),
        **({} if looks is None else looks.entry(len(data))),
        "provenance": provenance() | {"arguments": arguments(evaluate, given, plan.pipeline)},
    }
    with sharded(shard), current_session().breakers.attempt():
        if out is None:
            return _evaluate_in_memory(plan, data.slice(0, len(data)), facts, progress=progress)
        return _evaluate_in_directory(plan, data, facts, given, executor, looks=looks)


def _reading(dataset: Source) -> dict[str, Any]:
    """Manifest entry on reading: the columns' names in the source, guesses, and layouts of conversations."""
    layouts = {name: dict(sorted(counts.items())) for name, counts in dataset.layouts.items()}
    reading = {"columns": dict(dataset.origin), "notes": list(dataset.notes)}
    reading |= {"layouts": layouts} if layouts else {}
    return {"reading": reading} if any(reading.values()) else {}


def _sampled(items: object) -> dict[str, int]:
    """Manifest entry of a sample, which only a `Dataset` can be: the number of items it was drawn from."""
    size: int | None = getattr(items, "sampled_from", None)
    return {} if size is None else {"sampled_from": size}


def _evaluate_in_memory(
    plan: Plan, dataset: Dataset, facts: Mapping[str, Any], *, progress: bool
) -> EvaluationResults:
    """Compute all items at once; write nothing."""
    attempt = Attempt()
    started = now()
    plan.dry_run()  # to raise for a clash of names before anything is computed
    if plan.text.problem and not plan.text.secret:
        warnings.warn(f"{plan.text.problem}; the run's provenance lacks the pipeline", stacklevel=3)
    with progress_of(plan, len(dataset), shown=progress) as reporter, reporter.chunk(len(dataset)):
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
    plan: Plan,
    dataset: Source,
    facts: Mapping[str, Any],
    options: Mapping[str, Any],
    executor: Executor,
    *,
    looks: Looks | None,
) -> EvaluationResults:
    """Compute and commit the chunks that the folder lacks.

    Args:
        plan: what to compute.
        dataset: all items.
        facts: the manifest's entries on the run.
        options: keywords of `evaluate`.
        executor: computes the chunks.
        looks: when to end.
    """
    if isinstance(dataset, Dataset):  # the index of files is made of texts that can be written
        check_texts(dataset)
    plan.text.check()
    empty = plan.dry_run(stored=True)
    if looks is not None and isinstance(dataset, Dataset):
        looks.check(dataset, [measure for result in empty for measure in result.measures])
    size = {"chunk_size": options["chunk_size"] or default_chunk_size(len(dataset), executor.workers)}
    data = dataset.fingerprint()
    manifest = {**facts, **size, "data": data, **plan.manifest_entries(empty)}
    if options["overwrite"]:
        make_room(options["out"], manifest, named=bool(options["name"]))
    directory = RunDirectory.start(options["out"], manifest, named=bool(options["name"]))
    failed = directory.manifest["complete"] and not options["retry_failed"]
    done, (first, step) = set(directory.committed(failed=failed)), options["shard"] or (1, 1)
    remaining = [number for number in range(first - 1, directory.chunks, step) if number not in done]
    stages = open_store(directory.absolute_location).child(INDEX)
    dataset = _stored(dataset, stages, data, rows=bool(remaining))
    shards = options["shard"] and options["shard"][1]
    ends = None if looks is None or STOPPED in directory.manifest else looks.end
    driver = Driver(directory, plan, dataset, executor, shown=options["progress"], shards=shards, ends=ends)
    driver.compute(remaining)
    if directory.manifest["complete"]:
        delete_replaced(directory.location)
        _delete_rows(dataset)
    if options["shard"] and not directory.committed():  # more shards than chunks; the others are not done
        no_rows = dataset.slice(0, 0)
        return EvaluationResults(no_rows.columns, empty, name=facts["name"], ids=no_rows.ids)
    results = directory.results()
    directory.record_summary(results)
    if driver.unfinished:
        warn_of_shortfall(results)
    return results


def _stored(dataset: Source, stages: Store, fingerprint: str, *, rows: bool) -> Source:
    """The data with their stage, if they have one, in the store of the run, which all workers can read."""
    if not isinstance(dataset, StagedSource):
        return dataset
    if isinstance(stages, FolderStore):
        for unused in indices_of_other_data(stages, fingerprint):
            shutil.rmtree(unused, ignore_errors=True)  # of a run that this one replaced
    return dataset.stored_in(stages, rows=rows)


def _delete_rows(dataset: Source) -> None:
    if isinstance(dataset, StagedSource):
        dataset.delete_rows()


def default_chunk_size(items: int, workers: int) -> int:
    """Return the default size of chunks: several per worker, which then end at about the same time."""
    if workers == 1:
        return CHUNK_SIZE
    return min(CHUNK_SIZE, max(_SMALLEST_SHARE, -(-items // (_CHUNKS_PER_WORKER * workers))))


def _check_options(name: object, out: object, chunk_size: object, shard: object) -> None:
    if chunk_size is not None and (type(chunk_size) is not int or chunk_size < 1):
        raise InputError(f"{given('chunk_size', chunk_size)} must be a whole number of at least 1")
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


def evaluation_pipeline(given: Pipeline | str | Path | Sequence[Any] | Mapping[str, Any]) -> Pipeline:
    """Return the pipeline of a file, a recipe, metric names or metrics; a pipeline is returned unchanged.

    Raises:
        InputError: for an unknown name, or an object of another type.
    """
    if isinstance(given, Pipeline):
        return given
    if isinstance(given, Path) or (isinstance(given, str) and given.endswith((".yaml", ".yml"))):
        return load_pipeline(given)
    if isinstance(given, str):
        return named_pipeline(given)
    if isinstance(given, Sequence | Mapping):
        return build(given)
    expected = "a Haystack pipeline or its YAML file, a recipe's name, or metrics"
    raise InputError(f"{type(given).__name__} is not a pipeline: give {expected}")
