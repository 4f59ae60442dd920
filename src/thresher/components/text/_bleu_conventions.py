"""The two conventions of BLEU: their formulas and options."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.text.bleu import BleuCounts, CorpusBleu, sentence_bleu
from thresher.kernels.text.sacrebleu import (
    SACREBLEU_SMOOTHINGS,
    SacrebleuCorpus,
    SacrebleuFormula,
    SacrebleuLine,
    sacrebleu_sentences,
)
from thresher.kernels.text.sacrebleu_tokens import SACREBLEU_TOKENIZERS
from thresher.kernels.text.smoothing import SMOOTHING, counted_orders
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS, Tokenizer
from thresher.metrics import check_option, one_of
from thresher.results import Breakdown, Reduction

Floats = npt.NDArray[np.float64]

BleuSmoothing = Literal[0, 1, 2, 3, 4, 5, 6, 7, "exp", "floor", "add-k", "none"]
BleuTokenizer = Literal["valor", "13a", "whitespace", "unicode", "intl", "zh", "char"]

_NLTK_SMOOTHING = Annotated[int, one_of(*range(len(SMOOTHING)))]
_INTERPOLATION = 6  # this smoothing method needs a trigram


class NltkBleu:
    """NLTK's convention: weighted orders, the methods of Chen and Cherry, denominators of at least 1."""

    tokenizers: Mapping[str, Tokenizer] = BLEU_TOKENIZERS

    def __init__(
        self,
        weights: list[float],
        smoothing: BleuSmoothing | None,
        value: float | None,
        tokenizer: BleuTokenizer | None,
    ) -> None:
        self.smoothing: BleuSmoothing = 0 if smoothing is None else smoothing
        self.tokenizer: BleuTokenizer = "valor" if tokenizer is None else tokenizer
        self.smooth_value = None
        check_option("smoothing", self.smoothing, _NLTK_SMOOTHING)
        check_option("tokenizer", self.tokenizer, _one_of(self.tokenizers))
        if value is not None:
            raise InputError("smooth_value is an option of convention='sacrebleu' only; remove it")
        if self.smoothing == _INTERPOLATION and len(weights) < 3:  # noqa: PLR2004
            raise InputError(f"smoothing=6 needs trigrams: give at least 3 weights, not {weights!r}")
        self._weights, self._method = tuple(weights), int(self.smoothing)

    @property
    def orders(self) -> int:
        """The largest n of the counted n-grams."""
        return counted_orders(len(self._weights), self._method)

    @property
    def bounds(self) -> tuple[float, float]:
        """Lowest and highest score; methods 5 and 7 average precisions up to 4/3."""
        return (0.0, (4 / 3) ** sum(self._weights) if self._method in {5, 7} else 1.0)

    def scores(self, counts: BleuCounts) -> Floats:
        """Return the score of each item; NaN where method 6 is undefined."""
        return sentence_bleu(counts, self._weights, self._method)

    def corpus(self) -> Reduction:
        """Return the score of all items as one corpus."""
        return CorpusBleu(self._weights, self._method)

    def breakdowns(self, *, lowercase: bool) -> Sequence[Breakdown]:
        """Return no tables: NLTK reports one number."""
        del lowercase
        return ()


class SacrebleuBleu:
    """sacrebleu's convention: equal weights, four smoothings, effective order only for items."""

    tokenizers: Mapping[str, Tokenizer] = SACREBLEU_TOKENIZERS
    bounds = (0.0, 1.0)

    def __init__(
        self,
        weights: list[float],
        smoothing: BleuSmoothing | None,
        value: float | None,
        tokenizer: BleuTokenizer | None,
    ) -> None:
        self.smoothing: BleuSmoothing = "exp" if smoothing is None else smoothing
        self.tokenizer: BleuTokenizer = "13a" if tokenizer is None else tokenizer
        check_option("smoothing", self.smoothing, _one_of(SACREBLEU_SMOOTHINGS))
        check_option("tokenizer", self.tokenizer, _one_of(self.tokenizers))
        self._smoothing = str(self.smoothing)
        self.smooth_value = _checked_value(self._smoothing, value)
        if len(set(weights)) > 1:
            raise InputError(f"weights={weights!r} must be equal for convention='sacrebleu'")
        self.orders = len(weights)

    def scores(self, counts: BleuCounts) -> Floats:
        """Return the score of each item, with effective order as in `sacrebleu.sentence_bleu`."""
        return sacrebleu_sentences(counts, SacrebleuFormula(self._smoothing, self.smooth_value, True))  # noqa: FBT003

    def corpus(self) -> Reduction:
        """Return the score of all items as one corpus, as in `sacrebleu.corpus_bleu`."""
        return SacrebleuCorpus(self.orders, self._smoothing, self.smooth_value)

    def breakdowns(self, *, lowercase: bool) -> Sequence[Breakdown]:
        """Return the line that sacrebleu prints, with its signature."""
        name = "none" if self.tokenizer == "whitespace" else self.tokenizer
        return (SacrebleuLine(self.orders, self._smoothing, self.smooth_value, name, lowercase),)


CONVENTIONS: Mapping[str, type[NltkBleu] | type[SacrebleuBleu]] = {
    "nltk": NltkBleu,
    "sacrebleu": SacrebleuBleu,
}


def checked_weights(weights: Any) -> list[float]:
    """Return non-negative weights, at least one above 0.

    Raises:
        InputError: otherwise.
    """
    numbers = [weight for weight in weights if isinstance(weight, int | float) and 0 <= weight < np.inf]
    if isinstance(weights, str) or len(numbers) < len(weights) or not sum(numbers):
        raise InputError(f"weights={weights!r} must be a list of non-negative numbers, at least one above 0")
    return [float(weight) for weight in numbers]


def _one_of(choices: Iterable[str]) -> Any:
    """The type of an option whose values depend on the convention."""
    return Annotated[str, one_of(*choices)]


def _checked_value(smoothing: str, value: float | None) -> float | None:
    default = SACREBLEU_SMOOTHINGS[smoothing]
    if value is None:
        return default
    if default is None:
        raise InputError(f"smooth_value={value!r} needs smoothing='floor' or 'add-k', not {smoothing!r}")
    if not 0 < value < np.inf:
        raise InputError(f"smooth_value={value!r} must be a number above 0")
    return float(value)
