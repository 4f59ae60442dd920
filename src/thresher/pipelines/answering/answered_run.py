"""A run whose answers a query pipeline gives: asked, stored, scored, and continued."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from haystack import Pipeline

from thresher.counted import counted
from thresher.datasets import Dataset
from thresher.datasets.texts import check_texts
from thresher.files.stores import FolderStore, Location, open_store
from thresher.judges.engine.account import Account
from thresher.pipelines.answering.query_pipeline import QueryPipeline
from thresher.pipelines.answering.question_data import (
    NOT_ASKED,
    QUESTIONS,
    answer_columns,
    answered,
    problems,
    repeat_numbers,
    repeated,
    sockets_of,
)
from thresher.pipelines.answering.questions import answer_questions
from thresher.pipelines.answering.reply_cache import ReplyCache
from thresher.pipelines.answering.store import BLOCK, AnswerStore, answers_identity
from thresher.pipelines.attempt import Attempt
from thresher.pipelines.claims import claimable
from thresher.pipelines.failed_items import recompute_failed
from thresher.pipelines.judged import judged_components
from thresher.pipelines.manifest import MANIFEST, read_manifest
from thresher.pipelines.parts import ChunkPart
from thresher.pipelines.plan import Plan
from thresher.pipelines.provenance import provenance, usage_since
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_folder import ANSWERS
from thresher.pipelines.scoring import score_items
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.completeness import warn_of_shortfall
from thresher.results.redaction import redacted

LOCAL_CACHE = Path("runs", ".cache")
"""Folder of the caches of runs in object stores, which cannot hold a database."""
REPLIES = "replies.sqlite"
"""Name of the cache of replies in the folder of the answers."""
CHUNK_SIZE = 10_000
"""Items that are scored and committed together, as by `evaluate`."""


class AnsweredRun:
    """A run directory with the answers of one configuration of a query pipeline in its folder `answers`.

    ```python
    run = AnsweredRun("runs/top_k=3", QueryPipeline(pipeline), build(["token_f1"]), question_data("q.jsonl"))
    with ReplyCache("runs/replies.sqlite") as cache:
        run.answer(blocks=[0], cache=cache)  # as often, and in any order
    results = run.score()
    ```

    Args:
        out: the folder; an interrupted run of the same pipeline, questions and metrics is continued.
        query: the query pipeline.
        evaluation: the metrics, as `build` makes them.
        questions: the questions, as `question_data` reads them.
        name: name of the run; default: the data set's name.
        settings: what distinguishes this configuration from others: path -> value, in plain data. They are
            stored with the run, and in the provenance of its results.
        repeats: how often each question is asked.
        block: questions per block of answers; a continued run retains its own.
        primary: names of the measures that comparisons test.
        priced: whether tokens have prices, so that the run has a column of costs.
        facts: further entries of the manifest.
        chunk_size: items that are scored and committed together.

    Raises:
        InputError: if a metric needs a column that neither questions nor pipeline have, or a pipeline cannot
            be serialised. Nothing is asked before.
        RunDirectoryError: if the folder holds another run, or cannot be written.
    """

    def __init__(
        self,
        out: Location,
        query: QueryPipeline,
        evaluation: Pipeline,
        questions: Dataset,
        *,
        name: str = "",
        settings: Mapping[str, Any] | None = None,
        repeats: int = 1,
        block: int = BLOCK,
        primary: Sequence[str] | None = None,
        priced: bool = False,
        facts: Mapping[str, Any] | None = None,
        chunk_size: int = CHUNK_SIZE,
    ) -> None:
        self.query = query
        self.data = repeated(questions, repeats)
        self._repeats = repeat_numbers(len(self.data), repeats)
        check_texts(self.data)
        self._columns = _known_columns(out) or answer_columns(
            query, self.data, sockets_of(evaluation), priced=priced
        )
        self.plan = answer_plan(evaluation, self.data, self._columns, primary)
        known = {"settings": dict(settings)} if settings is not None else {}
        self._identity = answers_identity(pipeline=query.fingerprint(), repeats=repeats, **known)
        manifest = {
            **self._manifest(settings, facts or {}),
            "name": name or questions.name,
            "ids_given": questions.ids_given,
            "block": block,
            "repeats": repeats,
            "chunk_size": chunk_size,
        }
        self.directory = RunDirectory.start(out, manifest, named=bool(name))
        answers = self.directory.store.child(ANSWERS)
        self.store = AnswerStore(
            answers, self._identity, self.data.ids, block=self.directory.manifest.get("block", block)
        )
        self._usage: dict[str, Any] = {}

    def _manifest(self, settings: Mapping[str, Any] | None, facts: Mapping[str, Any]) -> dict[str, Any]:
        shown = {path: redacted(value, path.rpartition(".")[2]) for path, value in (settings or {}).items()}
        return {
            "provenance": provenance(),
            **facts,
            **({} if settings is None else {"settings": shown}),
            "items": len(self.data),
            "data": self.data.fingerprint(),
            "answers": self._identity,
            "answer_columns": self._columns,
            **self.plan.manifest_entries(self.plan.dry_run(stored=True)),
        }

    @property
    def replies(self) -> Path:
        """The file in which the replies of generators are cached unless another one is chosen.

        It is in the folder of the answers; for a run in an object store, in `runs/.cache`, which is created.
        """
        store = self.directory.store
        if isinstance(store, FolderStore):
            return store.path / ANSWERS / REPLIES
        LOCAL_CACHE.mkdir(parents=True, exist_ok=True)
        return LOCAL_CACHE / REPLIES

    def answer(
        self,
        blocks: Iterable[int] | None = None,
        *,
        workers: int = 8,
        cache: ReplyCache | None = None,
        account: Account | None = None,
        done: Callable[[], None] = lambda: None,
    ) -> bool:
        """Ask the unanswered questions as `answer_questions` does; return whether all blocks were asked."""
        account = account or Account()
        before = account.to_dict()
        try:
            return answer_questions(
                self.query,
                self.data.column(QUESTIONS),
                self.store,
                blocks=blocks,
                workers=workers,
                repeats=self._repeats,
                cache=cache,
                account=account,
                done=done,
            )
        finally:
            usage = usage_since(before, account.to_dict())
            self._usage = _sum(self._usage, usage or {})

    def score(self, chunks: int | None = None) -> EvaluationResults:
        """Score the answers and commit the scores; existing scores are not computed again.

        Args:
            chunks: score only the first chunks, to look at a part of the run; default: all.

        Items whose question failed have the status `failed` with the cause in every metric. If questions were
        not asked, or a judge stopped answering, the run is incomplete, and the next call continues it.

        Raises:
            ThresherError: if a metric cannot be used at all, e.g. because its judge has no key.
            RunDirectoryError: if the folder cannot be written.

        Warns:
            IncompleteWarning: if the run is incomplete.
        """
        responses = self.store.responses()
        items = answered(self.data, self._columns, responses)
        failed = {items.ids[item]: reason for item, reason in problems(responses).items()}
        directory, size = self.directory, self.directory.manifest["chunk_size"]
        done, attempt = set(directory.committed(failed=False)), Attempt()
        computed = False
        wanted = range(directory.chunks if chunks is None else chunks)
        for number in claimable(directory, [n for n in wanted if n not in done]):
            if attempt.ended and (computed or done):  # without a chunk there would be no results to show
                break
            chunk = items.slice(number * size, (number + 1) * size)
            previous = directory.part(number)
            directory.commit(number, lambda: self._score(chunk, failed, previous, attempt))  # noqa: B023
            computed = True
        directory.close(self._session(attempt) if computed or self._usage else {})
        results = directory.results()
        directory.record_summary(results)
        if not results.complete and chunks is None:
            warn_of_shortfall(results)
        return results

    def _score(
        self, chunk: Dataset, failed: Mapping[str, str], previous: ChunkPart | None, attempt: Attempt
    ) -> ChunkPart:
        def compute(items: Dataset) -> ChunkPart:
            reasons = {place: failed[key] for place, key in enumerate(items.ids) if key in failed}
            results = score_items(self.plan, items, reasons)
            return ChunkPart(items.ids, self.plan.inputs_of(items, results), results)

        part = compute(chunk) if previous is None else recompute_failed(previous, chunk, compute)
        not_asked = sum(failed.get(key) == NOT_ASKED for key in chunk.ids)
        asked = f"{not_asked} of {counted(len(chunk), 'question')} were not asked" if not_asked else ""
        lost = attempt.why_unfinished() if judged_components(self.plan.pipeline) else ""
        if previous is not None and not previous.unfinished:
            lost = ""  # the scores that are missing failed for their own reasons before
        return replace(part, unfinished=" and ".join(filter(None, [asked, lost])))

    def _session(self, attempt: Attempt) -> dict[str, Any]:
        usage, self._usage = self._usage, {}
        return {**attempt.to_dict(), "answering": [usage] if usage else []}


def answer_plan(
    evaluation: Pipeline, data: Dataset, columns: Sequence[str], primary: Sequence[str] | None = None
) -> Plan:
    """Plan the scores of answers with these columns, before there are any.

    Raises:
        InputError: if a metric needs another column, or the evaluation pipeline cannot be serialised.
    """
    plan = Plan.of(evaluation, answered(data, columns, [None] * len(data)), primary)
    plan.text.check()
    return plan


def _known_columns(out: Location) -> list[str]:
    """Columns of the answers of an existing run, which its committed chunks contain."""
    store = open_store(out)
    if store.stat(MANIFEST) is None:
        return []
    columns: list[str] = read_manifest(store).get("answer_columns", [])
    return columns


def _sum(first: Mapping[str, Any], second: Mapping[str, Any]) -> dict[str, Any]:
    """The sum of two usages: numbers and counts are added, notes joined."""
    total = dict(first)
    for name, value in second.items():
        known = total.get(name)
        if known is None or value is None:
            total[name] = value if known is None else known
        elif isinstance(value, Mapping):
            total[name] = _sum(known, value)
        else:
            total[name] = known + value
    return total
