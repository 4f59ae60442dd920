"""Failed calls: causes, whether a retry can help, and back-off."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any

from thresher.judges.engine.connection import connection_fault
from thresher.results.redaction import redacted_message

TOO_MANY = 429
_PASSING = frozenset({408, 409, 425, TOO_MANY})
_REJECTED = frozenset({401, 402, 403, 404})
"""Statuses that all requests with this key, to this model at this address, will get."""
_SERVER = 500
_PASSING_NAMES = frozenset(
    {"TransportError", "APIConnectionError", "APIResponseValidationError", "ConnectionError", "TimeoutError"}
    | {"ProtocolError", "IncompleteRead", "JSONDecodeError"}
)
_SPENT_CODES = frozenset({"insufficient_quota", "billing_hard_limit_reached", "billing_not_active"})
"""Values of an error's `code` or `type` that mean a used-up quota. OpenAI's message is not read: Gemini uses
the same words for a limit per minute, which passes."""
_SPENT_TEXTS = (*_SPENT_CODES, "credit balance is too low")
"""The codes, for clients that put the whole body into the text; and Anthropic's message, whose code is
general."""
_LONGEST_WAIT = 120.0  # seconds; rates are per minute, and one wrong header must not hold up a run for hours
_LONGEST_TEXT = 300  # characters of an error that a message shows; gateways send whole HTML pages


@dataclass(frozen=True)
class Trouble:
    """Failure of a call.

    Attributes:
        text: one line for the item's reason: cause, class and message of the exception.
        passing: whether the same call may succeed later.
        status: the HTTP status, if any.
        wait: seconds that the server requests to wait.
        spent: whether a quota or a credit is used up.
        unreachable: whether no connection was made, so that the request itself cannot be the reason.
    """

    text: str
    passing: bool
    status: int | None = None
    wait: float | None = None
    spent: bool = False
    unreachable: bool = False

    @property
    def hopeless(self) -> bool:
        """Whether all calls will fail: a wrong key, model or address, or a used-up quota."""
        return self.spent or self.status in _REJECTED

    @property
    def cause(self) -> str:
        """The cause alone, e.g. `HTTP 500` or `connection refused`."""
        return self.text.partition(":")[0]


def trouble(error: BaseException) -> Trouble:
    """Classify an exception of any HTTP client.

    Statuses 408, 409, 425, 429 and 500 or more, time-outs, lost connections and broken bodies may pass; any
    other failure is permanent, including a used-up quota (429 as well).
    """
    text = _one_line(error)
    links = list(_chain(error))
    for link in links:
        status = _status(link)
        if status is not None:
            spent = _is_spent(link)
            passing = (status in _PASSING or status >= _SERVER) and not spent
            cause = f"HTTP {status}{', quota used up' if spent else ''}"
            return Trouble(f"{cause}: {text}"[:_LONGEST_TEXT], passing, status, _retry_after(link), spent)
    fault = connection_fault(links)
    if fault is not None:
        return Trouble(f"{fault.cause}: {text}", passing=True, unreachable=fault.unreachable)
    names = {cls.__name__ for link in links for cls in type(link).__mro__}
    return Trouble(text, bool(names & _PASSING_NAMES))


def backoff(failures: int, wait: float | None = None) -> float:
    """Seconds before the next try: doubling from 0.5 with jitter, at least what the server requests.

    Args:
        failures: failures of the call so far.
        wait: seconds that the server requests.
    """
    jitter = random.uniform(0.5, 1.0)  # noqa: S311  (spreads load; nothing is computed from it)
    if wait is not None:
        return longest(wait) + 0.2 * jitter
    return float(min(0.5 * 2 ** (failures - 1), 30.0) * jitter)


def longest(wait: float | None) -> float:
    """Seconds to wait at a server's request; 0 without one."""
    return min(wait or 0.0, _LONGEST_WAIT)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """Yield an exception and its causes, and members of groups, which hosts with several addresses raise."""
    link: BaseException | None = error
    while link is not None:
        yield link
        if isinstance(link, BaseExceptionGroup):
            for member in link.exceptions:
                yield from _chain(member)
        link = link.__cause__ or link.__context__


def _codes(error: BaseException) -> set[str]:
    """`code` and `type` of an error and of the response's body."""
    own = {str(getattr(error, name, "")) for name in ("code", "type")}
    return own | set(_named_codes(getattr(error, "body", None)))


def _is_spent(error: BaseException) -> bool:
    """Whether a quota or a credit is used up.

    OpenAI's client (3.x) puts only the message into the exception's text, other clients the whole body.
    """
    text = str(error)
    return not _SPENT_CODES.isdisjoint(_codes(error)) or any(words in text for words in _SPENT_TEXTS)


def _named_codes(value: Any) -> Iterator[str]:
    """Yield every `code` and `type` in a body at any depth, as gateways wrap the provider's error."""
    if isinstance(value, Mapping):
        yield from (str(value[name]) for name in ("code", "type") if name in value)
        for entry in value.values():
            yield from _named_codes(entry)
    elif isinstance(value, list):
        for entry in value:
            yield from _named_codes(entry)


def _status(error: BaseException) -> int | None:
    response = getattr(error, "response", None)
    for source, name in ((error, "status_code"), (response, "status_code"), (error, "status")):
        value = getattr(source, name, None)
        if isinstance(value, int) and not isinstance(value, bool) and 400 <= value < 600:  # noqa: PLR2004
            return value
    return None


def _retry_after(error: BaseException) -> float | None:
    """Seconds from the header `Retry-After` (seconds or a date) or `Retry-After-Ms`."""
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
    text = redacted_message(" ".join(str(error).split()))
    name = type(error).__name__
    return (f"{name}: {text}" if text else name)[:_LONGEST_TEXT]
