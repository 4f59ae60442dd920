# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.retrieval.average_precision import (
    AveragePrecisionEvaluator as AveragePrecisionEvaluator,
)
from thresher.components.retrieval.fbeta import FBetaEvaluator as FBetaEvaluator
from thresher.components.retrieval.hit_rate import HitRateEvaluator as HitRateEvaluator
from thresher.components.retrieval.ndcg import NdcgEvaluator as NdcgEvaluator
from thresher.components.retrieval.precision import PrecisionEvaluator as PrecisionEvaluator
from thresher.components.retrieval.recall import RecallEvaluator as RecallEvaluator
from thresher.components.retrieval.reciprocal_rank import ReciprocalRankEvaluator as ReciprocalRankEvaluator
from thresher.components.retrieval.rprecision import RPrecisionEvaluator as RPrecisionEvaluator
