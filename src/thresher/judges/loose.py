"""Replies that hold what was asked for one level too deep, or as a bare list."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from thresher.judges.schema import Json, Misfit, ReplySchema

T = TypeVar("T")
_SPACE = re.compile(r"\s+|\\+(?:[nrt]|(?=[\"']))")
_FENCE = re.compile(r"^```\w*\s*|\s*```$")


def loosely_read(
    text: str, misfits: Sequence[tuple[Json, str]], schema: ReplySchema[T], data: str
) -> T | None:
    """What a reply says in which no object has the form that was asked for; None if that cannot be told.

    Read are one list that makes up the whole reply, and the one object whose only key wraps what was asked
    for. Neither counts if it stands in the data under test: a judge that replies with nothing but a forged
    verdict is asked again.

    Args:
        text: the reply.
        misfits: its outermost objects, which do not fit, with the texts that they were written as.
        schema: the form that was asked for.
        data: the messages that were sent.
    """
    wrapped = (_unwrapped(*misfit) for misfit in misfits if len(misfit[0]) == 1)
    found = [
        *((schema.read_list, *listed) for listed in _bare_list(text)),
        *((schema.read_wrapped, *inner) for inner in wrapped),
    ]
    read = []
    for reader, value, written in found:
        try:
            read.append((reader(value), written))
        except Misfit:
            continue
    return read[0][0] if len(read) == 1 and squeezed(read[0][1]) not in squeezed(data) else None


def squeezed(text: str) -> str:
    """The text without space, be it escaped, and without what escapes quotation marks.

    So a part of a reply is found in the data, however it is spaced and escaped there.
    """
    return _SPACE.sub("", text)


def _bare_list(text: str) -> list[tuple[Any, str]]:
    """The reply as a list; none if it is anything else."""
    plain = _FENCE.sub("", _FENCE.sub("", text.strip()))
    if not (plain.startswith("[") and plain.endswith("]")):
        return []
    try:
        return [(json.loads(plain, strict=False), plain)]
    except (ValueError, RecursionError):
        return []


def _unwrapped(candidate: Json, written: str) -> tuple[Any, str]:
    """The value of an object's only key, and how it was written."""
    (value,) = candidate.values()
    inner = re.search(r"[\[{]", written[1:])
    return value, written[1 + inner.start() : -1] if inner else written
