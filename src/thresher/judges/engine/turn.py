"""A request's turn: when it may be sent."""

import time
from collections.abc import Awaitable, Callable

from thresher.judges.engine.slots import Slot


class Turn:
    """Taken when a request is about to be sent, given back when the last of its reply has come.

    A request may be made ready before its turn: what is left to do then is to send it.

    Args:
        begin: waits for the turn and gives its slot; None where nobody has to wait.

    Attributes:
        refusal: what `begin` raised, if it did: some clients wrap what is raised while they send.
    """

    def __init__(self, begin: Callable[[], Awaitable[Slot]] | None = None) -> None:
        self._begin = begin
        self._slot: Slot | None = None
        self._since = time.perf_counter()
        self.refusal: BaseException | None = None

    async def take(self) -> None:
        """Wait for the turn; a request that is sent on to another address has it already."""
        if self._begin is None or self._slot is not None:
            return
        try:
            self._slot = await self._begin()
        except BaseException as error:
            self.refusal = error
            raise
        self._since = time.perf_counter()

    def seconds(self) -> float:
        """How long ago it was taken."""
        return time.perf_counter() - self._since

    def give_back(self) -> None:
        """Let the next one have its turn; doing so again does nothing."""
        if self._slot is not None:
            self._slot.release()
