"""The interface of a provider's batch API, and what a batch reports."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from thresher.judges.engine.batches.journal import JournalEntry
from thresher.judges.engine.transport import Trouble
from thresher.judges.flow import Answer
from thresher.results.redaction import redacted_message


class LineError(Exception):
    """A line's HTTP error, as a live request would raise it.

    Attributes:
        status_code: the HTTP status.
        body: the response.
    """

    def __init__(self, status_code: int, body: Any) -> None:
        super().__init__(_message(body))
        self.status_code = status_code
        self.body = body


@dataclass(frozen=True)
class LineResult:
    """One line of a batch's results.

    Attributes:
        key: `custom_id` of the line, which is the cache key of the ask.
        answer: the answer; None if the line failed or was not run.
        fault: reason for a missing answer; None if `error` is the reason.
        error: the HTTP error of the line, if it has one.
    """

    key: str
    answer: Answer | None = None
    fault: Trouble | None = None
    error: LineError | None = None


@dataclass(frozen=True)
class BatchProblem:
    """Why a provider refused a batch.

    Attributes:
        code: the provider's code.
        message: the provider's message.
        line: number of the line from 1; None if the whole batch was refused.
    """

    code: str
    message: str
    line: int | None = None


@dataclass(frozen=True)
class BatchState:
    """State of a batch.

    Attributes:
        batch: its id.
        ended: whether nothing more is computed.
        done: lines that have ended, as far as the provider reports them.
        problems: why it was refused; empty if it was accepted.
        files: names of the results.
        status: the provider's word.
    """

    batch: str
    ended: bool
    done: int = 0
    problems: tuple[BatchProblem, ...] = ()
    files: tuple[str, ...] = ()
    status: str = ""


@dataclass(frozen=True)
class Download:
    """Results of a batch.

    Attributes:
        results: the lines.
        whole: whether the last line of each file was complete.
    """

    results: Sequence[LineResult]
    whole: bool = True


class BatchApi(Protocol):
    """A provider's batch API. The methods raise the exceptions of the provider's client."""

    def body(self, messages: list[dict[str, Any]], settings: dict[str, Any]) -> dict[str, Any]:
        """The body of one request."""

    def encode(self, key: str, body: Mapping[str, Any]) -> bytes:
        """A line as it is sent, without a line break."""

    async def submit(self, entry: JournalEntry, lines: Iterable[tuple[str, Mapping[str, Any]]]) -> str:
        """Create a batch of these keys and bodies; return its id."""

    async def find(self, entry: JournalEntry) -> str | None:
        """Return the id of a batch that may have been created before a stop; None if none is listed."""

    async def state(self, batch: str) -> BatchState:
        """The state of a batch."""

    async def results(self, state: BatchState) -> Download:
        """The results of a batch that has ended."""


def rows_of(content: bytes) -> tuple[list[Any], bool]:
    r"""Parse JSON Lines; also return whether all lines are complete, as a download may break off.

    >>> rows_of(b'{"custom_id": "a"}\n{"custom')
    ([{'custom_id': 'a'}], False)
    """
    rows, whole = [], True
    for line in content.splitlines():
        if not line.strip():
            continue
        try:
            rows.append(json.loads(line))
        except ValueError:
            whole = False
    return rows, whole


def as_data(reply: Any) -> Mapping[str, Any]:
    """A JSON object from a client's reply.

    Raises:
        ConnectionError: if it is another thing, e.g. the page of a proxy.
    """
    if isinstance(reply, str | bytes):
        try:
            reply = json.loads(reply)
        except ValueError:
            reply = str(reply)
    if not isinstance(reply, Mapping):
        shown = redacted_message(str(reply))[:80]
        raise ConnectionError(f"the server replied with {shown!r} instead of a JSON object")
    return reply


def whole_number(value: Any) -> int:
    """A count of a provider; 0 if it is missing."""
    return value if isinstance(value, int) else 0


def _message(body: Any) -> str:
    """The message in an error's body, or the body."""
    entry = body.get("error", body) if isinstance(body, Mapping) else body
    message = entry.get("message") if isinstance(entry, Mapping) else None
    return str(message or body)
