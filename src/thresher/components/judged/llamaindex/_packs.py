"""Contexts in packs that fit the context window of a judge."""

import re
from collections.abc import Iterator, Sequence
from typing import Annotated

from thresher.metrics import at_least

TokenBudget = Annotated[int, at_least(16)]
_BYTES_A_TOKEN = 4
"""Usual estimate for English. Scripts with two or three bytes per letter count more, as in tokenizers."""
_BREAKS = (r"(?<=[.!?。！？])\s+", r"\s+")  # noqa: RUF001  (full stops of Chinese and Japanese)
"""Where a passage that is too long is split: between sentences, else between words."""


def tokens(text: str) -> int:
    """Return the approximate number of tokens of a text, without a tokenizer.

    >>> tokens("twelve bytes")
    3
    """
    return -(-len(text.encode("utf-8", "surrogatepass")) // _BYTES_A_TOKEN)


def packs(contexts: Sequence[str], budget: int) -> list[dict[str, str]]:
    """Return contexts in their order, packed within the budget; at least one pack.

    A context that is too long for a pack is split between sentences; its parts are numbered 2.1, 2.2, ...

    Args:
        contexts: the passages.
        budget: highest number of tokens of a pack, as `tokens` counts.

    >>> packs(["one two", "three four", "five"], budget=4)
    [{'1': 'one two'}, {'2': 'three four', '3': 'five'}]
    """
    packed: list[dict[str, str]] = [{}]
    room = budget
    for id_, part in _parts(contexts, budget):
        size = tokens(part)
        if size > room and packed[-1]:
            packed.append({})
            room = budget
        packed[-1][id_] = part
        room -= size
    return packed


def _parts(contexts: Sequence[str], budget: int) -> Iterator[tuple[str, str]]:
    for place, context in enumerate(contexts, 1):
        pieces = _cut(context, budget)
        for part, piece in enumerate(pieces, 1):
            yield (str(place) if len(pieces) == 1 else f"{place}.{part}"), piece


def _cut(text: str, budget: int) -> list[str]:
    """Split a text into pieces within the budget: sentences, else words, else letters."""
    if tokens(text) <= budget:
        return [text]
    for pattern in _BREAKS:
        parts = [part for part in re.split(pattern, text) if part]
        if len(parts) > 1:
            return _joined([piece for part in parts for piece in _cut(part, budget)], budget)
    return [text[start : start + budget] for start in range(0, len(text), budget)]


def _joined(pieces: Sequence[str], budget: int) -> list[str]:
    """Join neighbouring pieces as long as they fit."""
    whole: list[str] = []
    for piece in pieces:
        if whole and tokens(f"{whole[-1]} {piece}") <= budget:
            whole[-1] += f" {piece}"
        else:
            whole.append(piece)
    return whole
