"""Values of secrets that this process knows, and texts without them.

Names and forms of credentials do not catch everything: a server may repeat a key in its answer. So each
secret is remembered when it is resolved or recognised, and removed from every text that is stored or shown.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from html import escape, unescape
from typing import Any
from urllib.parse import quote, quote_plus

_SHORTEST = 6
"""Characters of the shortest secret that is removed; shorter ones occur in texts by chance."""
_LONGEST_WORD = 7
"""Letters of a value that is taken for a word, such as `secret`, which would be removed from every text."""
_SHORTEST_NUMBER = 10
"""Digits of the shortest number that is removed: shorter ones occur in the scores of a large report."""
_FEWEST_CHARACTERS = 4
_BYTES = frozenset(range(256))
"""Different characters of a secret: `000000` and `xxxxxxxx` occur in numbers, rulers and examples."""
_PLACEHOLDERS = frozenset(
    {
        "ollama",
        "lm-studio",
        "not-needed",
        "no-key",
        "no-key-required",
        "sk-no-key-required",
        "dummy",
        "unused",
        "anything",
        "changeme",
        "password",
        "placeholder",
        "undefined",
        "whatever",
    }
)
"""Keys of local servers that check none; as words they occur in texts."""
_SCHEME = re.compile(r"(?i)(bearer|basic|token|apikey|api-key)\s+(\S.*)", re.DOTALL)
_LEAST_LIKELY = 8
_DATED = re.compile(r"v?\d[\d.-]*(?:-?(?:preview|alpha|beta|rc)\d*)?")
_SEPARATOR = re.compile(r"[\s;,]+")
_GAP = re.compile(r"\s|(?i:\\u(?:00ad|200[bcd]|2060|feff))|\\[nrt]?|[\u00ad\u200b-\u200d\u2060\ufeff]")
"""White space and unseen characters, as they are or as JSON escapes them, and a backslash before a quote."""
_SIGN = re.compile(r"[^\w\s\\\u00ad\u200b-\u200d\u2060\ufeff]|_|(?<![0-9a-z])0x", re.IGNORECASE)
"""What else may be between the letters or bytes of a key. No gap matches it: two ways would take for ever."""
_BETWEEN = re.compile(f"{_GAP.pattern}|{_SIGN.pattern}", re.IGNORECASE)
_ESCAPE = re.compile(r"(?i)(?:%|\\u00|\\x|&#x0*)([0-9a-f]{2});?|&#0*(\d{2,3});|&(?:quot|amp|lt|gt|apos);")
"""A character as URLs, JSON, Python and HTML may write any of them."""
_NOT_DIGITS = r"\D{1,9}"
_WHOLE = re.compile(r"<redacted:[0-9a-f]{4}>")
_CHARACTERS = 4
_BYTES = frozenset(range(256))
_lock = threading.Lock()
_known: dict[str, None] = {}


def fingerprint(text: str) -> str:
    """Return the replacement of a credential, such as `<redacted:3f9a>`.

    The four characters are 16 bits of a SHA-256: enough to notice a changed credential (all but one change in
    65,536), and too few to confirm a guess (one wrong guess in 65,536 has the same fingerprint). Fingerprints
    have no salt, because a continued run must have the same fingerprints.
    """
    if _WHOLE.fullmatch(text):
        return text
    return f"<redacted:{hashlib.sha256(text.encode(errors='replace')).hexdigest()[:_CHARACTERS]}>"


def remember(value: str) -> None:
    """Remove a secret from every later text; in `Bearer KEY` or `Basic PAIR`, also the key or pair.

    Values that texts may contain by chance are not remembered: values of fewer than six characters or fewer
    than four different characters, words of up to seven letters, numbers of fewer than ten digits, and
    placeholders that local servers accept instead of a key.
    """
    scheme = _SCHEME.fullmatch(value.strip())
    new = [part for part in (value.strip(), *(_parts(scheme) if scheme else ())) if _is_distinct(part)]
    if any(part not in _known for part in new):
        with _lock:
            _known.update(dict.fromkeys(new))
            _pattern.cache_clear()
            _respelled.cache_clear()


def remember_named(value: str) -> None:
    """Remember a value whose name is a credential's; of several words, only the likely secrets."""
    if _SCHEME.fullmatch(value.strip()) or not _SEPARATOR.search(value):
        remember(value)
    else:
        remember_likely(value)


def remember_likely(value: str) -> None:
    """Remember the words of a value that look like secrets: not like words, versions or dates.

    A `token` is also a piece of a reply, as in log-probabilities.
    """
    for word in _SEPARATOR.split(value):
        part = word.partition("=")[2] or word
        if _is_mixed(part) and not _DATED.fullmatch(part):
            remember(part)


