"""State shared by all asks of one session."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from thresher.files.image_texts import ImageDetail
from thresher.judges.engine.account import Account
from thresher.judges.engine.answers import Answers, MemoryAnswers
from thresher.judges.engine.batch import Batch
from thresher.judges.engine.batches.rounds import Rounds
from thresher.judges.engine.breaker import Breakers
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.gate.member import GateMember
from thresher.judges.engine.single_flight import SingleFlight
from thresher.judges.estimate import CostEstimate
from thresher.judges.flow import Answer, Ask
from thresher.judges.prompt_order import INSTRUCTIONS_FIRST, PromptOrder
from thresher.judges.settings import Limits

Listener = Callable[[Ask[Any], Answer], None]


@dataclass
class SessionState:
    """State shared by all asks of one session.

    Attributes:
        limits: concurrency, rates, time-out and tries.
        answers: the answer cache.
        budget: usage so far; admits items.
        listener: called on the engine's thread with every ask and its answer, cached ones included.
        estimate: counts asks instead of sending them; None to send.
        flight: asks in flight.
        walks: tasks on the engine's loop that run this session's flows.
        batch: items of the metrics that run outside any `judged_together` block.
        breakers: circuit breakers by judge.
        shards: processes that share the limits without a gate; the limits are the share of this one.
        gate: this session's part in a run whose workers share limits and a budget; None without one.
        rounds: rounds of batches; None to ask live.
        prompt_order: order of the parts of prompts.
        image_detail: how closely the judge looks at images that do not say it; None for its default.
    """

    limits: Limits = field(default_factory=Limits)
    answers: Answers = field(default_factory=MemoryAnswers)
    budget: Budget = field(default_factory=lambda: Budget(Account()))
    listener: Listener | None = None
    estimate: CostEstimate | None = None
    flight: SingleFlight[Answer] = field(default_factory=SingleFlight)
    walks: set["asyncio.Task[Any]"] = field(default_factory=set)
    batch: Batch = field(default_factory=Batch)
    breakers: Breakers = field(default_factory=Breakers)
    shards: int = 1
    gate: GateMember | None = None
    rounds: Rounds | None = None
    prompt_order: PromptOrder = INSTRUCTIONS_FIRST
    image_detail: ImageDetail | None = None

    @property
    def account(self) -> Account:
        """Usage so far."""
        return self.budget.account

    @property
    def signed(self) -> dict[str, str]:
        """Settings that change answers, for signatures; empty by default."""
        order = {} if self.prompt_order == INSTRUCTIONS_FIRST else {"prompt_order": "contexts_first"}
        return order | ({"image_detail": self.image_detail} if self.image_detail else {})

    def open_batch(self) -> Batch:
        """Batch for metrics outside any block: shared while they start together, a new batch afterwards."""
        if self.batch.under_way:
            self.batch = Batch()
        return self.batch
