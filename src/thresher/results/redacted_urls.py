"""Redaction of URLs: user information and values of the query."""

import re
from collections.abc import Callable
from urllib.parse import unquote, unquote_plus

from thresher.known_secrets import remember, remember_likely
from thresher.results.credential_names import is_credential

Fingerprint = Callable[[str], str]

_URL = re.compile(r"[A-Za-z][\w+.-]{0,30}://[^\s<>\"]+?(?=[.,;:!)'\]]*(?:[\s<>\"]|$))")
"""A URL in a text, without the punctuation after it. The bound keeps a search in long words linear."""
_USER = re.compile(
    r"(?P<before>^(?:[A-Za-z][\w+.-]*:)?//|^(?![A-Za-z][\w+.-]*://))"
    r"(?P<user>[^\s/?#]*|[^\s/?#@:]*:(?!\d+(?:[/?#]|$))[^\s@]*)@"
)
"""The second form is a password with an unencoded `/`, `?` or `#`: no port follows the colon."""
_SEPARATOR = re.compile(r"([&;#?])")
_WORD = re.compile(
    r"[a-z]{0,15}|[A-Z]?[a-z]{1,14}|[A-Z]{1,6}|[a-z]{0,9}\d{1,4}[a-z]{0,5}|\d{1,4}[A-Z]{1,2}|\d{1,8}"
)
"""A part of a segment of a path that is not a key."""


def redacted_path(url: str, fingerprint: Fingerprint) -> str:
    """Replace the segments of the path that are not words, where gateways expect their key.

    Words are runs of small letters, with a few digits at most: `v1beta`, `openai`, `gpt-4o-mini`. Every other
    segment counts as a key: a name in mixed letters loses only its legibility.

    >>> redacted_path("https://host/v1/acc0unt1x9Zk/gpt-4o-mini", lambda text: "***")
    'https://host/v1/***/gpt-4o-mini'
    """
    scheme, separator, rest = url.partition("://")
    place, slash, path = (rest if separator else scheme).partition("/")
    end = re.search(r"[?#]", path)
    path, query = (path, "") if end is None else (path[: end.start()], path[end.start() :])
    segments = [_segment(segment, fingerprint) for segment in path.split("/")]
    return f"{scheme + separator if separator else ''}{place}{slash}{'/'.join(segments)}{query}"


def redacted_url(url: str, fingerprint: Fingerprint, *, whole_query: bool) -> str:
    """Replace the credentials of a URL by fingerprints.

    Args:
        url: the URL, with or without a scheme.
        fingerprint: returns the replacement of a credential.
        whole_query: redact every value of query and fragment, not only those named like a credential: some
            servers take their key as `code` or `u`.
    """
    url = _USER.sub(lambda match: f"{match['before']}{_user(match['user'], fingerprint)}@", url, count=1)
    start = re.search(r"[?#]", url)
    if start is None:
        return url
    pieces = _SEPARATOR.split(url[start.start() :])
    values = [_redacted_pair(piece, fingerprint, whole_query=whole_query) for piece in pieces]
    return url[: start.start()] + "".join(values)


def redacted_urls_in(text: str, fingerprint: Fingerprint, *, whole_query: bool) -> str:
    """Replace the credentials of all URLs in a text; arguments as for `redacted_url`."""
    return _URL.sub(lambda match: redacted_url(match[0], fingerprint, whole_query=whole_query), text)


def _segment(segment: str, fingerprint: Fingerprint) -> str:
    runs = re.split(r"[-_.:@~+]", unquote(segment))
    if segment.startswith("<redacted:") or all(_WORD.fullmatch(run) for run in runs):
        return segment
    remember_likely(unquote(segment))
    return fingerprint(segment)


def _user(text: str, fingerprint: Fingerprint) -> str:
    """The replacement of user information; it is sent in base64, without the escapes of URLs."""
    remember(unquote(text))
    remember(unquote(text.partition(":")[2]))
    return fingerprint(text)


def _redacted_pair(piece: str, fingerprint: Fingerprint, *, whole_query: bool) -> str:
    name, equals, value = piece.partition("=")
    if value and (whole_query or is_credential(name)):
        (remember if is_credential(name) else remember_likely)(unquote_plus(value))
        return f"{name}={fingerprint(value)}"
    if whole_query and not equals and _SEPARATOR.fullmatch(piece) is None and piece:
        remember_likely(unquote_plus(piece))
        return fingerprint(piece)
    return piece
