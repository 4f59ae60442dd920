"""chrF and chrF++: character n-grams shared with a reference answer."""

from typing import Any

from thresher.kernels.text.chrf import CorpusChrf, chrf, ngram_counts
from thresher.metrics import (
    Count,
    Positive,
    PositiveCount,
    ReferenceColumn,
    TextColumn,
    TextPairs,
    metric,
    outputs,
    settings,
)
from thresher.results import Measure, Signature


@metric
class ChrfEvaluator:
    """F-score of the character n-grams that the predicted answer shares with a reference answer; any script.

    With several references the one with the highest score counts (the first of equals). Two measures: the
    mean of the items' scores, and the score of all items as one corpus (`<name>_corpus`), whose counts
    are summed before the division.

    Formula: (1 + b^2) P R / (b^2 P + R), with P and R the means of the n-gram precisions and recalls over
        the orders for which both texts have n-grams; 0 without such an order.
    Source: Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", and 2017, "chrF++:
        words helping character n-grams"; numbers are those of sacrebleu divided by 100.

    Args:
        char_order: largest n of the character n-grams.
        word_order: largest n of the word n-grams, averaged with the others; 0 for chrF, 2 for chrF++.
        beta: weight of recall relative to precision.
        whitespace: whether white space counts as characters; otherwise it is dropped.

    ```python
    evaluator = ChrfEvaluator(word_order=2)
    evaluator.run(predicted_answers=["the cat sits"], ground_truth_answers=["the cat sat"])["score"]
    ```
    """

    char_order: PositiveCount = 6
    word_order: Count = 0
    beta: Positive = 2.0
    lowercase: bool = False
    whitespace: bool = False
    name: str = "chrf"

    def __post_init__(self) -> None:
        self.beta = float(self.beta)

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean of the items' scores; `individual_scores`; `result` with both measures.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        predictions, references = (self._cased(texts) for texts in pairs.flat())
        counts = ngram_counts(
            predictions,
            references,
            char_order=self.char_order,
            word_order=self.word_order,
            whitespace=self.whitespace,
        )
        scores = chrf(counts, self.beta)
        best = pairs.best(scores)
        statistics = {"score": scores[best]}
        statistics |= {name: column[best] for name, column in counts._asdict().items()}
        return outputs(pairs.items.result(self._measures(), statistics))

    def _measures(self) -> list[Measure]:
        signed = settings(self)
        return [
            Measure(Signature.of(self.name, signed)),
            Measure(Signature.of(f"{self.name}_corpus", signed), CorpusChrf(self.beta)),
        ]

    def _cased(self, texts: list[str]) -> list[str]:
        return [text.lower() for text in texts] if self.lowercase else texts
