"""The driver of a run: gives chunks to an executor, and records what becomes of them."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from typing import Any

from thresher.errors import ComponentError
from thresher.judges.session import current_session
from thresher.pipelines.attempt import Attempt
from thresher.pipelines.claims import claimable
from thresher.pipelines.executors.executor import Executor
from thresher.pipelines.executors.job import Job
from thresher.pipelines.executors.messages import WorkerMessage
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.judged import judged_components
from thresher.pipelines.plan import Plan
from thresher.pipelines.progress import Progress
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.run_end import GIVEN_UP
from thresher.pipelines.shards import SHARDS

_NAMED = 3
"""Chunks that were given up, named in a sentence."""


class Driver:
    """Has the remaining chunks of a run computed. Its memory does not grow with what they contain.

    Args:
        directory: the run.
        plan: what to compute.
        source: all items.
        executor: computes the chunks.
        shown: whether to show progress on standard error.
        shards: number of shards that share the chunks of the run; None without shards.
        ends: whether the committed chunks decide what a plan of looks asks.

    Attributes:
        unfinished: whether a chunk lacks scores that another call may get, or was given up.
    """

    def __init__(
        self,
        directory: RunDirectory,
        plan: Plan,
        source: Any,
        executor: Executor,
        *,
        shown: bool,
        shards: int | None = None,
        ends: Callable[[RunDirectory], bool] | None = None,
    ) -> None:
        self._ends = ends
        self._directory, self._plan = directory, plan
        self._executor, self._items, self._shown, self._shards = executor, len(source), shown, shards
        self._job = Job(directory, plan, source, executor.workers)
        self._attempt = Attempt()
        self._ended = False
        self._computed = 0
        self._given_up: list[ChunkOutcome] = []
        self._repeated: set[WorkerMessage] = set()
        self.unfinished = False

    def compute(self, remaining: Sequence[int]) -> None:
        """Compute and commit chunks, and record whether the run is complete.

        Stops if a budget is used up or a judge stops answering; the run stays unfinished and can be
        continued.

        Raises:
            ThresherError: if a chunk cannot be computed for a reason that others would share.
        """
        try:
            self._compute(remaining)
        finally:
            self._directory.sweep()
        self._close()

    def _compute(self, remaining: Sequence[int]) -> None:
        self._attempt = Attempt()
        before = self._items - sum(map(self._job.items, remaining))
        with (
            progress_of(self._plan, self._items, before, shown=self._shown) as reporter,
            closing(self._executor.execute(self._job, self._numbers(remaining, reporter))) as outcomes,
        ):
            for outcome in outcomes:
                self._take(outcome)
                reporter.advance(outcome.items)

    def _numbers(self, remaining: Sequence[int], reporter: Progress) -> Iterator[int]:
        for number in claimable(self._directory, remaining):
            if self._ended or self._attempt.ended or (self._ends is not None and self._ends(self._directory)):
                return
            reporter.begin(self._job.items(number))
            yield number

    def _take(self, outcome: ChunkOutcome) -> None:
        """Add the facts of a chunk to those of the run.

        Raises:
            ThresherError: the error that ended the chunk.
        """
        for message in outcome.messages:
            if message not in self._repeated:
                self._repeated.add(message)
                message.repeat()
        current_session().account.add(outcome.usage or {}, spent=outcome.spent)
        if outcome.problem is not None:
            raise outcome.problem.error()
        if outcome.given_up:
            self._given_up.append(outcome)
        self._computed += bool(outcome.items)
        if outcome.items and self._executor.workers > 1:
            self._directory.check(outcome.number)  # while workers compute the others
        self._ended |= outcome.ended
        self.unfinished |= bool(outcome.unfinished or outcome.given_up)

    def _close(self) -> None:
        """Record the use of judges and what is missing.

        Raises:
            ComponentError: if no chunk is committed, and one was given up.
        """
        why = self._why_given_up()
        session = self._attempt.to_dict() if self._computed or why else {}
        if why:
            session |= {"unfinished": why, GIVEN_UP: [outcome.number for outcome in self._given_up]}
        if session and self._shards:
            session[SHARDS] = self._shards
        self._directory.close(session)
        if why and not self._directory.committed():
            raise ComponentError(why)

    def _why_given_up(self) -> str:
        if not self._given_up:
            return ""
        size = self._directory.manifest["chunk_size"]
        named = [
            f"chunk {outcome.number} (items {outcome.number * size + 1} to "
            f"{outcome.number * size + self._job.items(outcome.number)}) was given up: {outcome.given_up}"
            for outcome in self._given_up[:_NAMED]
        ]
        more = len(self._given_up) - _NAMED
        return "; ".join(named) + (f"; and {more} more" if more > 0 else "")


def progress_of(plan: Plan, items: int, done: int = 0, *, shown: bool) -> Progress:
    """Progress that is updated within chunks if there is a judge, which takes long."""
    account = current_session().account if judged_components(plan.pipeline) else None
    return Progress(items, done, shown=shown, account=account)
