"""Similarities of texts for judged metrics; a failure affects only its own item."""

from collections.abc import Sequence
from typing import Any

from thresher.components.text.cross_encoder_similarity import CrossEncoderSimilarityEvaluator, Scale
from thresher.components.text.semantic_similarity import SemanticSimilarityEvaluator
from thresher.errors import InputError, ThresherError
from thresher.judges import Outcome
from thresher.judges.session import current_session
from thresher.results import Measure, Status
from thresher.results.redaction import redacted_message

Pair = tuple[str, str]


class Similarity:
    """Similarity of two texts by embeddings or by a cross-encoder.

    Args:
        embedder: as for SemanticSimilarityEvaluator; None for its default.
        cross_encoder: as for CrossEncoderSimilarityEvaluator, instead of an embedder.
        scale: the scale of the cross-encoder.

    Raises:
        InputError: for both models, or an unusable one.
    """

    def __init__(self, embedder: Any = None, cross_encoder: Any = None, scale: Scale = "none") -> None:
        if embedder is not None and cross_encoder is not None:
            raise InputError("give an embedder or a cross_encoder, not both")
        self._evaluator: Any = (
            SemanticSimilarityEvaluator(embedder=embedder)
            if cross_encoder is None
            else CrossEncoderSimilarityEvaluator(cross_encoder=cross_encoder, scale=scale)
        )

    def settings(self) -> dict[str, str]:
        """Settings of the models for a signature."""
        measure: Measure = self._evaluator.run([], [])["result"].measures[0]
        return dict(measure.signature.settings)

    @property
    def lowest(self) -> float:
        """The lowest possible similarity."""
        return 0.0 if isinstance(self._evaluator, CrossEncoderSimilarityEvaluator) else -1.0

    def outcomes(self, pairs: Sequence[Pair]) -> list[Outcome[float]]:
        """Return the similarity of each pair, or why it has none; 1 while a run is estimated.

        Raises:
            ThresherError: for unusable models.
        """
        if current_session().estimate is not None:
            return [Outcome(1.0)] * len(pairs)
        try:
            return self._compared(pairs)
        except ThresherError:
            raise
        except Exception:  # noqa: BLE001  (embedders raise any exception; the retry one by one shows which pair caused it)
            return [self._alone(pair) for pair in pairs]

    def _compared(self, pairs: Sequence[Pair]) -> list[Outcome[float]]:
        first, second = ([pair[side] for pair in pairs] for side in (0, 1))
        result = self._evaluator.run(predicted_answers=first, ground_truth_answers=second)["result"]
        scores = result.item_scores().tolist()
        return [
            Outcome(score if status == Status.SCORED else None, Status(status), result.reasons.get(place, ""))
            for place, (score, status) in enumerate(zip(scores, result.status.tolist(), strict=True))
        ]

    def _alone(self, pair: Pair) -> Outcome[float]:
        try:
            return self._compared([pair])[0]
        except ThresherError:
            raise
        except Exception as error:  # noqa: BLE001  (as above; the reason is stored with the item)
            reason = redacted_message(f"the similarity failed: {type(error).__name__}: {error}")
            return Outcome(None, Status.FAILED, reason)
