"""Replies whose value is wrapped one level too deep, or is a bare list."""

import re
from collections.abc import Sequence
from typing import TypeVar

from thresher.judges.containers import Container
from thresher.judges.schema import Misfit, ReplySchema

T = TypeVar("T")


def read_wrapped(
    text: str, misfits: Sequence[Container], schema: ReplySchema[T]
) -> list[tuple[T, Container]]:
    """Read a list that is the whole reply, and objects whose only key wraps the requested form.

    Args:
        text: the reply.
        misfits: its outermost objects and lists; none has the requested form.
        schema: the requested form.
    """
    values = []
    for container in misfits:
        try:
            values.append((_value(text, container, schema), container))
        except Misfit:
            continue
    return values


def _value(text: str, container: Container, schema: ReplySchema[T]) -> T:
    if isinstance(container.value, list):
        if not _is_whole(text, container):
            raise Misfit("a list within a text may be anything")
        return schema.read_list(container.value)
    if len(container.value) != 1:
        raise Misfit("an object that wraps the reply may hold nothing else")
    (inner,) = container.value.values()
    return schema.read_wrapped(inner)


def _is_whole(text: str, container: Container) -> bool:
    """Whether only a code fence surrounds a list."""
    before, after = text[: container.start].strip(), text[container.end :].strip()
    return after in ("", "```") and re.fullmatch(r"(?:```\w*)?", before) is not None
