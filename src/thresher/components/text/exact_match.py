"""Whether an answer is a reference answer, word for word."""

from typing import Any

from haystack import component

from thresher.components._contract import check_choice, outputs, settings
from thresher.components.text._pairs import TextPairs
from thresher.kernels.text.exact_match import exact_match
from thresher.kernels.text.normalize import NORMALIZATIONS
from thresher.results import Measure, MetricResult, Signature


@component
class ExactMatchEvaluator:
    """1 if the predicted answer equals one of the reference answers after normalisation, else 0.

    Args:
        normalization: `none` compares the texts as they are; `squad` lower-cases and drops ASCII
            punctuation, English articles and extra spaces (SQuAD's script, where two empty texts match).
        name: name of the measure in reports.

    Raises:
        InputError: for an unknown normalisation, and from `run` for lists of unequal length.

    ```python
    evaluator = ExactMatchEvaluator(normalization="squad")
    evaluator.run(predicted_answers=["the Paris"], ground_truth_answers=["Paris"])["score"]  # 1.0
    ```
    """

    def __init__(self, normalization: str = "none", name: str = "exact_match") -> None:
        check_choice("normalization", normalization, list(NORMALIZATIONS))
        self.normalization = normalization
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(
        self, predicted_answers: list[str], ground_truth_answers: list[str] | list[list[str]]
    ) -> dict[str, Any]:
        """Score each item.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_answers: per item a text, or several of which any may match.

        Returns:
            `score`: share of exact matches; `individual_scores`: 0 or 1; `result`.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        normal = NORMALIZATIONS[self.normalization]
        predictions = [normal(text) for text in pairs.predictions]
        references = [[normal(text) for text in texts] for texts in pairs.references]
        measure = Measure(Signature.of(self.name, settings(self)))
        return outputs(pairs.items.result([measure], {"score": exact_match(predictions, references)}))
