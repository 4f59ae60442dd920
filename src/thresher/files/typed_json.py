"""Fast parsing of JSON whose fields are declared, for large files of a known form.

msgspec compares the input with the declared types while it parses, and makes no dictionaries. It is stricter
than `parse_json` (no NaN, no 1.0 where an integer is declared), and its errors name neither line nor remedy.
So whatever it refuses is parsed again by `parse_json`, which decides whether the file is refused, and how.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from types import GenericAlias
from typing import Any

import numpy as np

from thresher.files.limits import current_limits

_BLOCK = 1 << 20
"""Bytes parsed at a time: a block stays in the processor's cache, and its objects need little memory."""
_BETWEEN = re.compile(rb"\}[ \t\n\r]*,[ \t\n\r]*(?=\{)")
_BLANK = b" \t\n\r"
_NOT_BRACKETS = bytes(set(range(256)) - set(b"[]{}"))
_DIGITS_AS_ZERO = bytes.maketrans(b"123456789", b"000000000")
_LONG_NUMBER = b"0" * 309
_STEPS = np.zeros(256, np.int8)
_STEPS[[ord("["), ord("{")]] = 1
_STEPS[[ord("]"), ord("}")]] = -1


class UnexpectedFormError(Exception):
    """The input is malformed, or not of the declared form."""


@cache
def parser() -> Any:
    """Return msgspec; None without it, as it is compiled and for CPython only."""
    return import_module("msgspec") if find_spec("msgspec") else None


def json_fields(content: bytes) -> dict[str, bytes]:
    """The fields of a JSON object, each as JSON. Texts inside are not decoded.

    Raises:
        UnexpectedFormError: for anything else, and for bytes that are not UTF-8.
    """
    _check_input(content)
    return {name: bytes(part) for name, part in _decode(_fields_decoder(), content).items()}


def json_objects(
    content: bytes, fields: Sequence[tuple[Any, ...]], *, exact: bool = False
) -> Iterator[list[Any]]:
    """Yield the objects of a JSON list in blocks, with the declared fields as attributes.

    Args:
        content: the list.
        fields: name, type and perhaps default of each field.
        exact: whether other fields are unexpected; otherwise they are ignored.

    Raises:
        UnexpectedFormError: for anything else than a list of objects with these fields, for bytes that are
            not UTF-8, and for input that may exceed the limits on nesting and digits.
    """
    _check_input(content)
    decoder = _objects_decoder(tuple(fields), exact=exact)
    for block in _blocks(content):
        if not exact:  # declared types have a depth, and numbers that are too long raise
            check_depth(block)
        yield _decode(decoder, block)


def json_texts(content: bytes) -> list[bytes]:
    """The entries of a JSON list, each as JSON. Texts inside are not decoded.

    Raises:
        UnexpectedFormError: for anything else, and for bytes that are not UTF-8.
    """
    _check_input(content)
    return list(map(bytes, _decode(_texts_decoder(), content)))


def check_depth(content: bytes) -> None:
    """Raise UnexpectedFormError if JSON may exceed the limits on nesting or digits, which msgspec lacks."""
    steps = _STEPS[np.frombuffer(content.translate(None, _NOT_BRACKETS), np.uint8)]
    # The content may be inside of one more list or object of the file.
    if len(steps) and np.cumsum(steps, dtype=np.int32).max() >= current_limits().nesting:
        raise UnexpectedFormError("many levels of lists and objects")
    if _LONG_NUMBER in content.translate(_DIGITS_AS_ZERO):
        raise UnexpectedFormError("many digits")


def _blocks(content: bytes) -> Iterator[bytes]:
    """Split a JSON list of objects into shorter ones.

    A cut inside an object or a text leaves something before it that is not JSON. So if all blocks can be
    parsed, they are the list.
    """
    start, end = content.find(b"[") + 1, content.rfind(b"]")
    if not 0 < start <= end or content[: start - 1].strip(_BLANK) or content[end + 1 :].strip(_BLANK):
        raise UnexpectedFormError("not a list")
    while True:
        cut = _BETWEEN.search(content, start + _BLOCK, end)
        yield b"[%b]" % content[start : cut.start() + 1 if cut else end]
        if cut is None:
            return
        start = cut.end()


def _decode(decoder: Any, content: bytes) -> Any:
    try:
        return decoder.decode(content)
    except (parser().MsgspecError, RecursionError) as error:
        raise UnexpectedFormError(str(error)) from None


@cache
def _fields_decoder() -> Any:
    return parser().json.Decoder(GenericAlias(dict, (str, parser().Raw)))


@cache
def _texts_decoder() -> Any:
    return parser().json.Decoder(GenericAlias(list, (parser().Raw,)))


@cache
def _objects_decoder(fields: tuple[tuple[Any, ...], ...], *, exact: bool) -> Any:
    options = {"kw_only": True, "gc": False, "forbid_unknown_fields": exact}
    kind: Any = parser().defstruct("Object", fields, **options)
    return parser().json.Decoder(GenericAlias(list, (kind,)))


def _check_input(content: bytes) -> None:
    """Raise without msgspec, and for bytes that are not UTF-8: it does not check the texts that it skips."""
    if parser() is None:
        raise UnexpectedFormError("msgspec is not installed")
    try:
        _ = content.isascii() or content.decode()
    except UnicodeDecodeError as error:
        raise UnexpectedFormError(str(error)) from None
