"""JSON as RFC 8259 defines it, without what Python's reader accepts in addition."""

import json
import re
from collections.abc import Iterator
from typing import Any, Literal

Extract = Literal["whole", "fence", "first"]
"""Part of a text that must be JSON: all of it, its first fenced block, or its first object or list."""
_OPENING = re.compile(r"\{(?=\s*+[\"}])|\[(?=\s*+[\[\]{\"\-\dtfnNI])")
"""A bracket that may start an object or a list; skips those of prose and formulas."""
_ATTEMPTS = 1000
"""An error takes time in proportion to its place, so the attempts at one text are limited."""
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_LONGEST_INT = 4000  # digits; Python refuses to convert texts of more than 4300


class InvalidJsonError(ValueError):
    """Why a text is not JSON."""


def read_json(text: str, extract: Extract = "whole") -> Any:
    """Return the value of a JSON text.

    Integers of more than 4000 digits become floats.

    Raises:
        InvalidJsonError: for anything that RFC 8259 does not allow, a byte order mark, and repeated keys,
            which readers resolve in different ways.

    >>> read_json('Here: {"a": [1, 2]}', "first")
    {'a': [1, 2]}
    """
    if extract == "first":
        return _first(text)
    return _whole(_fenced(text) if extract == "fence" else text)


def _whole(text: str) -> Any:
    if text.startswith("\ufeff"):
        raise InvalidJsonError("starts with a byte order mark")
    if not text.strip():
        raise InvalidJsonError("is empty")
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        raise InvalidJsonError(_located(error)) from None
    except RecursionError:
        raise InvalidJsonError("is nested too deeply") from None


def _first(text: str) -> Any:
    """The first complete object or list; after a failed attempt, reading continues where it failed."""
    problem = "has no object or list"
    end = 0
    for _ in range(_ATTEMPTS):
        start = _OPENING.search(text, end)
        if start is None:
            break
        try:
            return _DECODER.raw_decode(text, start.start())[0]
        except json.JSONDecodeError as error:
            problem = _located(error)
            end = max(error.pos, start.end())
        except RecursionError:
            raise InvalidJsonError("is nested too deeply") from None
    raise InvalidJsonError(problem)


def _fenced(text: str) -> str:
    lines = iter(text.split("\n"))
    for line in lines:
        if fence := _FENCE.match(line):
            return "\n".join(_until(fence[1], lines))
    raise InvalidJsonError("has no fenced block")


def _until(fence: str, lines: Iterator[str]) -> Iterator[str]:
    for line in lines:
        if line.strip().startswith(fence):
            return
        yield line
    raise InvalidJsonError("has a fenced block without an end")


def _located(error: json.JSONDecodeError) -> str:
    return f"line {error.lineno}, column {error.colno}: {error.msg[:1].lower()}{error.msg[1:]}"


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    entries = dict(pairs)
    if len(entries) < len(pairs):
        names = [name for name, _ in pairs]
        repeated = next(name for name in names if names.count(name) > 1)
        raise InvalidJsonError(f"the key {repeated!r} is repeated")
    return entries


def _constant(text: str) -> float:
    raise InvalidJsonError(f"{text} is not a JSON value")


def _integer(text: str) -> int | float:
    return int(text) if len(text) <= _LONGEST_INT else float(text)


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_constant, parse_int=_integer)
