"""Worker processes on this machine, from the standard library's pool."""

import os
import signal
import warnings
from collections.abc import Generator, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from itertools import chain, islice
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING

from thresher.errors import ComponentError
from thresher.pipelines.executors.fork_server import safe_path, set_environment, worker_context
from thresher.pipelines.executors.gate_host import hosted_gate
from thresher.pipelines.executors.job import Job
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.executors.parent_watch import end_with
from thresher.pipelines.executors.task import Task

if TYPE_CHECKING:
    from multiprocessing.queues import SimpleQueue

ATTEMPTS = 3
"""Workers that may die of one chunk before it is given up."""
_DIED = (
    "a worker process was killed or crashed; unfinished chunks are computed again "
    "(if memory ran out: fewer --workers, or a smaller --chunk-size)"
)
_READY = -1
_AHEAD = 2
"""Tasks per worker that are sent in advance, so that none waits for the driver."""


class Processes:
    """Computes chunks in processes of this machine.

    Processes are not forked from this one: a fork would copy the locks of the threads that ask judges. If one
    dies, the pool ends and a new one takes over; each chunk that was being computed then is computed again in
    a process of its own, so that a chunk that kills its processes is distinguished from those next to it.

    Args:
        workers: number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers = workers

    def execute(self, job: Job, numbers: Iterator[int]) -> Generator[ChunkOutcome, None, None]:
        """Compute the chunks.

        Raises:
            ComponentError: if the processes die before they compute anything.
        """
        with hosted_gate(job):
            yield from self._execute(job, numbers)

    def _execute(self, job: Job, numbers: Iterator[int]) -> Generator[ChunkOutcome, None, None]:
        while True:
            pool = _Pool(self.workers)
            yield from pool.run(job, numbers)
            if not pool.unfinished:
                return
            # A session that is merely slow must not hide that the system kills its workers.
            warnings.warn(_DIED, RuntimeWarning, stacklevel=2)
            numbers = chain([number for number in pool.unfinished if number not in pool.suspects], numbers)
            for number in pool.suspects:
                yield from _alone(job, number)


def _alone(job: Job, number: int) -> Iterator[ChunkOutcome]:
    """Compute a chunk in a process of its own; one process has died with it before."""
    for _ in range(ATTEMPTS - 1):
        pool = _Pool(1)
        yield from pool.run(job, iter([number]))
        if not pool.unfinished:
            return
    yield ChunkOutcome(number, given_up=f"its process died {ATTEMPTS} times")


class _Pool:
    """One pool of processes, until the work or one of the processes ends.

    Attributes:
        unfinished: after a process has died, the chunks that have no outcome yet.
        suspects: those of them that a process was computing.
    """

    def __init__(self, workers: int) -> None:
        self.unfinished: list[int] = []
        self.suspects: list[int] = []
        self._workers = workers
        context = worker_context()
        with safe_path():  # starts a process that keeps the list of semaphores
            self._begun: SimpleQueue[int] = context.SimpleQueue()
        ends, self._alive = context.Pipe(duplex=False)
        self._pool = ProcessPoolExecutor(
            workers, mp_context=context, initializer=_start, initargs=(ends, self._begun, dict(os.environ))
        )
        self._ends = ends
        self._has_begun = False
        self._computing: set[int] = set()

    def run(self, job: Job, numbers: Iterator[int]) -> Iterator[ChunkOutcome]:
        """Yield the outcomes of the chunks; end early if a process dies.

        Raises:
            ComponentError: if the processes die before they compute anything.
        """
        ahead: dict[Future[ChunkOutcome], int] = {}
        try:
            yield from self._outcomes(job, numbers, ahead)
            self._pool.shutdown()
        except BrokenProcessPool:
            yield from self._after_death(ahead)
        finally:
            self._alive.close()  # ends the processes that still run
            self._pool.shutdown(cancel_futures=True)
            self._ends.close()

    def _outcomes(
        self, job: Job, numbers: Iterator[int], ahead: dict[Future[ChunkOutcome], int]
    ) -> Iterator[ChunkOutcome]:
        """Send tasks as processes become free, and yield the outcomes."""
        while True:
            for number in islice(numbers, _AHEAD * self._workers - len(ahead)):
                ahead[self._submitted(job, number)] = number
            if not ahead:
                return
            for future in wait(ahead, return_when=FIRST_COMPLETED).done:
                outcome = future.result()
                del ahead[future]
                yield outcome
            self._read_begun()

    def _submitted(self, job: Job, number: int) -> Future[ChunkOutcome]:
        task = job.task(number)
        try:
            with safe_path():  # starts a worker if none is idle
                return self._pool.submit(_compute, task)
        except BrokenProcessPool:  # a process has died since the last outcome
            self.unfinished.append(number)
            raise

    def _after_death(self, ahead: Mapping[Future[ChunkOutcome], int]) -> Iterator[ChunkOutcome]:
        """Yield the outcomes that arrived before the death, and note the chunks without one."""
        for future, number in ahead.items():
            if future.done() and future.exception() is None:
                yield future.result()
            else:
                self.unfinished.append(number)
        self._read_begun()
        if not self._has_begun:
            raise ComponentError(
                "worker processes end before they compute anything; what they printed says why; "
                "compute without workers"
            )
        self.suspects = [number for number in self.unfinished if number in self._computing]

    def _read_begun(self) -> None:
        while not self._begun.empty():
            number = self._begun.get()
            self._has_begun = True
            self._computing.add(number)


_announce: list["SimpleQueue[int]"] = []


def _start(driver: Connection, begun: "SimpleQueue[int]", environment: Mapping[str, str]) -> None:
    """Prepare a worker: the driver handles interrupts, and the worker ends with the driver."""
    set_environment(environment)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(driver.recv_bytes)
    _announce.append(begun)
    begun.put(_READY)


def _compute(task: Task) -> ChunkOutcome:
    _announce[0].put(task.number)
    return task()
