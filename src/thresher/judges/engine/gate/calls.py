"""A gate that another engine holds, as an actor for example."""

import time
from collections.abc import Callable

from thresher.judges.engine.gate.messages import GateLostError, Lease, LeaseRequest

_PAUSE = 0.2


class GateCalls:
    """Answers for a gate by a function that calls it, through an engine's own messages.

    Args:
        call: sends a request to the gate, which is an actor's `Gate`, and returns its answer.
        errors: what `call` raises while the gate cannot be reached, or is being started again.
        patience: seconds in which the call is repeated; an actor takes about half a second to start again.
    """

    def __init__(
        self,
        call: Callable[[LeaseRequest], Lease],
        errors: tuple[type[BaseException], ...],
        patience: float = 5.0,
    ) -> None:
        self._call = call
        self._errors = errors
        self._patience = patience

    def lease(self, request: LeaseRequest) -> Lease:
        """Answer one call; a repeated one is harmless, as it carries totals.

        Raises:
            GateLostError: if the gate cannot be reached within the patience.
        """
        end = time.monotonic() + self._patience
        while True:
            try:
                return self._call(request)
            except self._errors as error:
                if time.monotonic() >= end:
                    raise GateLostError("the gate of the run cannot be reached") from error
                time.sleep(_PAUSE)
