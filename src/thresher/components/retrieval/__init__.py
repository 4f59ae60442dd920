"""Metrics of what was retrieved."""

from thresher.components.retrieval.average_precision import AveragePrecisionEvaluator
from thresher.components.retrieval.fbeta import FBetaEvaluator
from thresher.components.retrieval.hit_rate import HitRateEvaluator
from thresher.components.retrieval.ndcg import NdcgEvaluator
from thresher.components.retrieval.precision import PrecisionEvaluator
from thresher.components.retrieval.recall import RecallEvaluator
from thresher.components.retrieval.reciprocal_rank import ReciprocalRankEvaluator
from thresher.components.retrieval.rprecision import RPrecisionEvaluator

__all__ = [
    "AveragePrecisionEvaluator",
    "FBetaEvaluator",
    "HitRateEvaluator",
    "NdcgEvaluator",
    "PrecisionEvaluator",
    "RPrecisionEvaluator",
    "RecallEvaluator",
    "ReciprocalRankEvaluator",
]
