"""Calls of a provider's batch API, repeated while the provider cannot be reached."""

import asyncio
from collections.abc import Callable

from thresher.errors import InputError
from thresher.judges.batch_settings import BatchSettings
from thresher.judges.engine.account import Account
from thresher.judges.engine.batches.api import BatchApi, BatchState, Download
from thresher.judges.engine.batches.journal import Journal, JournalEntry
from thresher.judges.engine.batches.lines import BatchPart
from thresher.judges.engine.transport import Trouble, backoff, trouble

UNKNOWN = "unknown"
"""Status of a batch that the provider does not know."""
_SUBMISSIONS = 6
"""Tries to create or to find a batch while the provider cannot be reached."""
_DOWNLOADS = 5
"""Downloads of the same results before lines that they lack count as missing: providers do count more lines
than their files contain."""
_NOT_FOUND = 404


class CallFailedError(Exception):
    """A call failed, so that no line of the batch can be answered now.

    Attributes:
        fault: the failure.
    """

    def __init__(self, fault: Trouble) -> None:
        super().__init__(fault.text)
        self.fault = fault


class ProviderCalls:
    """Creates, finds, polls and downloads batches.

    Args:
        settings: intervals, and whether to wait.
        journal: records batches before they are created.
        account: counts failures.
    """

    def __init__(self, settings: BatchSettings, journal: Journal, account: Account) -> None:
        self._settings = settings
        self._journal = journal
        self._account = account
        self._uploading = asyncio.Semaphore(1)

    async def create(self, entry: JournalEntry, part: BatchPart) -> JournalEntry:
        """Create a batch; return its entry with the id.

        The response may be lost although the batch was created, so it is searched for before the next try.

        Raises:
            CallFailedError: if the provider refuses it or cannot be reached.
        """
        api, fault = part.lines[0].api, Trouble("", passing=True)
        for turn in range(_SUBMISSIONS):
            try:
                batch = await self._found(api, entry) if turn else None
                if batch is None:
                    async with self._uploading:
                        batch = await api.submit(entry, [(line.key, line.body()) for line in part.lines])
                return self._journal.submitted(entry, batch)
            except InputError:
                raise
            except Exception as error:  # noqa: BLE001  (whatever the provider's client raises)
                fault = trouble(error)
                if not fault.passing:
                    if fault.status is not None:  # the provider refused it: it does not exist
                        self._journal.remove(entry)
                    break
            await asyncio.sleep(max(backoff(turn + 1, fault.wait), self._settings.pause(turn)))
        raise CallFailedError(fault)

    async def identify(self, api: BatchApi, entry: JournalEntry) -> JournalEntry | None:
        """Return an entry with its id, which may have to be searched; None if the batch was never created.

        Raises:
            CallFailedError: if the provider cannot be asked.
        """
        if entry.batch is not None:
            return entry
        try:
            batch = await self._found(api, entry)
        except Exception as error:
            raise CallFailedError(trouble(error)) from error
        return None if batch is None else self._journal.submitted(entry, batch)

    async def ended(
        self, api: BatchApi, entry: JournalEntry, progress: Callable[[int], None]
    ) -> BatchState | None:
        """Poll a batch until it has ended; None if it has not, and the session does not wait.

        Raises:
            CallFailedError: if the provider refuses to answer, e.g. as the key was revoked.
        """
        polls = 0
        while True:
            try:
                state = await api.state(str(entry.batch))
                progress(state.done)
                if state.ended:
                    return state
            except Exception as error:
                fault = trouble(error)
                if fault.status == _NOT_FOUND:
                    return BatchState(str(entry.batch), ended=True, status=UNKNOWN)
                if not fault.passing:
                    raise CallFailedError(fault) from error
                self._account.failures[fault.cause] += 1
            if not self._settings.wait:
                return None
            await asyncio.sleep(self._settings.pause(polls))
            polls += 1

    async def download(self, api: BatchApi, state: BatchState) -> Download | None:
        """Download results; None if they cannot be read now and the session does not wait.

        A download that breaks off, or has fewer lines than have ended, is repeated: lines that are asked
        again are paid again.

        Raises:
            CallFailedError: if the provider refuses to answer.
        """
        turn = 0
        while True:
            try:
                download = await api.results(state)
            except Exception as error:
                fault = trouble(error)
                if fault.status == _NOT_FOUND:
                    return Download(())
                if not fault.passing:
                    raise CallFailedError(fault) from error
                self._account.failures[fault.cause] += 1
                if turn >= _DOWNLOADS and not self._settings.wait:
                    return None
            else:
                number = len({result.key for result in download.results})
                if turn >= _DOWNLOADS or (download.whole and number >= state.done):
                    return download
            await asyncio.sleep(self._settings.pause(turn))
            turn += 1

    async def _found(self, api: BatchApi, entry: JournalEntry) -> str | None:
        """Search the provider's list for a batch whose id is not in the journal."""
        known = {other.batch for other in self._journal.entries()}
        for turn in range(_SUBMISSIONS):
            try:
                found = await api.find(entry)
            except Exception as error:
                if turn + 1 == _SUBMISSIONS or not trouble(error).passing:
                    raise
                await asyncio.sleep(self._settings.pause(turn))
            else:
                return None if found in known else found
        return None
