"""ROUGE: words, word sequences and subsequences shared with a reference answer."""

from collections.abc import Sequence
from typing import Any

from haystack import component

from thresher.errors import InputError
from thresher.kernels.text.rouge import RougeScores, check_rouge_types, rouge
from thresher.kernels.text.tokenize import ROUGE_TOKENIZERS
from thresher.metrics.items import outputs, settings
from thresher.metrics.options import check_choice, checked_options
from thresher.metrics.text_pairs import TextPairs
from thresher.results import Mean, Measure, MetricResult, Signature, ValorMetric

_DEFAULT_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@component
@checked_options
class RougeEvaluator:
    """How much of a reference answer's wording the predicted answer has, and the other way round.

    With several references, each type takes the one with the highest F-measure (the first of equals),
    and its precision and recall. The mean over items is the plain mean, not a bootstrapped one.

    Args:
        rouge_types: any of `rouge1` to `rouge9` (shared n-grams), `rougeL` (longest common subsequence)
            and `rougeLsum` (the same line by line, for texts with line feeds).
        use_stemmer: whether English suffixes are stripped (Porter) from words of more than 3 characters.
        tokenizer: `rouge-score` keeps a-z and 0-9 only, so texts in other scripts score 0; `unicode`
            reads words of any script, and single characters where a script has no spaces.
        report: any of `fmeasure`, `precision`, `recall`.
        name: prefix of the measures' names. With the default they are `rouge1` (F-measure),
            `rouge1_precision`, `rouge1_recall`, ...; with another, `<name>_rouge1`, ...

    Formula: hits / tokens of the prediction (precision), hits / tokens of the reference (recall), and
        their harmonic mean 2PR / (P + R); 0 where it would be 0/0.
    Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries"; numbers equal those of
        the package rouge-score 0.1.2.

    Raises:
        InputError: for an unknown type, tokenizer or quantity, and from `run` for lists of unequal length.

    ```python
    evaluator = RougeEvaluator(rouge_types=["rouge1", "rougeL"])
    evaluator.run(predicted_answers=["the cat sat"], ground_truth_answers=["the cat sat down"])["score"]
    ```
    """

    def __init__(
        self,
        rouge_types: Sequence[str] = _DEFAULT_TYPES,
        use_stemmer: bool = False,
        tokenizer: str = "rouge-score",
        report: Sequence[str] = ("fmeasure",),
        name: str = "rouge",
    ) -> None:
        _check_some("rouge_types", rouge_types)
        _check_some("report", report)
        check_rouge_types(rouge_types)
        check_choice("tokenizer", tokenizer, list(ROUGE_TOKENIZERS))
        for quantity in report:
            check_choice("report", quantity, RougeScores._fields)
        self.rouge_types = list(rouge_types)
        self.use_stemmer = use_stemmer
        self.tokenizer = tokenizer
        self.report = list(report)
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
            `score` and `individual_scores`: of the first type and quantity; `result`: of all.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        predictions, references = pairs.flat()
        scores = rouge(
            predictions,
            references,
            self.rouge_types,
            tokenizer=self.tokenizer,
            use_stemmer=self.use_stemmer,
        )
        statistics = {}
        for rouge_type, of_pairs in scores.items():
            best = pairs.best(of_pairs.fmeasure)
            for quantity, values in of_pairs._asdict().items():
                statistics[f"{rouge_type}.{quantity}"] = values[best]
        return outputs(pairs.items.result(self._measures(), statistics))

    def _measures(self) -> list[Measure]:
        told = settings(self, "rouge_types", "report")
        measures = []
        for rouge_type in self.rouge_types:
            for quantity in self.report:
                column = f"{rouge_type}.{quantity}"
                signature = Signature.of(self._measure_name(rouge_type, quantity), told)
                valor = self._valor(rouge_type) if quantity == "fmeasure" else None
                measures.append(Measure(signature, Mean(column), item_score=column, valor=valor))
        return measures

    def _valor(self, rouge_type: str) -> ValorMetric | None:
        if self.tokenizer != "rouge-score":
            return None
        parameters = (("rouge_type", rouge_type), ("use_stemmer", self.use_stemmer))
        return ValorMetric("ROUGE", parameters, part="rouge_type")

    def _measure_name(self, rouge_type: str, quantity: str) -> str:
        prefix = "" if self.name == "rouge" else f"{self.name}_"
        return prefix + rouge_type + ("" if quantity == "fmeasure" else f"_{quantity}")


def _check_some(option: str, values: Sequence[str]) -> None:
    if isinstance(values, str) or not len(values) or len(set(values)) < len(values):
        raise InputError(f"{option}={values!r} must be a list of at least one, each named once")
