"""Longest common subsequences: their length, and the one that rouge-score picks.

A column of the table `t[i][j]` (LCS of the first i reference and j candidate tokens) is stored as the bits of
its vertical differences `t[i][j] - t[i-1][j]`, all rows of a column in one integer (Hyyrö 2004).
"""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

Integers = npt.NDArray[np.int64]


def lcs_lengths(candidates: Sequence[str], references: Sequence[str]) -> Integers:
    """Length of the longest common subsequence of each pair of interned texts.

    >>> lcs_lengths(["abcd", "x"], ["acbd", ""]).tolist()
    [3, 0]
    """
    from rapidfuzz.distance import LCSseq
    from rapidfuzz.process import cpdist

    if not len(candidates):
        return np.zeros(0, np.int64)
    lengths = cpdist(candidates, references, scorer=LCSseq.similarity, dtype=np.int64)
    return np.asarray(lengths, dtype=np.int64)


def lcs_positions(reference: str, candidate: str, places: dict[str, int] | None = None) -> int:
    """The reference positions of one longest common subsequence, as bits.

    Of several, it is the one of rouge-score: walking back from both ends, equal tokens are taken; otherwise
    the walk goes left (drops a candidate token) if the table is larger there, else up.

    Args:
        reference: an interned text of any length.
        candidate: the other interned text.
        places: `token_places(reference)`, to share between candidates.

    >>> bin(lcs_positions("abcb", "bc")), bin(lcs_positions("ab", "ba"))
    ('0b110', '0b1')
    """
    places = token_places(reference) if places is None else places
    full = (1 << len(reference)) - 1
    unchanged = full  # bits of the rows where t[i][j] == t[i-1][j]
    columns = []
    for token in candidate:
        matches = places.get(token, 0)
        if matches:
            met = unchanged & matches
            unchanged = ((unchanged + met) | (unchanged - met)) & full
        columns.append((full ^ unchanged, matches))
    return _walk_back(columns, full)


def token_places(text: str) -> dict[str, int]:
    """Bits of the positions of each token of a text."""
    places: dict[str, int] = {}
    for place, token in enumerate(text):
        places[token] = places.get(token, 0) | 1 << place
    return places


def union_lcs_hits(candidate_lines: Sequence[str], reference_lines: Sequence[str]) -> int:
    """ROUGE-Lsum's hits of one pair of texts, as lists of lines.

    For each reference line, the union of its positions in the LCS with every candidate line; a token counts
    at most as often as it occurs in the candidate.

    >>> union_lcs_hits(["ab", "cd"], ["ad", "c"])
    3
    """
    picked: Counter[str] = Counter()
    for reference in reference_lines:
        places = token_places(reference)
        union = 0
        for candidate in candidate_lines:
            union |= lcs_positions(reference, candidate, places)
        picked.update(token for place, token in enumerate(reference) if union >> place & 1)
    return (picked & Counter("".join(candidate_lines))).total()


def _walk_back(columns: list[tuple[int, int]], full: int) -> int:
    """Collect matches from the last column (differences, matches) to the first."""
    taken, allowed = 0, full
    for differences, matches in reversed(columns):
        # Going up, the walk stops at the first match or growth of the table.
        stops = (differences | matches) & allowed
        if not stops:
            break
        highest = 1 << (stops.bit_length() - 1)
        if matches & highest:
            taken |= highest
            allowed = highest - 1
        else:
            allowed = (highest << 1) - 1
    return taken
