"""TER: edits of words and shifts of phrases that turn a text into its reference, as in sacrebleu."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import ceil
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.interning import Vocabulary
from thresher.results import Statistics, SumReduction

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Matrix = list[list[int]]

# Tercom's limits, and sacrebleu's on the number of shifts that are tried: with others, long texts would not
# get sacrebleu's score.
_MAX_SHIFT_SIZE = 10
_MAX_SHIFT_DISTANCE = 50
_MAX_CANDIDATES = 1000
_BEAM = 25
_FAR = 10**16  # distance of cells outside the beam
_TEXTS_AT_ONCE = 64  # more need more memory and gain nothing: 1.4 s for the texts of tests/golden


class TerCounts(NamedTuple):
    """The counts per item that TER needs."""

    edits: Floats
    """Fewest edits to any of the references."""
    reference_length: Floats
    """Mean number of words of the references."""


def ter_counts(
    hypotheses: Sequence[Sequence[str]], references: Sequence[Sequence[Sequence[str]]]
) -> TerCounts:
    """Edits and mean reference length of each item.

    Args:
        hypotheses: the words of each item's text.
        references: the words of each item's references, at least one.

    >>> ter_counts([["b", "a", "x"]], [[["a", "b", "c"], ["a", "x", "b", "c", "d"]]])
    TerCounts(edits=array([2.]), reference_length=array([4.]))
    """
    edits, lengths = np.zeros(len(hypotheses)), np.zeros(len(hypotheses))
    for item, (hypothesis, texts) in enumerate(zip(hypotheses, references, strict=True)):
        vocabulary = Vocabulary()
        words = vocabulary.encode(hypothesis)
        edits[item] = min(translation_edits(words, vocabulary.encode(text)) for text in texts)
        lengths[item] = sum(map(len, texts)) / len(texts)
    return TerCounts(edits, lengths)


def ter(counts: TerCounts) -> Floats:
    """Edits per word of the references; without a reference word 1 if there are edits, else 0.

    Source: Snover et al. 2006, "A Study of Translation Edit Rate with Targeted Human Annotation"; the empty
    cases are those of sacrebleu.

    >>> ter(TerCounts(np.array([1.0, 2.0, 0.0]), np.array([4.0, 0.0, 0.0]))).tolist()
    [0.25, 1.0, 0.0]
    """
    empty = counts.reference_length == 0
    return np.where(empty, counts.edits > 0, counts.edits / np.where(empty, 1, counts.reference_length))


@dataclass(frozen=True)
class CorpusTer(SumReduction):
    """TER of all items as one corpus: edits and reference lengths are summed before the division.

    >>> CorpusTer()(Statistics({"edits": [1.0, 2.0], "reference_length": [4.0, 2.0]}), np.ones(2))
    0.5
    """

    kind: ClassVar[str] = "corpus_ter"
    size_term: ClassVar[int | None] = 1

    @property
    def reads(self) -> tuple[str, ...]:
        """The counts."""
        return TerCounts._fields

    def terms(self, statistics: Statistics) -> Floats:
        """Edits, reference lengths, and a one per item."""
        columns = [statistics[name] for name in TerCounts._fields]
        return np.column_stack([*columns, np.ones(statistics.size)]).astype(np.float64)

    def of_sums(self, sums: Floats) -> Floats:
        """TER of the sums; NaN without items."""
        return np.where(sums[..., 2] > 0, ter(TerCounts(sums[..., 0], sums[..., 1])), np.nan)


def translation_edits(words: str, reference: str) -> int:
    """Number of shifts and edits that turn interned words into the reference: greedy, the best shift first.

    >>> translation_edits("cdab", "abcd")  # one shift of two words
    1
    """
    if not reference:
        return len(words)
    distances = _Distances(reference)
    shifts = tried = 0
    while True:
        gain, shifted, tried = _best_shift(words, distances, tried)
        # Like sacrebleu, discard the last shift when the number of candidates is exhausted.
        if tried >= _MAX_CANDIDATES or gain <= 0:
            return shifts + distances.of(words)
        shifts, words = shifts + 1, shifted


class _Distances:
    """Edit distances to one reference, within the beam around the diagonal that Tercom explores."""

    def __init__(self, reference: str) -> None:
        from rapidfuzz.distance import Levenshtein

        self.reference = reference
        self._unlimited = Levenshtein.distance
        self._codes = np.fromiter(map(ord, reference), np.int64, len(reference))
        self._places = np.arange(len(reference) + 1, dtype=np.int64)
        self._cache: dict[str, int] = {}

    def of(self, words: str) -> int:
        """The distance of interned words."""
        return self.of_all([words])[0]

    def of_all(self, texts: Sequence[str]) -> list[int]:
        """The distances of texts of equal length; cached."""
        distant = []
        for words in dict.fromkeys(texts):
            if words not in self._cache:
                distance = self._cache[words] = int(self._unlimited(words, self.reference))
                # A path of that cost deviates from the beam's centre by at most the cost plus the length
                # difference; only where it may leave the beam does the beam change the distance.
                deviation = distance + abs(len(words) - len(self.reference))
                if deviation >= _BEAM - 1 and len(self.reference) >= _BEAM:
                    distant.append(words)
        for start in range(0, len(distant), _TEXTS_AT_ONCE):
            part = distant[start : start + _TEXTS_AT_ONCE]
            *_, last = self._rows(part)
            self._cache.update(zip(part, last[:, -1].tolist(), strict=True))
        return [self._cache[words] for words in texts]

    def matrix(self, words: str) -> Matrix:
        """Distances of all prefixes: (words + 1) x (reference words + 1)."""
        return [row[0].tolist() for row in self._rows([words])]

    def _rows(self, texts: Sequence[str]) -> Iterator[Ints]:
        """Yield, for each prefix length of texts of one length, (texts, reference prefixes) distances."""
        size, length = len(self.reference), len(texts[0])
        row = np.tile(self._places, (len(texts), 1))
        yield row
        ratio = size / length if length else 1.0
        beam = ceil(ratio / 2 + _BEAM) if ratio / 2 > _BEAM else _BEAM
        for place, words in enumerate(zip(*texts, strict=True), 1):
            codes = np.fromiter(map(ord, words), np.int64, len(texts))
            centre = int(place * ratio)
            low, high = max(0, centre - beam), min(size + 1, centre + beam)
            high = size + 1 if place == length else high
            left, before = max(0, low - 1), row
            row = np.full_like(before, _FAR)
            row[:, left] = _FAR if low else before[:, 0] + 1
            changed = self._codes[left : high - 1] != codes[:, None]
            row[:, left + 1 : high] = np.minimum(
                before[:, left + 1 : high] + 1, before[:, left : high - 1] + changed
            )
            # An insertion costs one per word: the minimum over all cells to the left plus their distance.
            within, places = row[:, left:high], self._places[left:high]
            within[:] = np.minimum.accumulate(within - places, axis=1) + places
            yield row


class _Alignment(NamedTuple):
    """How the words of a text and of its reference correspond."""

    places: list[int]
    """Per reference word, the place of its word in the text, or of the last one before; -1 for none."""
    reference_errors: list[bool]
    errors: list[bool]


def _aligned(words: str, distances: _Distances) -> _Alignment:
    """The alignment of the cheapest edits; on a tie a replacement, then a deletion, then an insertion."""
    matrix, reference = distances.matrix(words), distances.reference
    i, j = len(words), len(reference)
    places, reference_errors, errors = [0] * j, [True] * j, [True] * i
    while i or j:
        same = bool(i and j) and words[i - 1] == reference[j - 1]
        if i and j and matrix[i][j] == matrix[i - 1][j - 1] + (not same):
            i, j = i - 1, j - 1
            places[j] = i
            reference_errors[j] = errors[i] = not same
        elif i and (not j or matrix[i][j] == matrix[i - 1][j] + 1):
            i -= 1
        else:
            j -= 1
            places[j] = i - 1
    return _Alignment(places, reference_errors, errors)


def _best_shift(words: str, distances: _Distances, tried: int) -> tuple[int, str, int]:
    """Gain of the best shift, the shifted words, and the number of candidates tried so far."""
    before, alignment = distances.of(words), _aligned(words, distances)
    shifts: list[tuple[int, int, int, str]] = []
    for start, target, length in _common_phrases(words, distances.reference):
        if not (
            any(alignment.errors[start : start + length])
            and any(alignment.reference_errors[target : target + length])
            and not start <= alignment.places[target] < start + length
        ):
            continue
        # Tercom's order: gain, then the longest phrase, then the first phrase, then the first destination.
        shifts += [
            (length, -start, -place, _shifted(words, start, length, place))
            for place in _destinations(alignment.places, target, length)
        ]
        if tried + len(shifts) >= _MAX_CANDIDATES:
            break
    if not shifts:
        return 0, words, tried
    after = distances.of_all([shifted for *_, shifted in shifts])
    gain, *_, best = max((before - cost, *shift) for cost, shift in zip(after, shifts, strict=True))
    return gain, best, tried + len(shifts)


def _common_phrases(words: str, reference: str) -> Iterator[tuple[int, int, int]]:
    """Yield start in the text, start in the reference and length of every common phrase."""
    occurrences: dict[str, list[int]] = {}
    for place, word in enumerate(reference):
        occurrences.setdefault(word, []).append(place)
    for start, word in enumerate(words):
        for target in occurrences.get(word, ()):
            if abs(target - start) > _MAX_SHIFT_DISTANCE:
                continue
            longest = min(len(words) - start, len(reference) - target, _MAX_SHIFT_SIZE)
            for length in range(1, longest + 1):
                if words[start + length - 1] != reference[target + length - 1]:
                    break
                yield start, target, length


def _destinations(places: Sequence[int], target: int, length: int) -> Iterator[int]:
    """Yield the places to move a phrase to: after the words that its reference words are aligned with."""
    last = -1
    for offset in range(target - 1, target + length):
        if offset >= len(places):
            break
        place = places[offset] + 1 if offset >= 0 else 0
        if place != last:
            yield place
        last = place


def _shifted(words: str, start: int, length: int, place: int) -> str:
    phrase, rest = words[start : start + length], words[:start] + words[start + length :]
    # Like Tercom, a place within the phrase refers to the words without it.
    place = place - length if place > start + length else place
    return rest[:place] + phrase + rest[place:]
