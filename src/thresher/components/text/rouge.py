"""ROUGE: words, word sequences and subsequences shared with a reference answer."""

from collections.abc import Sequence
from typing import Annotated, Any, Literal

from thresher.kernels.text.rouge import check_rouge_types, count_overlaps
from thresher.metrics import ReferenceColumn, TextColumn, TextPairs, distinct, metric, outputs, settings
from thresher.results import Mean, Measure, Signature, ValorMetric

_DEFAULT_TYPES = ("rouge1", "rouge2", "rougeL", "rougeLsum")


@metric
class RougeEvaluator:
    """Overlap of the wording of the predicted answer and a reference answer.

    With several references, each type uses the precision, recall and F-measure of the reference with
    the highest F-measure (the first of equals). The mean over items is arithmetic, not bootstrapped.

    Formula: hits / tokens of the prediction (precision), hits / tokens of the reference (recall), and
        their harmonic mean 2PR / (P + R); 0 for 0/0, so equal texts of one word have a `rouge2` of 0.
    Source: Lin 2004, "ROUGE: A Package for Automatic Evaluation of Summaries"; numbers equal those of
        the package rouge-score 0.1.2.

    Args:
        rouge_types: any of `rouge1` to `rouge9` (shared n-grams), `rougeL` (longest common subsequence)
            and `rougeLsum` (the same line by line, for texts with line feeds).
        use_stemmer: whether English suffixes are stripped (Porter) from words of more than 3 characters.
        tokenizer: `rouge-score` reads only a-z and 0-9, so texts in other scripts score 0; `unicode`
            reads words of any script, and single characters of scripts without spaces.
        report: any of `fmeasure`, `precision`, `recall`.
        name: prefix of the measures' names. With the default they are `rouge1` (F-measure),
            `rouge1_precision`, `rouge1_recall`, ...; with another, `<name>_rouge1`, ...

    ```python
    evaluator = RougeEvaluator(rouge_types=["rouge1", "rougeL"])
    evaluator.run(predicted_answers=["the cat sat"], ground_truth_answers=["the cat sat down"])["score"]
    ```
    """

    rouge_types: Annotated[Sequence[str], distinct] = _DEFAULT_TYPES
    use_stemmer: bool = False
    tokenizer: Literal["rouge-score", "unicode"] = "rouge-score"
    report: Annotated[Sequence[Literal["precision", "recall", "fmeasure"]], distinct] = ("fmeasure",)
    name: str = "rouge"

    def __post_init__(self) -> None:
        check_rouge_types(self.rouge_types)

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score` and `individual_scores`: of the first type and quantity; `result`: of all.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        predictions, references = pairs.flat()
        counts = count_overlaps(
            predictions, references, self.rouge_types, self.tokenizer, use_stemmer=self.use_stemmer
        )
        remedy = "tokenizer='unicode'" if self.tokenizer == "rouge-score" else "chrf or edit_similarity"
        pairs.warn_of_unread_references(self.name, counts.reference, f"they score 0; use {remedy}")
        statistics = {}
        for rouge_type, of_pairs in counts.scores().items():
            best = pairs.best(of_pairs.fmeasure)
            for quantity, values in of_pairs._asdict().items():
                statistics[f"{rouge_type}.{quantity}"] = values[best]
        return outputs(pairs.items.result(self._measures(), statistics))

    def _measures(self) -> list[Measure]:
        signed = settings(self, "rouge_types", "report")
        measures = []
        for rouge_type in self.rouge_types:
            for quantity in self.report:
                column = f"{rouge_type}.{quantity}"
                signature = Signature.of(self._measure_name(rouge_type, quantity), signed)
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
