"""The driver's side of the gate: one limit, budget and breaker for the workers of a judged run."""

from collections.abc import Iterator
from contextlib import contextmanager

from thresher.judges.engine.gate import Gate, GateAddress, GateLimits, serving
from thresher.judges.session import current_session
from thresher.pipelines.executors.job import Job


@contextmanager
def hosted_gate(job: Job) -> Iterator[GateAddress | None]:
    """Answer for the gate of a judged run within the block; tasks carry the address to the workers.

    Args:
        job: the run.
    """
    if not job.is_judged:
        yield None
        return
    with serving(Gate(gate_limits())) as address:
        job.join(address)
        yield address


def gate_limits() -> GateLimits:
    """Limits of this session, and what is left of its budget, for all workers together."""
    session = current_session()
    calls, cost = session.account.remaining()
    return GateLimits.of(session.limits, max_calls=calls, max_cost=cost)
