"""Running flows, one or several together, without I/O."""

from collections.abc import Sequence
from typing import Any, Generic

from thresher.judges.flow import Ask, Flow, Outcome, Reply, T, Unanswered
from thresher.results import Status


class Walk(Generic[T]):
    """A running flow without I/O: read `asks`, `give` the replies, until there is an `outcome`.

    Attributes:
        asks: asks to be sent concurrently.
        outcome: how the flow ended; None while it runs.
        steps: how often replies were given.
    """

    def __init__(self, flow: Flow[T]) -> None:
        self._flow = flow
        self._replies: list[Reply[Any]] = []
        self._one = False
        self.asks: list[Ask[Any]] = []
        self.outcome: Outcome[T] | None = None
        self.steps = 0
        self._step(None)

    def give(self, replies: Sequence[Reply[Any]]) -> None:
        """Continue with one reply for each of `asks`, in their order."""
        self._replies += [part for reply in replies for part in (*reply.earlier, reply)]
        self.steps += 1
        self._step(replies[0] if self._one else list(replies))

    def _step(self, sent: Any) -> None:
        try:
            asks = self._flow.send(sent)
            while asks == []:
                asks = self._flow.send([])
        except StopIteration as stop:
            self.asks, self.outcome = [], Outcome(stop.value, replies=tuple(self._replies))
        except Unanswered as end:
            self.asks, self.outcome = [], Outcome(None, end.status, end.reason, tuple(self._replies))
        else:
            self._one = isinstance(asks, Ask)
            self.asks = [asks] if isinstance(asks, Ask) else asks


def together(*flows: Flow[T]) -> Flow[list[T]]:
    """Run several flows concurrently, step by step.

    Raises:
        Unanswered: as soon as one of them ends without a value.
    """
    walks = [Walk(flow) for flow in flows]
    while True:
        for walk in walks:
            if walk.outcome is not None and walk.outcome.status is not Status.SCORED:
                raise Unanswered(walk.outcome.status, walk.outcome.reason)
        asks = [ask for walk in walks for ask in walk.asks]
        if not asks:
            return [walk.outcome.value for walk in walks]  # type: ignore[union-attr,misc]  # all have ended scored
        replies = iter((yield asks))
        for walk in walks:
            if walk.asks:
                walk.give([next(replies) for _ in walk.asks])
