"""Redaction: credentials are replaced by short fingerprints in everything that is stored or displayed.

Signatures, pipeline YAML, provenance, manifests and failure messages are redacted; requests to judges are
not.
"""

import os
import re
from collections.abc import Mapping
from typing import Any

from thresher.known_secrets import (
    fingerprint,
    remember,
    remember_likely,
    remember_named,
    without_respelled_secrets,
    without_secrets,
)
from thresher.results.credential_names import is_credential, is_surely_credential, is_token
from thresher.results.redacted_urls import redacted_path, redacted_url, redacted_urls_in

_MARK = r"<redacted:[0-9a-f]{4}>"
_PLACED = re.compile(rf"\S*{_MARK}\S*|.*(?:://|[?&;#=]){_MARK}.*", re.DOTALL)
"""A redacted setting: a fingerprint, alone or in a URL. Prose that contains a fingerprint does not match."""
_SCHEME = re.compile(r"(?i)(?:bearer|basic|token|apikey|api-key)\s+\S+")
_PREFIXED = re.compile(r"(?<!\w)(?:sk-|sk_|gsk_|xai-|hf_|ghp_|github_pat_|AIza)[\w-]{8,}")
_IN_MESSAGE = re.compile(r"(?i)\b(?P<scheme>bearer|basic)\s+(?P<value>[\w.~+/=-]{6,})")
_ADDRESS = re.compile(r"[A-Za-z][\w+.-]*://\S+")
_ALL_VALUES = frozenset({"extra_query", "default_query"})
"""Options of OpenAI's client that become the query of its URLs: all their values count as credentials."""
_URL_NAME = re.compile(r"(?i)url|endpoint|proxy")
"""Names of options that are URLs, even where the scheme is missing."""
_WEB = re.compile(r"(?i)(?:https?|wss?)://")
"""Addresses of models; those of object stores and files name what the user wants to find."""
_VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+")
_PAIR = 2
_ENV = {"type", "env_vars", "strict"}


def redacted(value: Any, name: str = "") -> Any:
    """Redact plain data at any depth; data without credentials are returned as the same object.

    A string is redacted if the name of its option looks like a credential's (`is_credential`), or if it looks
    like a credential itself (`Bearer ...`, `sk-...`). User information and query values of URLs are redacted
    under every name. Names of environment variables stay, as Haystack writes them for a `Secret`.

    Args:
        value: dicts, lists, strings and numbers; other objects are returned unchanged.
        name: of the option that has this value.
    """
    return _redacted(value, name, secret=is_credential(name))


