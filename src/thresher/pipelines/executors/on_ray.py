"""Ray: one task per chunk, on this machine or on a cluster."""

import os
import pickle
import sys
import tempfile
import uuid
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from dataclasses import dataclass
from itertools import islice
from typing import Any

from thresher.errors import ComponentError, InputError, MissingDependencyError
from thresher.judges.engine.gate import Gate, GateCalls, Lease, LeaseRequest
from thresher.pipelines.executors.gate_host import gate_limits, hosted_gate
from thresher.pipelines.executors.job import Job
from thresher.pipelines.executors.outcome import ChunkOutcome
from thresher.pipelines.executors.parent_watch import Address, followed
from thresher.pipelines.executors.processes import ATTEMPTS
from thresher.plugins import described_error
from thresher.results.redaction import redacted_message
from thresher.version import __version__

_AHEAD = 2
"""Tasks per worker that are submitted in advance. Ray would accept all of them, and hold their items."""
_WAITING = 16
"""Tasks that a cluster gets at least, for which it can add nodes."""
_PROCESSORS_OF_JUDGED = 0.1
"""Processors that a judged chunk reserves: it waits for replies."""
_PATIENCE = 30.0
"""Seconds to wait for a gate that Ray restarts, in a new process that imports Thresher. Nothing is sent
meanwhile, and a worker whose driver has ended does not wait: it ends with it."""
_ON_LOOPBACK = "127.0.0.1"
_NO_CLUSTER = "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER"
"""Variable of Ray. 0 is the default on macOS and Windows; only then does Ray 2.60 listen on the loopback
address alone. Otherwise its ports, which run any code that they are sent, are open to the network."""
_LONGEST_FOLDER = 30
"""Characters of a folder of temporary files. Ray adds up to 70, and names of sockets may have 107."""


class OnRay:
    """Computes each chunk in a task of Ray Core, which repeats it if its process or its node dies.

    Nothing but small outcomes returns; tasks commit their parts to the run directory, which every node must
    be able to access. If Ray is not running in this process, it is started, on this machine and reachable
    from this machine only, or connected to `address`, and stopped at the end; a running one is used as it is.

    Args:
        workers: number of chunks that are computed at the same time; None for one per processor that there is,
            also on nodes that join later.
        address: address of a cluster; None for this machine.

    Raises:
        InputError: if the address is of Ray's client, `ray://...`.
        MissingDependencyError: if Ray is not installed.
    """

    def __init__(self, workers: int | None, address: str | None) -> None:
        if address is not None and address.startswith("ray://"):
            raise InputError(
                f"address={address!r} leads through a proxy, with which workers would outlive the driver: run"
                " on a node of the cluster with address='auto', e.g. as a Ray job"
            )
        if address is None:  # these are read when Ray is imported
            os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
            os.environ.setdefault(_NO_CLUSTER, "0")
        try:
            import ray
        except ImportError as error:
            raise MissingDependencyError("ray", "ray") from error
        self._ray: Any = ray
        self._address = address
        self._requested = workers
        self._was_running = ray.is_initialized()
        self.workers = workers or os.cpu_count() or 1

    def execute(self, job: Job, numbers: Iterator[int]) -> Generator[ChunkOutcome, None, None]:
        """Compute the chunks.

        Raises:
            InputError: if no cluster answers at the address, or a node lacks Thresher or has another version.
            ComponentError: if Ray fails otherwise.
        """
        with (
            self._connected(),
            followed(self._ray.util.get_node_ip_address()) as driver,
            self._gate(job) if self._is_cluster else hosted_gate(job),
        ):
            submit = self._submitter(job, driver)
            ahead: dict[Any, int] = {}
            try:
                while True:
                    for number in islice(numbers, self._most_ahead() - len(ahead)):
                        ahead[submit(number)] = number
                    if not ahead:
                        return
                    for done in self._ray.wait(list(ahead), num_returns=1)[0]:
                        yield self._outcome(done, ahead.pop(done))
            finally:
                for task in ahead:
                    self._ray.cancel(task, force=True)

    def _most_ahead(self) -> int:
        """Number of chunks to have submitted, by the processors that the cluster has now.

        A cluster that scales itself adds nodes for tasks that wait: for twice its processors, it doubles; where its
        head has none, some must wait from the start.
        """
        if self._requested is not None:
            return _AHEAD * self._requested
        processors = int(self._ray.cluster_resources().get("CPU", 0))
        return max(_AHEAD * processors, _WAITING if self._is_cluster else _AHEAD)

    @property
    def _is_cluster(self) -> bool:
        """Whether workers may be on other machines, which cannot reach a socket of this one."""
        return self._address is not None or self._was_running

    @contextmanager
    def _gate(self, job: Job) -> Iterator[None]:
        """Apply limits and budget in an actor for the block; it ends with this process."""
        if not job.is_judged:
            yield
            return
        name = f"thresher-gate-{uuid.uuid4().hex}"
        actor = self._ray.remote(num_cpus=0, name=name, max_restarts=-1)(Gate)
        handle = actor.remote(gate_limits())
        try:
            self._ray.get(handle.__ray_ready__.remote())
            job.join(GateActor(name, self._ray.get_runtime_context().namespace))
            yield
        finally:
            self._ray.kill(handle)

    def _submitter(self, job: Job, driver: Address) -> Callable[[int], Any]:
        """Return the function that submits the task of a chunk."""
        processors = _PROCESSORS_OF_JUDGED if job.is_judged else 1
        remote = self._ray.remote(num_cpus=processors, max_retries=ATTEMPTS - 1)(_remote_function())
        return lambda number: remote.remote(pickle.dumps(job.task(number)), __version__, driver)

    def _outcome(self, done: Any, number: int) -> ChunkOutcome:
        errors = self._ray.exceptions
        try:
            outcome = self._ray.get(done)
        except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as error:
            return ChunkOutcome(number, given_up=f"its process died {ATTEMPTS} times ({_line(error)})")
        except errors.RayError as error:
            raise ComponentError(f"Ray cannot compute chunk {number}: {_line(error)}") from error
        if isinstance(outcome, str):
            raise InputError(outcome)
        known: ChunkOutcome = outcome
        return known

    @contextmanager
    def _connected(self) -> Iterator[None]:
        """Start or join Ray unless it runs in this process; undo only that."""
        if self._ray.is_initialized():
            yield
            return
        with ExitStack() as undo:
            options = {"logging_level": "ERROR", "log_to_driver": False}
            options |= {"address": self._address} if self._address else self._options_here(undo)
            undo.enter_context(redirect_stdout(sys.stderr))  # where Ray would print deaths of workers
            undo.callback(self._ray.shutdown)
            try:
                self._ray.init(**options)
            except (ConnectionError, OSError, RuntimeError, ValueError) as error:
                where = f"joined at {self._address}" if self._address else "started"
                raise InputError(f"Ray cannot be {where}: {_line(error)}") from error
            yield

    def _options_here(self, undo: ExitStack) -> dict[str, Any]:
        """Options that start Ray for this machine only, with temporary files that are deleted at the end.

        Raises:
            InputError: if Ray was imported with settings that open its ports to the network.
        """
        if self._ray.util.get_node_ip_address() != _ON_LOOPBACK:
            raise InputError(
                f"Ray was imported before and would listen on all networks: set {_NO_CLUSTER}=0, or start it "
                "yourself with ray.init()"
            )
        folder = undo.enter_context(
            tempfile.TemporaryDirectory(prefix="ray-", dir=_short_folder(), ignore_cleanup_errors=True)
        )
        return {
            "address": "local",
            "num_cpus": self.workers,
            "include_dashboard": False,
            "_node_ip_address": _ON_LOOPBACK,
            "_temp_dir": folder,
        }


