"""What the asks of one run share."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from thresher.judges.engine.account import Account
from thresher.judges.engine.answers import Answers, MemoryAnswers
from thresher.judges.engine.batch import Batch
from thresher.judges.engine.breaker import Breakers
from thresher.judges.engine.budget import Budget
from thresher.judges.engine.flight import Flight
from thresher.judges.estimate import Estimate
from thresher.judges.flow import Answer, Ask
from thresher.judges.settings import Limits

Listener = Callable[[Ask[Any], Answer], None]


@dataclass
class Session:
    """Everything that the asks of one run share.

    Attributes:
        limits: what asking may use.
        answers: answers that are known already.
        budget: what has been used, and decides which items are begun.
        listener: called with every ask and its answer, cached ones too, on the engine's thread.
        estimate: where asks are only counted, and nobody is asked; None where they are asked.
        flight: asks in flight.
        walks: tasks of the engine's loop that walk this session's flows.
        batch: the items of metrics that run outside of any `judged_together` block.
        breakers: which judges are not asked any more.
    """

    limits: Limits = field(default_factory=Limits)
    answers: Answers = field(default_factory=MemoryAnswers)
    budget: Budget = field(default_factory=lambda: Budget(Account()))
    listener: Listener | None = None
    estimate: Estimate | None = None
    flight: Flight[Answer] = field(default_factory=Flight)
    walks: set["asyncio.Task[Any]"] = field(default_factory=set)
    batch: Batch = field(default_factory=Batch)
    breakers: Breakers = field(default_factory=Breakers)

    @property
    def account(self) -> Account:
        """What has been used."""
        return self.budget.account

    def open_batch(self) -> Batch:
        """The batch that metrics join outside of any block: side by side the same, later ones a new one."""
        if self.batch.under_way:
            self.batch = Batch()
        return self.batch
