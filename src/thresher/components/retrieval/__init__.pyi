# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.retrieval.average_precision import (
    RetrievalAveragePrecisionEvaluator as RetrievalAveragePrecisionEvaluator,
)
from thresher.components.retrieval.fbeta import RetrievalFBetaEvaluator as RetrievalFBetaEvaluator
from thresher.components.retrieval.hit_rate import RetrievalHitRateEvaluator as RetrievalHitRateEvaluator
from thresher.components.retrieval.ndcg import RetrievalNdcgEvaluator as RetrievalNdcgEvaluator
from thresher.components.retrieval.precision import RetrievalPrecisionEvaluator as RetrievalPrecisionEvaluator
from thresher.components.retrieval.recall import RetrievalRecallEvaluator as RetrievalRecallEvaluator
from thresher.components.retrieval.reciprocal_rank import (
    RetrievalReciprocalRankEvaluator as RetrievalReciprocalRankEvaluator,
)
from thresher.components.retrieval.rprecision import (
    RetrievalRPrecisionEvaluator as RetrievalRPrecisionEvaluator,
)