@dataclass(frozen=True)
class GateActor:
    """Connects a worker to the gate in an actor of Ray.

    Attributes:
        name: name of the actor.
        namespace: namespace of the driver's job.
    """

    name: str
    namespace: str

    def __call__(self) -> GateCalls:
        """Return what calls the actor, and waits while Ray starts it again."""
        import ray

        def call(request: LeaseRequest) -> Lease:
            actor = ray.get_actor(self.name, self.namespace)
            lease: Lease = ray.get(actor.lease.remote(request), timeout=_PATIENCE)
            return lease

        return GateCalls(call, (ray.exceptions.RayError, ValueError), _PATIENCE)


def _remote_function() -> Callable[[bytes, str, Address], Any]:
    """Return the function that computes a pickled task on a node.

    It is defined within another function so that Ray sends its code, and a node without Thresher can say so.
    """

    def compute(task: bytes, version: str, driver: tuple[str, int]) -> Any:
        import pickle
        from socket import gethostname

        try:
            from thresher.version import __version__ as here
        except ImportError:
            return f"Thresher is not installed on node {gethostname()}: install version {version} there"
        if here != version:
            return (
                f"node {gethostname()} has Thresher {here}, the driver {version}: install the same version on"
                " all nodes"
            )
        from thresher.pipelines.executors.parent_watch import follow

        try:
            follow(driver)
        except OSError as error:
            return (
                f"node {gethostname()} cannot reach the driver at {driver[0]}, so that it could not end with "
                f"it: {error.strerror}"
            )
        return pickle.loads(task)()  # noqa: S301  # made by the driver

    return compute


def _short_folder() -> str:
    folder = tempfile.gettempdir()
    return folder if len(folder) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108  # TemporaryDirectory makes its own


def _line(error: Exception) -> str:
    cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    return redacted_message(described_error(cause))[:500]
