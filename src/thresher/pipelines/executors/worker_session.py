"""The session of a run in its workers: the same limits, cache and budget as in the driver."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import Self

from thresher.errors import InputError
from thresher.files.image_texts import ImageDetail
from thresher.judges.engine.answer_logs import LoggedAnswers
from thresher.judges.engine.answers import MemoryAnswers
from thresher.judges.engine.file_answers import FileAnswers
from thresher.judges.engine.gate import GateAddress, GateConnection, Gatekeeper
from thresher.judges.engine.session_state import SessionState
from thresher.judges.prompt_order import INSTRUCTIONS_FIRST, PromptOrder
from thresher.judges.session import asking, sharded
from thresher.judges.settings import Limits, Prices

Connect = Callable[[], Gatekeeper]
"""Connects a worker to a gate in an actor of another engine; can be pickled."""


@dataclass(frozen=True)
class WorkerSession:
    """The arguments of `asking` in a worker.

    Attributes:
        limits: concurrency, rates, time-out and tries.
        cache: absolute path or URL of the answer cache; True for memory, False for no cache.
        prices: prices of tokens.
        max_calls: requests left.
        max_cost: money left.
        shares: workers that share the limits and the budget; without a gate, each has its part.
        gate: where the driver grants requests and budget, or how to reach it; None without a gate.
        prompt_order: order of the parts of prompts.
        image_detail: how closely the judge looks at images that do not say it.
    """

    limits: Limits
    cache: str | bool
    prices: Prices | None
    max_calls: int | None
    max_cost: float | None
    shares: int = 1
    gate: GateAddress | Connect | None = None
    prompt_order: PromptOrder = INSTRUCTIONS_FIRST
    image_detail: ImageDetail | None = None

    @classmethod
    def of(cls, session: SessionState, shares: int) -> Self:
        """Describe a session.

        Raises:
            InputError: if it has a listener or estimates, which workers cannot do for it.
        """
        if session.listener is not None or session.estimate is not None:
            raise InputError("workers can neither call a listener nor estimate; compute without workers")
        account, answers = session.account, session.answers
        return cls(
            session.limits,
            _cache(answers),
            account.prices,
            *account.remaining(),
            shares,
            prompt_order=session.prompt_order,
            image_detail=session.image_detail,
        )

    @contextmanager
    def opened(self) -> Iterator[None]:
        """Open the session with the driver's gate, or with this worker's part of limits and budget."""
        with ExitStack() as blocks:
            gate = self._connected(blocks)
            session = asking(
                limits=self.limits,
                cache=self.cache,
                prices=self.prices,
                max_calls=self.max_calls,
                max_cost=self.max_cost,
                gate=gate,
                prompt_order=self.prompt_order,
                image_detail=self.image_detail,
            )
            blocks.enter_context(session)
            blocks.enter_context(sharded((self.shares, self.shares)))  # the last part: it is rounded down
            yield

    def _connected(self, blocks: ExitStack) -> Gatekeeper | None:
        if isinstance(self.gate, GateAddress):
            return blocks.enter_context(GateConnection(self.gate))
        return None if self.gate is None else self.gate()


def _cache(answers: object) -> str | bool:
    if isinstance(answers, FileAnswers):
        return str(answers.path.absolute())
    if isinstance(answers, LoggedAnswers):
        return answers.store.location
    return not (isinstance(answers, MemoryAnswers) and not answers.size)
