"""Similarities of texts, for metrics that judge as well: what fails is the item, never its neighbours."""

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
    """How alike two texts are, by embeddings or by a cross-encoder.

    Args:
        embedder: as SemanticSimilarityEvaluator takes it; None for its own.
        cross_encoder: as CrossEncoderSimilarityEvaluator takes it, in place of an embedder.
        scale: the scale of the cross-encoder.

    Raises:
        InputError: if both are given, or one is none.
    """

    def __init__(self, embedder: Any = None, cross_encoder: Any = None, scale: Scale = "none") -> None:
        if embedder is not None and cross_encoder is not None:
            raise InputError("give an embedder or a cross_encoder, not both")
        by_both = (
            CrossEncoderSimilarityEvaluator(cross_encoder=cross_encoder, scale=scale)
            if cross_encoder is not None
            else None
        )
        self._evaluator: Any = by_both or SemanticSimilarityEvaluator(embedder=embedder)

    def told(self) -> dict[str, str]:
        """What a signature says of the models."""
        measure: Measure = self._evaluator.run([], [])["result"].measures[0]
        return dict(measure.signature.settings)

    @property
    def lowest(self) -> float:
        """The smallest similarity there can be."""
        return 0.0 if isinstance(self._evaluator, CrossEncoderSimilarityEvaluator) else -1.0

    def of(self, pairs: Sequence[Pair]) -> list[Outcome[float]]:
        """The similarity of each pair, or why it has none; 1 while a run is only estimated.

        Raises:
            ThresherError: for models that cannot be used at all.
        """
        if current_session().estimate is not None:
            return [Outcome(1.0)] * len(pairs)
        try:
            return self._compared(pairs)
        except ThresherError:
            raise
        except Exception:  # noqa: BLE001  (embedders raise what they like; it is found out whose text it was)
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
        except Exception as error:  # noqa: BLE001  (see above; the item says what happened)
            reason = redacted_message(f"the similarity failed: {type(error).__name__}: {error}")
            return Outcome(None, Status.FAILED, reason)
