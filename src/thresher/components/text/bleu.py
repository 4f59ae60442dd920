"""BLEU: n-gram precision against reference answers."""

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
from haystack import component

from thresher.components._contract import check_choice, outputs, settings
from thresher.components._option_types import checked_options
from thresher.components.text._pairs import TextPairs
from thresher.errors import InputError
from thresher.kernels.text.bleu import BleuCounts, CorpusBleu, bleu_counts, sentence_bleu
from thresher.kernels.text.smoothing import SMOOTHING, counted_orders
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS
from thresher.results import Measure, MetricResult, Signature, Status, ValorMetric

_INTERPOLATION = 6  # the smoothing method that needs a trigram
_VALOR_FLOOR = 1e-9


@component
@checked_options
class BleuEvaluator:
    """How many of the predicted answer's n-grams stand in a reference answer, with a penalty for brevity.

    Two measures: the mean of the items' scores, and the score of all items as one corpus
    (`<name>_corpus`), whose counts are summed before they are divided. The two differ, often much.

    Without smoothing, an item that shares no 4-gram with its references has a score next to nothing
    (1e-78, say), so short answers do, identical ones of three words too; a warning counts such items.

    Args:
        weights: weight of each order of n-grams, unigrams first; four equal ones are BLEU-4.
        smoothing: what is done about orders without a match: 0 nothing, 1 to 7 the methods of Chen and
            Cherry 2014. 5 and 7 may exceed 1; 6 is undefined for an item without a matching trigram.
        tokenizer: `valor` (word characters; periods are dropped), `13a` (as WMT and sacrebleu),
            `whitespace`, or `unicode` (case-folded words of any script). The first three keep case.
        name: name of the measure in reports.

    Formula: min(1, exp(1 - r / c)) * exp(sum of weight * log(precision) over the orders), with c the
        prediction's length and r the closest reference length; 0 without a common token.
    Source: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation";
        numbers equal those of NLTK's `sentence_bleu` and, for smoothing 0 to 4, `corpus_bleu`.

    Raises:
        InputError: for unusable weights or unknown options, and from `run` for lists of unequal length.

    ```python
    evaluator = BleuEvaluator(smoothing=1)
    evaluator.run(predicted_answers=["the cat sat on a mat"], ground_truth_answers=["the cat sat on the mat"])
    ```
    """

    def __init__(
        self,
        weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25),
        smoothing: int = 0,
        tokenizer: str = "valor",
        name: str = "bleu",
    ) -> None:
        check_choice("smoothing", smoothing, range(len(SMOOTHING)))
        check_choice("tokenizer", tokenizer, list(BLEU_TOKENIZERS))
        self.weights = _checked_weights(weights, smoothing)
        self.smoothing = smoothing
        self.tokenizer = tokenizer
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(
        self, predicted_answers: list[str], ground_truth_answers: list[str] | list[list[str]]
    ) -> dict[str, Any]:
        """Score each item.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_answers: per item a text, or several.

        Returns:
            `score`: mean of the items' scores; `individual_scores`; `result`, with the corpus score too.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        tokens = BLEU_TOKENIZERS[self.tokenizer]
        candidates = [tokens(text) for text in pairs.predictions]
        references = [[tokens(text) for text in texts] for texts in pairs.references]
        counts = bleu_counts(candidates, references, counted_orders(len(self.weights), self.smoothing))
        scores = sentence_bleu(counts, self.weights, self.smoothing)
        if not self.smoothing:
            self._warn_of_zeros(counts)
        statistics = {"score": scores, **counts._asdict()}
        defined = pairs.existing(scores, Status.UNDEFINED, "no matching trigram, which smoothing 6 needs")
        kept = {name: column[defined] for name, column in statistics.items()}
        return outputs(pairs.items.result(self._measures(), kept))

    def _measures(self) -> list[Measure]:
        told, weights = settings(self), tuple(self.weights)
        # Methods 5 and 7 average precisions with one above 1, which gives at most 4/3.
        bounds = (0.0, (4 / 3) ** sum(weights) if self.smoothing in {5, 7} else 1.0)
        valor = None
        if self.tokenizer == "valor" and not self.smoothing:
            valor = ValorMetric("BLEU", (("weights", weights),), floor=_VALOR_FLOOR)
        corpus = Signature.of(f"{self.name}_corpus", told)
        return [
            Measure(Signature.of(self.name, told), bounds=bounds, valor=valor),
            Measure(corpus, CorpusBleu(weights, self.smoothing), bounds=bounds),
        ]

    def _warn_of_zeros(self, counts: BleuCounts) -> None:
        zeros = (counts.matches[:, 0] > 0) & (counts.matches == 0).any(axis=1)
        if zeros.any():
            warnings.warn(
                f"{self.name}: {np.count_nonzero(zeros)} of {len(zeros)} items share words but not an n-gram"
                f" of every order up to {len(self.weights)} with their references and score next to 0;"
                " choose a smoothing, or fewer weights",
                stacklevel=3,
            )


def _checked_weights(weights: Any, smoothing: int) -> list[float]:
    numbers = [weight for weight in weights if isinstance(weight, int | float) and 0 <= weight < np.inf]
    if isinstance(weights, str) or len(numbers) < len(weights) or not sum(numbers):
        raise InputError(f"weights={weights!r} must be a list of non-negative numbers, at least one above 0")
    if smoothing == _INTERPOLATION and len(numbers) < 3:  # noqa: PLR2004
        raise InputError(
            f"smoothing=6 interpolates from trigrams on; give 3 weights or more, not {weights!r}"
        )
    return [float(weight) for weight in numbers]
