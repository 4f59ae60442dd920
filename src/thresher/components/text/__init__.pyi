# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components.text.bleu import BleuEvaluator as BleuEvaluator
from thresher.components.text.chrf import ChrfEvaluator as ChrfEvaluator
from thresher.components.text.cross_encoder_similarity import (
    CrossEncoderSimilarityEvaluator as CrossEncoderSimilarityEvaluator,
)
from thresher.components.text.edit_similarity import EditSimilarityEvaluator as EditSimilarityEvaluator
from thresher.components.text.exact_match import ExactMatchEvaluator as ExactMatchEvaluator
from thresher.components.text.meteor import MeteorEvaluator as MeteorEvaluator
from thresher.components.text.rouge import RougeEvaluator as RougeEvaluator
from thresher.components.text.semantic_similarity import (
    SemanticSimilarityEvaluator as SemanticSimilarityEvaluator,
)
from thresher.components.text.ter import TerEvaluator as TerEvaluator
from thresher.components.text.token_f1 import TokenF1Evaluator as TokenF1Evaluator
