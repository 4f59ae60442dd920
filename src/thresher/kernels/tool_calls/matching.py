"""Matching of made calls with expected ones: in any order, in their order, or position by position.

All three return the sum of the similarities of the matched pairs, so one kernel gives precision, recall and
F1 of calls, the similarity of their arguments and the comparison of whole trajectories.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Literal

from thresher.conversations.message import ToolCall

Order = Literal["any", "ordered", "positions"]
Similarity = Callable[[ToolCall, ToolCall], float]
"""Made call, expected call -> similarity from 0 to 1."""


def matched_keys(called: Sequence[Hashable], expected: Sequence[Hashable], order: Order) -> float:
    """Greatest number of pairs of equal keys.

    Args:
        called: one key per call that was made; calls match if their keys are equal.
        expected: one key per expected call.
        order: `any`: each call in at most one pair; `ordered`: the pairs are in the order of both lists;
            `positions`: the calls of a pair have one position.

    >>> [matched_keys("abc", "cab", order) for order in ("any", "ordered", "positions")]
    [3.0, 2.0, 0.0]
    """
    if called == expected:
        return float(len(called))
    if order == "any":
        return float((Counter(called) & Counter(expected)).total())
    if order == "ordered":
        from rapidfuzz.distance import LCSseq

        return float(LCSseq.similarity(*_numbered(called, expected)))
    return float(sum(first == second for first, second in zip(called, expected, strict=False)))


def matched_calls(
    called: Sequence[ToolCall], expected: Sequence[ToolCall], order: Order, similarity: Similarity
) -> float:
    """Greatest sum of similarities of pairs; calls of different tools are never a pair.

    Args:
        called: the calls that were made.
        expected: the expected calls.
        order: as in `matched_keys`.
        similarity: of two calls of one tool.
    """
    if order == "any":
        places = _by_tool(called)
        groups = ((calls, places.get(name, ())) for name, calls in _by_tool(expected).items())
        return sum(_assigned(_table(made, calls, similarity)) for calls, made in groups if made)
    if order == "ordered":
        return _subsequence(_table(called, expected, similarity))
    pairs = zip(called, expected, strict=False)
    return sum(similarity(first, second) for first, second in pairs if first.name == second.name)


def _numbered(*sequences: Sequence[Hashable]) -> list[list[int]]:
    numbers: dict[Hashable, int] = {}
    return [[numbers.setdefault(key, len(numbers)) for key in sequence] for sequence in sequences]


def _by_tool(calls: Sequence[ToolCall]) -> Mapping[str, list[ToolCall]]:
    groups: dict[str, list[ToolCall]] = {}
    for call in calls:
        groups.setdefault(call.name, []).append(call)
    return groups


def _table(
    called: Sequence[ToolCall], expected: Sequence[ToolCall], similarity: Similarity
) -> list[list[float]]:
    """One row per made call, one column per expected call."""
    return [
        [similarity(call, other) if call.name == other.name else 0.0 for other in expected] for call in called
    ]


def _assigned(table: list[list[float]]) -> float:
    """The greatest sum of entries such that no two share a row or a column."""
    if len(table) == 1:
        return max(table[0])
    if len(table[0]) == 1:
        return max(row[0] for row in table)
    from scipy.optimize import linear_sum_assignment

    rows, columns = linear_sum_assignment(table, maximize=True)
    return float(sum(table[row][column] for row, column in zip(rows.tolist(), columns.tolist(), strict=True)))


def _subsequence(table: list[list[float]]) -> float:
    """The greatest sum of entries, each in a later row and column than the entry before."""
    best: list[float] = [0.0] * (len(table[0]) + 1) if table else [0.0]
    for row in table:
        above, best = best, best.copy()
        for column, value in enumerate(row, start=1):
            best[column] = max(above[column], best[column - 1], above[column - 1] + value)
    return best[-1]
