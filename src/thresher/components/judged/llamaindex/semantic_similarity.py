"""Similarity of the meanings of an answer and a reference answer, and whether it passes a threshold."""

from typing import Any

import numpy as np

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.components.text.semantic_similarity import SemanticSimilarityEvaluator
from thresher.metrics import FiniteNumber, ReferenceColumn, TextColumn, metric, outputs
from thresher.results import Mean, Measure, MetricResult, Signature, Statistics


@metric
class LlamaIndexSemanticSimilarityEvaluator:
    """Similarity of the meanings of an answer and a reference answer: the cosine of their embeddings.

    Formula: a.b / (|a| |b|), -1 to 1; the closest of several references; passing = similarity >= threshold
    Source: LlamaIndex, `SemanticSimilarityEvaluator` with the cosine; this package's
        `SemanticSimilarityEvaluator` computes the similarities.
    Calls: none; each distinct text is embedded once.
    Differs: blank texts are not embedded, and items without an answer are left out. Dot product and distance
        are not available: for embeddings of length 1 they rank answers as the cosine does.

    Args:
        embedder: a Haystack text embedder or document embedder; None for the offline sentence encoder of the
            extra `semantic`.
        threshold: the lowest similarity that passes; the share that does is the measure `..._passing`.

    Raises:
        MissingDependencyError: from `run`, without an embedder where the extra `semantic` is missing.

    ```python
    evaluator = LlamaIndexSemanticSimilarityEvaluator(threshold=0.9)
    evaluator.run(predicted_answers=["She resigned."], ground_truth_answers=["She quit her job."])
    ```
    """

    embedder: Any = None
    threshold: FiniteNumber = 0.8
    name: str = "llama_index_semantic_similarity"

    def __post_init__(self) -> None:
        self._evaluator = SemanticSimilarityEvaluator(embedder=self.embedder, name=self.name)

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Compare each answer with its references.

        Returns:
            `score`: mean similarity; `individual_scores`: of each item; `result`, with evidence.
        """
        similarities: MetricResult = self._evaluator.run(predicted_answers, ground_truth_answers)["result"]
        scores = similarities.item_scores()
        passing = scores >= self.threshold
        return outputs(
            MetricResult(
                self._measures(similarities.measures[0]),
                Statistics({"score": np.nan_to_num(scores), "passing": passing.astype(np.float64)}),
                similarities.status,
                similarities.reasons,
                [
                    None if np.isnan(score) else fields(score, "", passing=good)
                    for score, good in zip(scores.tolist(), passing.tolist(), strict=True)
                ],
            )
        )

    def _measures(self, similarity: Measure) -> list[Measure]:
        """The similarity, and the share of answers that pass."""
        settings = dict(similarity.signature.settings)
        passing = {**settings, "threshold": self.threshold}
        return [
            Measure(Signature.of(self.name, passing), bounds=similarity.bounds),
            Measure(Signature.of(f"{self.name}_passing", passing), Mean("passing"), "passing"),
        ]
