"""BLEU: n-gram precision against reference answers."""

import warnings
from collections.abc import Sequence
from typing import Any, Literal

import numpy as np

from thresher.components.text._bleu_conventions import (
    CONVENTIONS,
    BleuSmoothing,
    BleuTokenizer,
    checked_weights,
)
from thresher.counted import counted
from thresher.kernels.text.bleu import BleuCounts, bleu_counts_of_texts
from thresher.metrics import ReferenceColumn, TextColumn, TextPairs, metric, outputs, settings
from thresher.results import Measure, Signature, Status, ValorMetric

_VALOR_FLOOR = 1e-9


@metric
class BleuEvaluator:
    """Share of the predicted answer's n-grams that occur in a reference answer, with a penalty for brevity.

    Two measures: the mean of the items' scores, and the score of all items as one corpus
    (`<name>_corpus`), whose counts are summed before the division. The two often differ much.

    `convention="nltk"`, the default, gives the numbers of NLTK and Valor. Without smoothing, an item that
    shares no 4-gram with its references then scores almost 0 (e.g. 1e-78), even if both are the same three
    words; a warning counts such items. With `smoothing=1`, two equal words score 0.32, one 0.18.
    `convention="sacrebleu"` gives the numbers of sacrebleu divided by 100, which papers about translation
    report; the table `sacrebleu` of the result has its signature and the line that it prints.

    With a smoothing that adds constants to counts (NLTK's 1 and 2, sacrebleu's `floor` and `add-k`) the
    corpus score depends on the scale of the weights, not only on their ratios: use weights with the mean 1.

    Formula: min(1, exp(1 - r / c)) * exp(sum of weight * log(precision) over the orders), with c the
        prediction's length and r the closest reference length; 0 without a common token. With `sacrebleu`,
        an item is scored over the orders for which it has n-grams (effective order), the corpus over all.
    Source: Papineni et al. 2002, "BLEU: a Method for Automatic Evaluation of Machine Translation";
        numbers equal those of NLTK's `sentence_bleu` and, for smoothing 0 to 4, `corpus_bleu`; or those
        of sacrebleu 2.6 (Post 2018, "A Call for Clarity in Reporting BLEU Scores").
    Differs: NLTK's corpus score with `tokenizer="13a"` is not sacrebleu's: NLTK counts at least one n-gram of
        each order, so texts of fewer than four words lower the score; with `convention="sacrebleu"` they do
        not.

    Args:
        weights: weight of each order of n-grams, unigrams first; four equal weights are BLEU-4.
            `sacrebleu` requires equal weights.
        smoothing: treatment of orders without a match. `nltk`: 0 (the default) for none, 1 to 7 for the
            methods of Chen and Cherry 2014; 5 and 7 may exceed 1; 6 is undefined for an item without a
            matching trigram. `sacrebleu`: `exp` (the default), `floor`, `add-k` or `none`.
        tokenizer: `nltk`: `valor` (the default: word characters; periods are dropped), `13a`, `whitespace`
            or `unicode` (case-folded words of any script). `sacrebleu`: `13a` (the default), `intl`, `zh`,
            `char` or `whitespace` (sacrebleu's `none`). All except `unicode` preserve case.
        convention: `nltk` or `sacrebleu`.
        smooth_value: constant of sacrebleu's `floor` (default 0.1) and `add-k` (default 1).

    ```python
    evaluator = BleuEvaluator(smoothing=1)
    evaluator.run(predicted_answers=["the cat sat on a mat"], ground_truth_answers=["the cat sat on the mat"])
    ```
    """

    weights: Sequence[float] = (0.25, 0.25, 0.25, 0.25)
    smoothing: BleuSmoothing | None = None
    tokenizer: BleuTokenizer | None = None
    convention: Literal["nltk", "sacrebleu"] = "nltk"
    smooth_value: float | None = None
    lowercase: bool = False
    name: str = "bleu"

    def __post_init__(self) -> None:
        self.weights = checked_weights(self.weights)
        self._convention = CONVENTIONS[self.convention](
            self.weights, self.smoothing, self.smooth_value, self.tokenizer
        )
        self.smoothing = self._convention.smoothing
        self.tokenizer = self._convention.tokenizer
        self.smooth_value = self._convention.smooth_value

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean of the items' scores; `individual_scores`; `result` with both measures.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        counts = self._counts(pairs)
        scores = self._convention.scores(counts)
        consequence = "they score 0; choose another tokenizer"
        pairs.warn_of_unread_references(self.name, counts.reference_length, consequence)
        if not self.smoothing:
            self._warn_of_zeros(counts)
        statistics = {"score": scores, **counts._asdict()}
        if self.convention == "sacrebleu":
            statistics["references"] = np.fromiter(
                map(len, pairs.references), np.int64, len(pairs.references)
            )
        defined = pairs.existing(scores, Status.UNDEFINED, "no matching trigram, which smoothing 6 needs")
        retained = {name: column[defined] for name, column in statistics.items()}
        breakdowns = self._convention.breakdowns(lowercase=self.lowercase)
        return outputs(pairs.items.result(self._measures(), retained, breakdowns=breakdowns))

    def _counts(self, pairs: TextPairs) -> BleuCounts:
        predictions, references = pairs.predictions, pairs.references
        if self.lowercase:
            predictions = [text.lower() for text in predictions]
            references = [[text.lower() for text in texts] for texts in references]
        name = self._convention.tokenizer
        tokenize = self._convention.tokenizers[name]
        return bleu_counts_of_texts(predictions, references, self._convention.orders, name, tokenize)

    def _measures(self) -> list[Measure]:
        signed, bounds = settings(self), self._convention.bounds
        valor = None
        if self.tokenizer == "valor" and not self.smoothing and not self.lowercase:
            valor = ValorMetric("BLEU", (("weights", tuple(self.weights)),), floor=_VALOR_FLOOR)
        corpus = Signature.of(f"{self.name}_corpus", signed)
        return [
            Measure(Signature.of(self.name, signed), bounds=bounds, valor=valor),
            Measure(corpus, self._convention.corpus(), bounds=bounds),
        ]

    def _warn_of_zeros(self, counts: BleuCounts) -> None:
        zeros = (counts.matches[:, 0] > 0) & (counts.matches == 0).any(axis=1)
        if zeros.any():
            warnings.warn(
                f"{self.name}: {np.count_nonzero(zeros)} of {counted(len(zeros), 'item')} share words but "
                f"not an n-gram of every order up to {len(self.weights)} with their references and score "
                "almost 0; choose a smoothing, or fewer weights",
                stacklevel=3,
            )