def without_secrets(text: str) -> str:
    """Replace every known secret, also as JSON, URLs, HTML and base64 write it, by its fingerprint.

    >>> remember("hunter2-and-more")
    >>> without_secrets("the key hunter2-and-more is wrong").startswith("the key <redacted:")
    True
    """
    compiled = _pattern() if _known else None
    # Searching for each form is far quicker than matching their pattern, and few texts contain a secret.
    if compiled is None or not any(form in text for form in compiled[1]):
        return text
    pattern, written = compiled
    return pattern.sub(lambda match: fingerprint(written[match[0]]), text)


def known_forms() -> list[bytes]:
    """How the known secrets are written, in UTF-8: a search in bytes shows whether a text has any."""
    compiled = _pattern() if _known else None
    return [] if compiled is None else [form.encode(errors="replace") for form in compiled[1]]


def without_secrets_in(value: Any) -> Any:
    """Replace every known secret in all texts of plain data, at any depth and in keys too.

    For what a server answers: it may repeat a key in any field, broken into lines or in another letter case.

    Args:
        value: dicts, lists, tuples, strings; other objects are returned unchanged.
    """
    if isinstance(value, str):
        return without_respelled_secrets(value)
    if isinstance(value, dict):
        return {without_secrets_in(key): without_secrets_in(entry) for key, entry in value.items()}
    if type(value) in (list, tuple):
        return type(value)(map(without_secrets_in, value))
    return value


def without_respelled_secrets(text: str) -> str:
    r"""Also replace known secrets that a message breaks into lines, escapes, or writes in other letter case.

    Signs may be between the letters too, or between their codes in hex or decimals. Only secrets that look
    like keys count: data would lose `what ever` otherwise.

    >>> remember("Zx9-Key-77Qw")
    >>> without_respelled_secrets("wrong key: zx9-key-\n  77qw").startswith("wrong key: <redacted:")
    True
    >>> without_respelled_secrets("5A:78:39:2D:4B:65:79:2D:37:37:51:77").startswith("<redacted:")
    True
    """
    text = without_secrets(text)
    respelled = _respelled() if _known else ()
    letters = _letters(text) if respelled else ""  # matching each pattern takes far longer
    for value, spelled, pattern in respelled:
        if spelled in letters:
            text = pattern.sub(fingerprint(value), text)
    return text


def without_spelled_secrets(data: Any) -> None:
    """Remove known secrets that a field spells in pieces over the entries of lists, such as streamed chunks.

    The first piece becomes the text without the secret, and the others become empty.

    Args:
        data: dicts and lists, which are changed; a list of integers up to 255 counts as a text.
    """
    for pieces in _pieces(data).values():
        whole = "".join(text for _, _, text in pieces)
        clean = without_respelled_secrets(whole)
        for holder, place, _ in pieces if clean != whole else ():
            holder[place] = clean if isinstance(holder[place], str) else []
            clean = ""


def _pieces(data: Any) -> dict[tuple[str, ...], list[tuple[Any, Any, str]]]:
    """Names of the fields that lead to texts -> holder, place and text of each."""
    found: dict[tuple[str, ...], list[tuple[Any, Any, str]]] = {}

    def search(holder: Any, place: Any, path: tuple[str, ...]) -> None:
        value = holder[place]
        if isinstance(value, str):
            found.setdefault(path, []).append((holder, place, value))
        elif isinstance(value, list) and value and all(type(entry) is int for entry in value):
            text = "".join(map(chr, value)) if set(value) <= _BYTES else ""
            found.setdefault(path, []).append((holder, place, text))
        elif isinstance(value, dict):
            for name in value:
                search(value, name, (*path, name))
        elif isinstance(value, list):
            for number in range(len(value)):
                search(value, number, path)

    search([data], 0, ())
    return found


def scrub(error: BaseException) -> None:
    """Remove known secrets from the messages of an exception and of its causes, which tracebacks show.

    Exceptions that cannot be changed stay as they are: whoever stores or shows their texts cleans these.
    """
    seen: set[int] = set()
    link: BaseException | None = error
    while link is not None and id(link) not in seen:
        seen.add(id(link))
        for name in ("args", "message", "body"):
            with suppress(Exception):  # frozen, or a property of its class
                value: Any = getattr(link, name, None)
                clean = tuple(map(_clean, value)) if name == "args" else _clean(value)
                if clean != value:
                    setattr(link, name, clean)
        link = link.__cause__ or link.__context__


