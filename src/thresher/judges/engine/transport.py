"""What went wrong on the wire, and whether asking again can help."""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

_PASSING = frozenset({408, 409, 425, 429})
_SERVER = 500
_PASSING_NAMES = frozenset(
    {"TransportError", "APIConnectionError", "APIResponseValidationError", "ConnectionError", "TimeoutError"}
    | {"ProtocolError", "IncompleteRead", "JSONDecodeError"}
)
_FINAL_CODES = ("insufficient_quota", "billing_hard_limit_reached")
_LONGEST_WAIT = 120.0
_LONGEST_TEXT = 300


@dataclass(frozen=True)
class Trouble:
    """Why a call failed.

    Attributes:
        text: one line for the item's reason.
        passing: whether the same call may succeed later.
        status: the HTTP status, if there is one.
        wait: seconds that the server asks to wait.
    """

    text: str
    passing: bool
    status: int | None = None
    wait: float | None = None

    @property
    def hopeless(self) -> bool:
        """Whether every other call to this endpoint will fail too: a wrong key, model or address."""
        return self.status in (401, 403, 404) or (self.status == 429 and not self.passing)  # noqa: PLR2004


def trouble(error: BaseException) -> Trouble:
    """Read an exception of any client, by what HTTP clients have in common.

    Statuses 408, 409, 425, 429 and from 500 up, time-outs, dropped connections and broken bodies pass;
    all else stays, an exhausted quota (429 too) among it.
    """
    text = _one_line(error)
    for link in _chain(error):
        status = _status(link)
        if status is not None:
            final = any(code in str(link) for code in _FINAL_CODES)
            passing = (status in _PASSING or status >= _SERVER) and not final
            return Trouble(f"HTTP {status}: {text}", passing, status, _retry_after(link))
    names = {cls.__name__ for link in _chain(error) for cls in type(link).__mro__}
    return Trouble(text, bool(names & _PASSING_NAMES))


def backoff(failures: int, wait: float | None = None) -> float:
    """Seconds before the next try: doubling from half a second, jittered, at least what the server asks.

    Args:
        failures: how often the call has failed so far.
        wait: what the server asks for.
    """
    jitter = random.uniform(0.5, 1.0)  # noqa: S311  (spreads load; nothing is computed from it)
    if wait is not None:
        return min(wait, _LONGEST_WAIT) + 0.2 * jitter
    return float(min(0.5 * 2 ** (failures - 1), 30.0) * jitter)


def _chain(error: BaseException) -> Iterator[BaseException]:
    link: BaseException | None = error
    while link is not None:
        yield link
        link = link.__cause__ or link.__context__


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for source, name in ((error, "status_code"), (response, "status_code"), (error, "status")):
        value = getattr(source, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:  # noqa: PLR2004
            return value
    return None


def _retry_after(error: BaseException) -> float | None:
    """The header `Retry-After`, as seconds or as a date, or its sibling in milliseconds."""
    headers: Any = getattr(getattr(error, "response", None), "headers", None) or {}
    for name, scale in (("retry-after-ms", 1e-3), ("retry-after", 1.0)):
        text = headers.get(name)
        if text is None:
            continue
        try:
            return max(0.0, float(text) * scale)
        except ValueError:
            return _until(text)
    return None


def _until(date: str) -> float | None:
    try:
        moment = parsedate_to_datetime(date)
    except ValueError:
        return None
    return max(0.0, (moment - datetime.now(UTC)).total_seconds())


def _one_line(error: BaseException) -> str:
    text = " ".join(str(error).split())
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:_LONGEST_TEXT]
