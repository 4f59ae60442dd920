"""Statistics of many items in blocks of equally many items."""

from collections.abc import Iterable, Iterator, Mapping, Sequence

from thresher.results.statistics import Statistics

Blocks = Mapping[int, Statistics]
"""Statistics of the same items by number of the result."""


def in_blocks(
    pieces: Iterable[Blocks], size: int | None = None
) -> Iterator[tuple[slice, dict[int, Statistics]]]:
    """Yield statistics in blocks of equally many items; the last one may have fewer.

    Args:
        pieces: the statistics of consecutive items, any number at a time.
        size: items of a block; default: `Statistics.BLOCK`.

    Yields:
        Positions of the items, and their statistics.

    >>> pieces = [{0: Statistics({"score": [1, 2, 3]})}, {0: Statistics({"score": [4, 5]})}]
    >>> [(rows.start, blocks[0]["score"].tolist()) for rows, blocks in in_blocks(pieces, 2)]
    [(0, [1, 2]), (2, [3, 4]), (4, [5])]
    """
    size = size or Statistics.BLOCK
    start, waiting, pending = 0, 0, list[Blocks]()
    for piece in pieces:
        pending.append(piece)
        waiting += _size(piece)
        if waiting < size:
            continue
        together = _together(pending)
        for low in range(0, waiting - size + 1, size):
            yield slice(start, start + size), _section(together, slice(low, low + size))
            start += size
        whole, waiting = waiting, waiting % size
        pending = [_section(together, slice(whole - waiting, whole))] if waiting else []
    if waiting:
        yield slice(start, start + waiting), _together(pending)


def _size(blocks: Blocks) -> int:
    return next(iter(blocks.values())).size


def _together(pieces: Sequence[Blocks]) -> dict[int, Statistics]:
    if len(pieces) == 1:
        return dict(pieces[0])
    return {number: Statistics.concatenate([piece[number] for piece in pieces]) for number in pieces[0]}


def _section(blocks: dict[int, Statistics], rows: slice) -> dict[int, Statistics]:
    if rows == slice(0, _size(blocks)):
        return blocks
    return {number: block.section(rows) for number, block in blocks.items()}
