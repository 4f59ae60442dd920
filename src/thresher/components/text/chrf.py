"""chrF and chrF++: character n-grams shared with a reference answer."""

from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.kernels.text.chrf import CorpusChrf, chrf, ngram_counts
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_count, checked_options
from thresher.metrics.text_pairs import TextPairs
from thresher.results import Measure, MetricResult, Signature


@component
@checked_options
class ChrfEvaluator:
    """How many character n-grams the predicted answer and a reference answer share; reads any script.

    With several references the one with the highest score counts (the first of equals). Two measures: the
    mean of the items' scores, and the score of all items as one corpus (`<name>_corpus`), whose counts
    are summed before they are divided.

    Args:
        char_order: largest n of the character n-grams.
        word_order: largest n of the word n-grams, which are averaged with the others; 0 is chrF, 2 chrF++.
        beta: how many times recall weighs as much as precision.
        lowercase: whether both texts are lower-cased first.
        whitespace: whether white space counts as characters; else it is dropped.
        name: name of the measure in reports.

    Formula: (1 + b^2) P R / (b^2 P + R), with P and R the means of the n-gram precisions and recalls over
        the orders of which both texts have n-grams; 0 without such an order.
    Source: Popović 2015, "chrF: character n-gram F-score for automatic MT evaluation", and 2017, "chrF++:
        words helping character n-grams"; numbers are those of sacrebleu divided by 100.

    Raises:
        InputError: for options out of range, and from `run` for lists of unequal length.

    ```python
    evaluator = ChrfEvaluator(word_order=2)
    evaluator.run(predicted_answers=["the cat sits"], ground_truth_answers=["the cat sat"])["score"]
    ```
    """

    def __init__(
        self,
        char_order: int = 6,
        word_order: int = 0,
        *,
        beta: float = 2.0,
        lowercase: bool = False,
        whitespace: bool = False,
        name: str = "chrf",
    ) -> None:
        check_count("char_order", char_order, 1)
        check_count("word_order", word_order)
        _check_beta(beta)
        self.char_order = char_order
        self.word_order = word_order
        self.beta = float(beta)
        self.lowercase = lowercase
        self.whitespace = whitespace
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
        told = settings(self)
        return [
            Measure(Signature.of(self.name, told)),
            Measure(Signature.of(f"{self.name}_corpus", told), CorpusChrf(self.beta)),
        ]

    def _cased(self, texts: list[str]) -> list[str]:
        return [text.lower() for text in texts] if self.lowercase else texts


def _check_beta(beta: object) -> None:
    if isinstance(beta, bool) or not isinstance(beta, int | float) or not 0 < beta < float("inf"):
        raise InputError(f"beta={beta!r} must be a number above 0")