def _clean(value: Any) -> Any:
    """A text without secrets; other values, and texts without any, as the same object."""
    clean = without_respelled_secrets(value) if isinstance(value, str) else value
    return value if clean == value else clean


def _is_mixed(value: str) -> bool:
    """Whether a value has letters and digits, or small and capital letters, and is long enough for a key."""
    kinds = (str.isdigit, str.islower, str.isupper)
    return len(value) >= _LEAST_LIKELY and sum(any(map(kind, value)) for kind in kinds) > 1


def _is_distinct(value: str) -> bool:
    one_case = value.islower() or value.isupper() or value.istitle()
    is_word = value.isalpha() and one_case and len(value) <= _LONGEST_WORD
    is_number = value.isdigit() and len(value) < _SHORTEST_NUMBER
    varied = len(value) >= _SHORTEST and len(set(value)) >= _FEWEST_CHARACTERS
    known = value.casefold() in _PLACEHOLDERS or _WHOLE.search(value) is not None
    return varied and not (is_word or is_number or known)


def _parts(scheme: re.Match[str]) -> Iterator[str]:
    """The value after the scheme; of a pair in base64, its password too."""
    yield scheme[2]
    if scheme[1].lower() == "basic":
        try:
            user, _, password = base64.b64decode(scheme[2], validate=True).decode().partition(":")
        except ValueError:
            return
        yield from (password, f"{user}:{password}")


@lru_cache(maxsize=1)
def _pattern() -> tuple[re.Pattern[str], dict[str, str]] | None:
    """A pattern of all written forms, the longest first, and the secret that each form writes."""
    with _lock:
        written = {form: value for value in _known for form in _forms(value) if len(form) >= _SHORTEST}
    if not written:
        return None
    forms = sorted(written, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, forms))), written


@lru_cache(maxsize=1)
def _respelled() -> tuple[tuple[str, str, re.Pattern[str]], ...]:
    """Each secret that looks like a key, its letters, and their pattern with gaps, escapes and any case."""
    with _lock:
        keys = [value for value in _known if _is_mixed(value)]
    patterns = []
    for value in keys:
        data = value.encode(errors="replace")
        decimals = list(map(str, data))
        spellings = (
            (value, _spelled(value)),
            (data.hex(), f"(?:{_BETWEEN.pattern})*".join(f"{byte:02x}" for byte in data)),
            ("".join(decimals), rf"(?<!\d){_NOT_DIGITS.join(decimals)}(?!\d)"),
        )
        patterns += [(value, _letters(text), re.compile(form, re.IGNORECASE)) for text, form in spellings]
    return tuple(patterns)


def _spelled(value: str) -> str:
    """A pattern of a key with gaps, and between enough letters with any signs."""
    letters = [letter for letter in value if letter.isalnum()]
    if len(letters) < _LEAST_LIKELY:
        return f"(?:{_GAP.pattern})*".join(map(_spellings, _GAP.sub("", value)))
    escapes = [_escapes(sign) for sign in sorted({*value} - {*letters})]
    return f"(?:{'|'.join([_BETWEEN.pattern, *escapes])})*".join(map(_spellings, letters))


def _letters(text: str) -> str:
    """The text without gaps, signs and escapes, in small letters."""
    return _BETWEEN.sub("", _ESCAPE.sub(_unescaped, text)).casefold()


def _unescaped(match: re.Match[str]) -> str:
    return chr(int(match[1], 16)) if match[1] else unescape(match[0])


def _spellings(letter: str) -> str:
    """A pattern of a character, as it is or as one of its escapes."""
    return f"(?:{re.escape(letter)}|{_escapes(letter)})"


def _escapes(letter: str) -> str:
    code, name = ord(letter), escape(letter)
    named = f"|{re.escape(name)}" if name != letter else ""
    return rf"(?:%|\\u00|\\x|&#x0*){code:02x};?+|&#0*{code};{named}"


def _forms(value: str) -> Iterator[str]:
    """How a value is written in a text, JSON (in JSON too), a URL, HTML, hex, and base64 at any offset."""
    yield from (value, json.dumps(value, ensure_ascii=False)[1:-1])
    in_json = json.dumps(value)[1:-1]
    yield from (in_json, json.dumps(in_json)[1:-1])
    yield from (quote(value, safe=""), quote(value), quote_plus(value), escape(value), repr(value)[1:-1])
    data = value.encode(errors="replace")
    yield from (data.hex(), data.hex().upper())
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        for offset in range(3):
            first, last = -(-offset * 4 // 3), (offset + len(data)) * 4 // 3
            yield encode(b"\0" * offset + data).decode().rstrip("=")[first : last // 4 * 4]
