"""Similarity of an answer and a reference answer by a cross-encoder, which reads both at once."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.metrics import (
    PairScores,
    ReferenceColumn,
    TextColumn,
    TextPairs,
    metric,
    model_description,
    outputs,
)
from thresher.results import Measure, Signature, Status

Scale = Literal["none", "sigmoid"]


@metric
class CrossEncoderSimilarityEvaluator:
    """Similarity of the predicted answer and a reference answer by a cross-encoder, which reads both.

    With several references the most similar one counts. Each distinct pair is scored once.

    Formula: the model's score s, or 1 / (1 + exp(-s)) with `sigmoid`. An item fails if a ranker returns no
        score for one of its references.
    Source: Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models".
        Differs from Haystack's `SASEvaluator`, which applies the sigmoid to all scores if any
        exceeds 1, so that the score of an item depends on other items.

    Args:
        cross_encoder: a Haystack ranker with `run(query, documents)`, called with the prediction as query
            and its references as documents; or an object with `predict(pairs)`, which gets a list of
            (prediction, reference) texts and returns one number per pair, e.g. a CrossEncoder of
            sentence-transformers. The signature has its class, and its `model`, `model_name` or
            `name_or_path`.
        scale: `none` for a model with scores between 0 and 1, `sigmoid` for a model that returns logits.

    ```python
    ranker = SentenceTransformersSimilarityRanker("cross-encoder/stsb-distilroberta-base")
    evaluator = CrossEncoderSimilarityEvaluator(cross_encoder=ranker)
    evaluator.run(predicted_answers=["She resigned."], ground_truth_answers=["She quit her job."])["score"]
    ```
    """

    cross_encoder: Any
    scale: Scale = "none"
    name: str = "cross_encoder_similarity"

    def __post_init__(self) -> None:
        self._scores = PairScores(self.cross_encoder)

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item."""
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        of_pairs = self._scores.of(list(zip(*pairs.flat(), strict=True)))
        # If one reference has no score, the highest score is unknown.
        best = pairs.best(np.where(np.isnan(of_pairs), np.inf, of_pairs))
        scores = of_pairs[best]
        scored = pairs.existing(scores, Status.FAILED, "the ranker gave no score for a reference")
        signature = Signature.of(
            self.name, {"cross_encoder": model_description(self.cross_encoder), "scale": self.scale}
        )
        scaled = self._scaled(scores[scored])
        return outputs(pairs.items.result([Measure(signature)], {"score": scaled}))

    def _scaled(self, scores: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        if self.scale == "sigmoid":
            return np.asarray(0.5 * (1 + np.tanh(scores / 2)))  # the sigmoid, without overflow
        outside = scores[(scores < 0) | (scores > 1)]
        if len(outside):
            raise InputError(
                f"{self.name}: the cross-encoder returned {outside[0]:g}, not a score between 0 and 1; pass "
                "scale='sigmoid' for a model that returns logits"
            )
        return scores
