"""Secrets that components hold, remembered so that no text repeats them."""

import logging
from collections.abc import Iterable, Mapping
from contextlib import suppress
from typing import Any

from thresher.known_secrets import remember, without_secrets
from thresher.results.redaction import redacted

_DEEPEST = 4
_MOST = 200
"""Entries of a collection that may hold settings; longer ones are data."""
_CLIENTS = ("openai", "openai._base_client", "httpx", "httpcore.connection", "httpcore.http11", "haystack")
"""Loggers that write requests, addresses and answers of servers."""


def remember_secrets_of(*parts: Any) -> None:
    """Remember the resolved secrets, credential headers and URLs in the attributes of components.

    Args:
        parts: pipelines, components, generators; what they contain is searched too.
    """
    for part in parts:
        _search(part, "", _DEEPEST, set())
    for name in {*_CLIENTS, *(name for name in logging.root.manager.loggerDict if name.startswith(_CLIENTS))}:
        logging.getLogger(name).addFilter(_without_secrets)  # adding the same function again has no effect


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
    """Remember the value of Haystack's `Secret`; without its environment variable it has none."""
    with suppress(ValueError):
        value = secret.resolve_value()
        if isinstance(value, str):
            remember(value)


def _without_secrets(record: logging.LogRecord) -> bool:
    message = record.getMessage()
    clean = without_secrets(message)
    if clean != message:
        record.msg, record.args = clean, ()
    return True
