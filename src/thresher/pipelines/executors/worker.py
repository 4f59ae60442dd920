"""One run in a worker: its directory, pipeline and session stay open from one task to the next."""

import atexit
from contextlib import ExitStack
from contextvars import Context
from dataclasses import replace
from socket import gethostname

from thresher.datasets import Dataset
from thresher.errors import InputError
from thresher.files.limits import read_limits
from thresher.judges.session import asking, current_session
from thresher.pipelines.attempt import Attempt
from thresher.pipelines.executors.chunk import compute_chunk
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.executors.setup import Setup
from thresher.pipelines.provenance import all_usage_since
from thresher.pipelines.run_directory import RunDirectory
from thresher.pipelines.stored_parts import Stamp


class Worker:
    """A run that is open in a worker.

    Args:
        setup: what the tasks of the run share.

    Raises:
        ThresherError: if the run, the pipeline or the session cannot be opened here.
    """

    def __init__(self, setup: Setup) -> None:
        self.token = setup.token
        self._source = setup.source
        self._directory = RunDirectory.open(setup.run)
        self._plan = setup.opened_plan()
        session = setup.session
        with asking(prompt_order=session.prompt_order, image_detail=session.image_detail):  # both are signed
            self._check_signatures()
        self._blocks, self._context = ExitStack(), Context()
        self._context.run(self._enter, setup)

    def compute(self, number: int, stamp: Stamp | None, chunk: Dataset | None) -> ChunkOutcome:
        """Compute and commit a chunk unless it was committed since `stamp` was taken.

        Args:
            number: number of the chunk.
            stamp: stamp of its part when the task was made.
            chunk: its items; None to read them from the source.
        """
        return self._context.run(self._compute, number, stamp, chunk)

    def close(self) -> None:
        """End the session."""
        self._context.run(self._blocks.close)

    def _enter(self, setup: Setup) -> None:
        self._blocks.enter_context(read_limits(**vars(setup.reading)))
        self._blocks.enter_context(setup.session.opened())
        self._blocks.enter_context(current_session().breakers.attempt())

    def _compute(self, number: int, stamp: Stamp | None, chunk: Dataset | None) -> ChunkOutcome:
        account = current_session().account
        before = account.to_dict()
        if Attempt().ended:  # tasks that were sent before the driver learned of it
            return ChunkOutcome(number, ended=True, spent=account.spent)
        if self._directory.stamp(number) != stamp:  # a task that is computed again after its worker died
            return ChunkOutcome(number, self._items(number))
        outcome = compute_chunk(self._directory, self._plan, self._chunk(number, chunk), number)
        return replace(outcome, usage=all_usage_since(before, account.to_dict()), spent=account.spent)

    def _chunk(self, number: int, chunk: Dataset | None) -> Dataset:
        if chunk is not None:
            return chunk
        start = number * self._directory.manifest["chunk_size"]
        items: Dataset = self._source.slice(start, start + self._items(number))
        return items

    def _items(self, number: int) -> int:
        size, items = self._directory.manifest["chunk_size"], self._directory.manifest["items"]
        return int(min(size, items - number * size))

    def _check_signatures(self) -> None:
        """Raise unless the metrics have the signatures of the run: packages of a cluster's nodes may differ.

        Raises:
            InputError: naming a measure that differs.
        """
        results = self._plan.dry_run()
        here = {measure.name: str(measure.signature) for result in results for measure in result.measures}
        there = self._directory.manifest["signatures"]
        for name in there:
            if here.get(name) != there[name]:
                raise InputError(
                    f"a worker on {gethostname()} computes {name!r} differently: its packages are of other "
                    "versions than those of the driver; install the same versions"
                )


_open: list[Worker] = []


def worker_for(setup: Setup) -> Worker:
    """The open run of a setup; a run that was open before is closed.

    Raises:
        ThresherError: as `Worker`.
    """
    if not _open or _open[0].token != setup.token:
        close_worker()
        _open.append(Worker(setup))
    return _open[0]


@atexit.register
def close_worker() -> None:
    """Close the run that is open in this process, if any."""
    while _open:
        _open.pop().close()
