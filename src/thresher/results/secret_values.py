"""Secrets that components hold, remembered so that no text repeats them."""

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from thresher.known_secrets import remember, scrub, without_respelled_secrets, without_secrets
from thresher.results.redaction import redacted

_DEEPEST = 4
_MOST = 200
"""Maximum entries of a collection of settings; longer collections are data."""


def remember_secrets_of(*parts: Any) -> None:
    """Remember the resolved secrets, credential headers and URLs in the attributes of components.

    Args:
        parts: pipelines, components, generators; what they contain is searched too.
    """
    for part in parts:
        _search(part, "", _DEEPEST, set())
    _guard_logs()


def _search(value: Any, name: str, depth: int, seen: set[int]) -> None:
    if isinstance(value, str | bytes):
        redacted(value, name)
        return
    if depth < 0 or value is None or isinstance(value, bool | int | float | type) or id(value) in seen:
        return
    seen.add(id(value))
    if callable(getattr(value, "resolve_value", None)):
        _resolve(value)
    elif isinstance(value, Mapping | list | tuple):
        if len(value) <= _MOST:
            redacted(value, name)
            entries = value.items() if isinstance(value, Mapping) else enumerate(value)
            _search_all(entries, depth - 1, seen)
    elif hasattr(value, "graph") and callable(getattr(value, "get_component", None)):
        _search_all(((node, value.get_component(node)) for node in value.graph.nodes), depth, seen)
    elif callable(getattr(value, "run", None)) or callable(getattr(value, "to_dict", None)):
        _search_all(vars(value).items() if hasattr(value, "__dict__") else (), depth - 1, seen)


def _search_all(entries: Iterable[tuple[Any, Any]], depth: int, seen: set[int]) -> None:
    for name, entry in list(entries):
        _search(entry, str(name), depth, seen)


def _resolve(secret: Any) -> None:
    """Remember the value of Haystack's `Secret`; without its environment variable it has none.

    Its names count too where they name no variable: they are keys, perhaps.
    """
    with suppress(ValueError):  # a key in the code has no other form
        redacted(secret.to_dict() if callable(getattr(secret, "to_dict", None)) else None)
    with suppress(ValueError):
        value = secret.resolve_value()
        if isinstance(value, str):
            remember(value)


def _guard_logs() -> None:
    """Remove secrets from every record of `logging`.

    Records are guarded where they are made: a filter of a logger sees no records of loggers below it, and the
    names of the loggers of clients change with their versions.
    """
    make = logging.getLogRecordFactory()
    if getattr(make, "without_secrets", False):
        return

    def make_clean(*args: Any, **options: Any) -> logging.LogRecord:
        return _clean(make(*args, **options))

    make_clean.without_secrets = True  # type: ignore[attr-defined]
    logging.setLogRecordFactory(make_clean)


def _clean(record: logging.LogRecord) -> logging.LogRecord:
    try:
        message = record.getMessage()
    except Exception:  # noqa: BLE001  (wrong arguments: handlers report them, and the caller continues)
        return record
    clean = without_secrets(message)
    if clean != message:
        record.msg, record.args = clean, ()
    if record.exc_info and record.exc_info[1] is not None:
        scrub(record.exc_info[1])
        shown = logging.Formatter().formatException(record.exc_info)
        clean = without_respelled_secrets(shown)
        if clean != shown:  # of an exception that cannot be changed
            record.exc_info, record.exc_text = None, clean
    return record