def redacted_strings(value: Any) -> Any:
    """Redact the strings of plain data by their content only: its keys are names of metrics or columns."""
    if isinstance(value, Mapping):
        return {key: redacted_strings(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [redacted_strings(entry) for entry in value]
    return _redacted_text(value) if isinstance(value, str) else value


def redacted_message(text: str) -> str:
    """Redact known secrets, and what looks like a credential (in URLs, after `Bearer`, `sk-`)."""
    message = redacted_urls_in(without_respelled_secrets(text), fingerprint, whole_query=True)
    message = _IN_MESSAGE.sub(lambda match: f"{match['scheme']} {fingerprint(match['value'])}", message)
    return _PREFIXED.sub(lambda match: fingerprint(match[0]), message)


def redacted_place(value: Any, where: str = "") -> str | None:
    """Path of the first redacted credential in data; None if there is none.

    Args:
        value: dicts, lists and strings of a stored pipeline.
        where: path of the value itself.
    """
    if isinstance(value, str):
        return where if _PLACED.fullmatch(value) else None
    entries: list[tuple[Any, Any]] = []
    if isinstance(value, Mapping):
        entries = list(value.items())
    elif isinstance(value, list | tuple):
        entries = list(enumerate(value))
    places = (redacted_place(entry, f"{where}.{key}" if where else str(key)) for key, entry in entries)
    return next((place for place in places if place is not None), None)


def redacted_problem(place: str) -> str:
    """The message for a setting that holds a fingerprint instead of a credential."""
    return (
        f"{place} holds the fingerprint of a credential that was not stored; write the credential itself "
        "there before the pipeline is used again"
    )


def _redacted(value: Any, name: str, *, secret: bool) -> Any:
    if isinstance(value, Mapping):
        return _variables(value) if _is_variable(value) else _mapping(value, secret=secret)
    if isinstance(value, list | tuple):
        return _sequence(value, name, secret=secret)
    if isinstance(value, bytes):
        return fingerprint(repr(value)) if secret else value
    if isinstance(value, int | float) and not isinstance(value, bool):
        return fingerprint(str(value)) if secret and not is_token(name) else value
    if isinstance(value, str) and value:
        return _redacted_string(value, name, secret=secret)
    return value


def _redacted_string(value: str, name: str, *, secret: bool) -> str:
    if secret:
        (remember_named if is_surely_credential(name) else remember_likely)(value)
        return fingerprint(value)
    if _URL_NAME.search(name) and not any(letter.isspace() for letter in value):
        return _redacted_address(value)
    return _redacted_text(value)


def _mapping(value: Mapping[Any, Any], *, secret: bool) -> Any:
    entries = {key: _entry(key, entry, secret=secret) for key, entry in value.items()}
    return entries if any(entries[key] is not entry for key, entry in value.items()) else value


def _entry(key: Any, value: Any, *, secret: bool) -> Any:
    name = _text(key)
    return _redacted(value, name, secret=secret or is_credential(name) or name in _ALL_VALUES)


def _sequence(value: list[Any] | tuple[Any, ...], name: str, *, secret: bool) -> Any:
    if value and all(_is_pair(entry) for entry in value):  # headers as pairs, which HTTP clients accept too
        entries = [_pair(entry, secret=secret) for entry in value]
    else:
        entries = [_redacted(entry, name, secret=secret) for entry in value]
    if all(new is old for new, old in zip(entries, value, strict=True)):
        return value
    return tuple(entries) if isinstance(value, tuple) else entries


def _pair(pair: Any, *, secret: bool) -> Any:
    entry = _entry(pair[0], pair[1], secret=secret)
    return pair if entry is pair[1] else type(pair)((pair[0], entry))


def _is_pair(entry: Any) -> bool:
    return type(entry) in {list, tuple} and len(entry) == _PAIR and isinstance(entry[0], str | bytes)


def _is_variable(value: Mapping[Any, Any]) -> bool:
    """Whether this is a stored Haystack `Secret` that names environment variables."""
    return value.get("type") == "env_var" and value.keys() <= _ENV


def _variables(value: Mapping[Any, Any]) -> Any:
    """A `Secret` with its names; what is not the name of a variable is taken for the key itself."""
    names = value.get("env_vars") or []
    listed = names if isinstance(names, list | tuple) else [names]
    if all(isinstance(name, str) and is_variable(name) for name in listed):
        return value
    keys = [str(name) for name in listed if not is_variable(str(name))]
    for key in keys:
        remember(key)
    return {**value, "env_vars": [fingerprint(str(name)) if str(name) in keys else name for name in listed]}


def is_variable(name: str) -> bool:
    """Whether a text names an environment variable: one that is set, or capitals with an underscore.

    A key that is given in the place of its variable's name is neither.

    >>> is_variable("MY_KEY"), is_variable("abcKEY12345xyz")
    (True, False)
    """
    return name in os.environ or _VARIABLE.fullmatch(name) is not None


def _redacted_text(text: str) -> str:
    """Redact a string that is a URL or a credential as a whole; in prose, only URLs with user information."""
    if _SCHEME.fullmatch(text) or _PREFIXED.fullmatch(text):
        remember(text)
        return fingerprint(text)
    text = without_secrets(text)
    if _ADDRESS.fullmatch(text):
        return _redacted_address(text)
    return _unless_equal(redacted_urls_in(text, fingerprint, whole_query=False), text)


def _redacted_address(url: str) -> str:
    """Redact a URL, and keys in its path, where some gateways expect them."""
    shown = redacted_url(url, fingerprint, whole_query=True)
    for match in _PREFIXED.finditer(shown):
        remember(match[0])
    shown = _PREFIXED.sub(lambda match: fingerprint(match[0]), shown)
    return _unless_equal(
        redacted_path(shown, fingerprint) if "://" not in shown or _WEB.match(shown) else shown, url
    )


def _unless_equal(text: str, before: str) -> str:
    """The original object if nothing was redacted: callers compare by identity."""
    return before if text == before else text


def _text(name: Any) -> str:
    return name.decode(errors="replace") if isinstance(name, bytes) else str(name)
