"""The transport that sends asks in batches."""

import asyncio
from dataclasses import replace
from typing import Any

from thresher.judges.engine import leases
from thresher.judges.engine.answers import Answers, Claim
from thresher.judges.engine.batch import BatchItem
from thresher.judges.engine.batches.lines import BatchLine, Live
from thresher.judges.engine.batches.pending import PendingAnswer
from thresher.judges.engine.batches.rounds import Rounds
from thresher.judges.engine.generator import Generator
from thresher.judges.flow import Answer, Ask

_DEAD = leases.LIFE + 2
"""Seconds for which a round waits for keys that another process asks for: those of a killed process are free
by then, and belong into this round."""
_PATIENCE = 3600.0
"""Seconds between later claims of a key that another process asks for; its batch may take a day."""


class BatchedRequests:
    """Adds each ask to the session's next round.

    Args:
        rounds: the rounds of the session.
        answers: the answer cache.
        generator: the judge.
        live: sends asks that are not worth a batch.
    """

    def __init__(self, rounds: Rounds, answers: Answers, generator: Generator, live: Live) -> None:
        self._rounds = rounds
        self._answers = answers
        self._generator = generator
        self._live = live

    async def answer(self, key: str, ask: Ask[Any], item: BatchItem) -> Answer:
        """Return the answer to an ask when its batch has ended.

        Raises:
            Unanswered: if the ask gets no answer.
            PendingAnswer: if the session does not wait for it.
            InputError: if the judge cannot be used at all, or not in batches.
        """
        await self._generator.warm_up()
        self._rounds.account.check_price(self._generator.model)
        api = self._generator.batch_api()
        known = await self._claimed(key)
        if known is not None:
            self._rounds.account.known += 1
            return replace(known, cached=True)
        try:
            self._live.recovery.check_breaker()
            future = asyncio.get_running_loop().create_future()
            line = BatchLine(key, ask, item, self._generator, api, self._live, future)
            return await self._rounds.answer(line)
        except BaseException:
            self._answers.release(key)
            raise

    async def _claimed(self, key: str) -> Answer | None:
        """Take the lease of a key, or return the answer that arrived while another process had it."""
        with self._rounds.arriving():
            claim = await self._claim(key, _DEAD)
        while claim == "wait":
            if not self._rounds.settings.wait:
                self._rounds.account.pending += 1
                raise PendingAnswer("the answer is pending, as another process asks for it")
            claim = await self._claim(key, _PATIENCE)
        return None if claim == "ask" else claim

    async def _claim(self, key: str, patience: float) -> Claim:
        """Claim a key, once more if another process has had it meanwhile."""
        claim = await self._answers.claim(key)
        if claim != "wait":
            return claim
        known = await self._answers.arrival(key, patience)
        return await self._answers.claim(key) if known is None else known
