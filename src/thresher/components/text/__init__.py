"""Metrics that compare an answer with reference answers."""

from thresher.components.text.bleu import BleuEvaluator
from thresher.components.text.chrf import ChrfEvaluator
from thresher.components.text.cross_encoder_similarity import CrossEncoderSimilarityEvaluator
from thresher.components.text.edit_similarity import EditSimilarityEvaluator
from thresher.components.text.exact_match import ExactMatchEvaluator
from thresher.components.text.meteor import MeteorEvaluator
from thresher.components.text.rouge import RougeEvaluator
from thresher.components.text.semantic_similarity import SemanticSimilarityEvaluator
from thresher.components.text.ter import TerEvaluator
from thresher.components.text.token_f1 import TokenF1Evaluator

__all__ = [
    "BleuEvaluator",
    "ChrfEvaluator",
    "CrossEncoderSimilarityEvaluator",
    "EditSimilarityEvaluator",
    "ExactMatchEvaluator",
    "MeteorEvaluator",
    "RougeEvaluator",
    "SemanticSimilarityEvaluator",
    "TerEvaluator",
    "TokenF1Evaluator",
]
