"""BLEU by the conventions of sacrebleu and WMT: Papineni's denominators, four smoothings, effective order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.bleu import BleuCounts
from thresher.results import Breakdown, Detail, Statistics, SumReduction

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

SACREBLEU_VERSION = "2.6.0"
"""The version whose numbers these are; printed in signatures."""
SACREBLEU_SMOOTHINGS: MappingProxyType[str, float | None] = MappingProxyType(
    {"exp": None, "floor": 0.1, "add-k": 1.0, "none": None}
)
"""Smoothing -> its default value; None for smoothings without a value."""
_LOG_OF_ZERO = -9999999999.0  # sacrebleu's; its exponential is 0


class BleuParts(NamedTuple):
    """The parts of a score that sacrebleu prints, in percent."""

    score: float
    precisions: tuple[float, ...]
    brevity_penalty: float


@dataclass(frozen=True)
class SacrebleuFormula:
    """BLEU of counts, of a sentence or of a corpus.

    Source: Papineni et al. 2002; Post 2018, "A Call for Clarity in Reporting BLEU Scores", and
    `sacrebleu.metrics.BLEU.compute_bleu`, whose order of operations this follows.

    Attributes:
        smoothing: the count of an order without a match: `exp` 1/2, 1/4, 1/8, ... of an n-gram; `floor` the
            value; `add-k` adds the value to matches and n-grams from bigrams on; `none` 0.
        value: the value of `floor` and `add-k`.
        effective_order: whether to leave out orders without n-grams in the candidate.

    >>> SacrebleuFormula("exp", None, True).parts([2, 1, 0], [3, 2, 1], 3, 3).score.__round__(4)
    55.0321
    """

    smoothing: str
    value: float | None
    effective_order: bool

    def parts(
        self, matches: Sequence[float], totals: Sequence[float], length: float, reference_length: float
    ) -> BleuParts:
        """Score, precisions and brevity penalty.

        Args:
            matches: n-grams that occur in a reference, one entry per order.
            totals: n-grams of the candidate, one entry per order; 0 if it is too short.
            length: tokens of the candidate.
            reference_length: tokens of the closest reference.
        """
        penalty = 1.0
        if length < reference_length:
            penalty = math.exp(1 - reference_length / length) if length > 0 else 0.0
        precisions, order = self._precisions(matches, totals)
        if not any(matches):
            return BleuParts(0.0, precisions, penalty)
        logs = [math.log(precision) if precision else _LOG_OF_ZERO for precision in precisions[:order]]
        return BleuParts(penalty * math.exp(sum(logs) / order), precisions, penalty)

    def _precisions(self, matches: Sequence[float], totals: Sequence[float]) -> tuple[tuple[float, ...], int]:
        """Smoothed precisions in percent, and how many orders count."""
        precisions, order, halving = [0.0] * len(matches), len(matches), 1.0
        if not any(matches):
            return tuple(precisions), order
        for n, (matched, total) in enumerate(zip(matches, totals, strict=True)):
            added = (self.value or 0.0) if self.smoothing == "add-k" and n else 0.0
            hits, n_grams = matched + added, total + added
            if not n_grams:
                break
            if self.effective_order:
                order = n + 1
            if not hits and self.smoothing == "exp":
                halving *= 2
                precisions[n] = 100.0 / (halving * n_grams)
            elif not hits and self.smoothing == "floor":
                precisions[n] = 100.0 * (self.value or 0.0) / n_grams
            else:
                precisions[n] = 100.0 * hits / n_grams
        return tuple(precisions), order


def sacrebleu_sentences(counts: BleuCounts, formula: SacrebleuFormula) -> Floats:
    """Score of each item, from 0 to 1.

    >>> from thresher.kernels.text.bleu import bleu_counts
    >>> counts = bleu_counts([["a", "b", "c"]], [[["a", "b", "d"]]], 4)
    >>> sacrebleu_sentences(counts, SacrebleuFormula("exp", None, True)).round(4).tolist()
    [0.5503]
    """
    columns = (counts.matches, _totals(counts), counts.length, counts.reference_length)
    rows = zip(*(column.tolist() for column in columns), strict=True)
    return np.array([formula.parts(*row).score / 100 for row in rows], dtype=np.float64)


@dataclass(frozen=True)
class SacrebleuCorpus(SumReduction):
    """BLEU of all items as one corpus, from 0 to 1: `sacrebleu.corpus_bleu` divided by 100.

    Attributes:
        orders: the largest n of the n-grams.
        smoothing: as in `SacrebleuFormula`.
        value: of the smoothing.

    >>> from thresher.kernels.text.bleu import bleu_counts
    >>> counts = bleu_counts([["a", "b"], ["c"]], [[["a", "b"]], [["c"]]], 2)
    >>> SacrebleuCorpus(2)(Statistics(counts._asdict()), np.ones(2)).__round__(9)
    1.0
    """

    kind: ClassVar[str] = "sacrebleu_corpus"
    size_term: ClassVar[int | None] = -2
    orders: int = 4
    smoothing: str = "exp"
    value: float | None = None

    @property
    def reads(self) -> tuple[str, ...]:
        """The counts."""
        return BleuCounts._fields

    def terms(self, statistics: Statistics) -> Floats:
        """Matches and totals of each order, both lengths, and a one per item."""
        counts = BleuCounts(*(statistics[name] for name in BleuCounts._fields))
        columns = [counts.matches, _totals(counts), counts.length, counts.reference_length]
        return np.column_stack([*columns, np.ones(statistics.size)]).astype(np.float64)

    def of_sums(self, sums: Floats) -> Floats:
        """BLEU of each row of sums; NaN without items."""
        values = [
            self.parts(row).score / 100 if row[-1] else math.nan
            for row in sums.reshape(-1, sums.shape[-1]).tolist()
        ]
        return np.array(values).reshape(sums.shape[:-1])

    def parts(self, row: Sequence[float]) -> BleuParts:
        """Score, precisions and penalty of one row of sums."""
        n = self.orders
        formula = SacrebleuFormula(self.smoothing, self.value, effective_order=False)
        return formula.parts(row[:n], row[n : 2 * n], row[-3], row[-2])


@dataclass(frozen=True)
class SacrebleuLine(Breakdown):
    """The corpus score as sacrebleu prints it: its signature, percentages and lengths.

    Attributes:
        orders: the largest n of the n-grams.
        smoothing: as in `SacrebleuFormula`.
        value: of the smoothing.
        tokenizer: sacrebleu's name of the tokenizer.
        lowercase: whether texts were lower-cased.
        name: name of the breakdown.
    """

    kind: ClassVar[str] = "sacrebleu_line"
    orders: int
    smoothing: str
    value: float | None
    tokenizer: str
    lowercase: bool
    name: str = "sacrebleu"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row; none without items."""
        corpus = SacrebleuCorpus(self.orders, self.smoothing, self.value)
        counted = weights > 0
        if not counted.any():
            return Detail(self.name, "table", ("signature",), {})
        sums = (corpus.terms(statistics) * weights[:, None]).sum(axis=0).tolist()
        parts = corpus.parts(sums)
        row = {"signature": self.signature(np.unique(statistics["references"][counted])), "bleu": parts.score}
        row |= {f"precision_{n}": precision for n, precision in enumerate(parts.precisions, 1)}
        row |= {"brevity_penalty": parts.brevity_penalty, "length": sums[-3], "reference_length": sums[-2]}
        return Detail(self.name, "table", ("signature",), {key: [value] for key, value in row.items()})

    def signature(self, references: Integers) -> str:
        """Sacrebleu's signature.

        Args:
            references: the distinct numbers of references per item.
        """
        number = str(references[0]) if len(references) == 1 else "var"
        smoothing = self.smoothing if self.value is None else f"{self.smoothing}[{self.value:.2f}]"
        case = "lc" if self.lowercase else "mixed"
        head = f"nrefs:{number}|case:{case}|eff:no|tok:{self.tokenizer}|smooth:{smoothing}"
        return f"{head}|version:{SACREBLEU_VERSION}"


def _totals(counts: BleuCounts) -> Integers:
    """Number of n-grams per candidate and order: items x orders."""
    n_grams = counts.length[:, None] - np.arange(counts.matches.shape[1])
    return np.asarray(np.maximum(n_grams, 0), dtype=np.int64)
