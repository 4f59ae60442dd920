"""Haystack components, one metric each.

`_table.py` lists them; the command line, the metric catalogue and the law tests follow from it. What is
imported here for type checkers, and `__all__`, are the same names for those who only read. A metric's short
name is its class name in snake case without `Evaluator`.
"""

import re
from collections.abc import Iterable
from importlib import import_module
from typing import TYPE_CHECKING, Any

from thresher.components._aliases import ALIASES
from thresher.components._table import MODULES
from thresher.errors import InputError
from thresher.results.suggestions import suggest

if TYPE_CHECKING:
    from thresher.components.classification.accuracy import AccuracyEvaluator
    from thresher.components.classification.calibration import CalibrationEvaluator
    from thresher.components.classification.confusion_matrix import ConfusionMatrixEvaluator
    from thresher.components.classification.detailed_precision_recall_curve import (
        DetailedPrecisionRecallCurveEvaluator,
    )
    from thresher.components.classification.f1 import ClassificationF1Evaluator
    from thresher.components.classification.precision import ClassificationPrecisionEvaluator
    from thresher.components.classification.precision_recall_curve import PrecisionRecallCurveEvaluator
    from thresher.components.classification.recall import ClassificationRecallEvaluator
    from thresher.components.classification.roc_auc import RocAucEvaluator
    from thresher.components.detection.average_precision import DetectionAveragePrecisionEvaluator
    from thresher.components.detection.average_recall import DetectionAverageRecallEvaluator
    from thresher.components.detection.coco import CocoDetectionEvaluator
    from thresher.components.detection.confusion_matrix import DetectionConfusionMatrixEvaluator
    from thresher.components.detection.detailed_precision_recall_curve import (
        DetailedDetectionPrecisionRecallCurveEvaluator,
    )
    from thresher.components.detection.errors import DetectionErrorEvaluator
    from thresher.components.detection.f1 import DetectionF1Evaluator
    from thresher.components.detection.precision_recall_curve import DetectionPrecisionRecallCurveEvaluator
    from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator
    from thresher.components.judged.geval.geval import GEvalEvaluator
    from thresher.components.judged.haystack.context_relevance import HaystackContextRelevanceEvaluator
    from thresher.components.judged.haystack.faithfulness import HaystackFaithfulnessEvaluator
    from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator
    from thresher.components.judged.llamaindex.answer_relevancy import LlamaIndexAnswerRelevancyEvaluator
    from thresher.components.judged.llamaindex.context_relevancy import LlamaIndexContextRelevancyEvaluator
    from thresher.components.judged.llamaindex.correctness import LlamaIndexCorrectnessEvaluator
    from thresher.components.judged.llamaindex.faithfulness import LlamaIndexFaithfulnessEvaluator
    from thresher.components.judged.llamaindex.guideline import LlamaIndexGuidelineEvaluator
    from thresher.components.judged.llamaindex.pairwise_comparison import (
        LlamaIndexPairwiseComparisonEvaluator,
    )
    from thresher.components.judged.llamaindex.relevancy import LlamaIndexRelevancyEvaluator
    from thresher.components.judged.llamaindex.semantic_similarity import (
        LlamaIndexSemanticSimilarityEvaluator,
    )
    from thresher.components.judged.nvidia.answer_accuracy import NvidiaAnswerAccuracyEvaluator
    from thresher.components.judged.nvidia.context_relevance import NvidiaContextRelevanceEvaluator
    from thresher.components.judged.nvidia.response_groundedness import NvidiaResponseGroundednessEvaluator
    from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator
    from thresher.components.judged.prometheus.absolute_grading import PrometheusAbsoluteGradingEvaluator
    from thresher.components.judged.prometheus.relative_grading import PrometheusRelativeGradingEvaluator
    from thresher.components.judged.ragas.answer_correctness import RagasAnswerCorrectnessEvaluator
    from thresher.components.judged.ragas.answer_relevancy import RagasAnswerRelevancyEvaluator
    from thresher.components.judged.ragas.aspect_critic import RagasAspectCriticEvaluator
    from thresher.components.judged.ragas.context_precision import RagasContextPrecisionEvaluator
    from thresher.components.judged.ragas.context_recall import RagasContextRecallEvaluator
    from thresher.components.judged.ragas.context_relevancy import RagasContextRelevancyEvaluator
    from thresher.components.judged.ragas.context_utilization import RagasContextUtilizationEvaluator
    from thresher.components.judged.ragas.factual_correctness import RagasFactualCorrectnessEvaluator
    from thresher.components.judged.ragas.faithfulness import RagasFaithfulnessEvaluator
    from thresher.components.judged.ragas.id_based_context_precision import (
        RagasIdBasedContextPrecisionEvaluator,
    )
    from thresher.components.judged.ragas.id_based_context_recall import RagasIdBasedContextRecallEvaluator
    from thresher.components.judged.ragas.noise_sensitivity import RagasNoiseSensitivityEvaluator
    from thresher.components.judged.ragas.non_llm_context_precision import (
        RagasNonLlmContextPrecisionEvaluator,
    )
    from thresher.components.judged.ragas.non_llm_context_recall import RagasNonLlmContextRecallEvaluator
    from thresher.components.judged.ragas.rubric_score import RagasRubricScoreEvaluator
    from thresher.components.judged.valor.answer_correctness import ValorAnswerCorrectnessEvaluator
    from thresher.components.judged.valor.answer_relevance import ValorAnswerRelevanceEvaluator
    from thresher.components.judged.valor.bias import ValorBiasEvaluator
    from thresher.components.judged.valor.coherence import ValorCoherenceEvaluator
    from thresher.components.judged.valor.context_precision import ValorContextPrecisionEvaluator
    from thresher.components.judged.valor.context_recall import ValorContextRecallEvaluator
    from thresher.components.judged.valor.context_relevance import ValorContextRelevanceEvaluator
    from thresher.components.judged.valor.faithfulness import ValorFaithfulnessEvaluator
    from thresher.components.judged.valor.hallucination import ValorHallucinationEvaluator
    from thresher.components.judged.valor.summary_coherence import ValorSummaryCoherenceEvaluator
    from thresher.components.judged.valor.toxicity import ValorToxicityEvaluator
    from thresher.components.recorded.recorded_scores import RecordedScoresEvaluator
    from thresher.components.retrieval.average_precision import AveragePrecisionEvaluator
    from thresher.components.retrieval.fbeta import FBetaEvaluator
    from thresher.components.retrieval.hit_rate import HitRateEvaluator
    from thresher.components.retrieval.ndcg import NdcgEvaluator
    from thresher.components.retrieval.precision import PrecisionEvaluator
    from thresher.components.retrieval.recall import RecallEvaluator
    from thresher.components.retrieval.reciprocal_rank import ReciprocalRankEvaluator
    from thresher.components.retrieval.rprecision import RPrecisionEvaluator
    from thresher.components.segmentation.mean_iou import MeanIouEvaluator
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
    "AccuracyEvaluator",
    "AveragePrecisionEvaluator",
    "BleuEvaluator",
    "CalibrationEvaluator",
    "ChrfEvaluator",
    "ClassificationF1Evaluator",
    "ClassificationPrecisionEvaluator",
    "ClassificationRecallEvaluator",
    "CocoDetectionEvaluator",
    "ConfusionMatrixEvaluator",
    "CrossEncoderSimilarityEvaluator",
    "CustomJudgeEvaluator",
    "DetailedDetectionPrecisionRecallCurveEvaluator",
    "DetailedPrecisionRecallCurveEvaluator",
    "DetectionAveragePrecisionEvaluator",
    "DetectionAverageRecallEvaluator",
    "DetectionConfusionMatrixEvaluator",
    "DetectionErrorEvaluator",
    "DetectionF1Evaluator",
    "DetectionPrecisionRecallCurveEvaluator",
    "EditSimilarityEvaluator",
    "ExactMatchEvaluator",
    "FBetaEvaluator",
    "FairPairwiseEvaluator",
    "GEvalEvaluator",
    "HaystackContextRelevanceEvaluator",
    "HaystackFaithfulnessEvaluator",
    "HitRateEvaluator",
    "JudgeLmEvaluator",
    "LlamaIndexAnswerRelevancyEvaluator",
    "LlamaIndexContextRelevancyEvaluator",
    "LlamaIndexCorrectnessEvaluator",
    "LlamaIndexFaithfulnessEvaluator",
    "LlamaIndexGuidelineEvaluator",
    "LlamaIndexPairwiseComparisonEvaluator",
    "LlamaIndexRelevancyEvaluator",
    "LlamaIndexSemanticSimilarityEvaluator",
    "MeanIouEvaluator",
    "MeteorEvaluator",
    "NdcgEvaluator",
    "NvidiaAnswerAccuracyEvaluator",
    "NvidiaContextRelevanceEvaluator",
    "NvidiaResponseGroundednessEvaluator",
    "PrecisionEvaluator",
    "PrecisionRecallCurveEvaluator",
    "PrometheusAbsoluteGradingEvaluator",
    "PrometheusRelativeGradingEvaluator",
    "RPrecisionEvaluator",
    "RagasAnswerCorrectnessEvaluator",
    "RagasAnswerRelevancyEvaluator",
    "RagasAspectCriticEvaluator",
    "RagasContextPrecisionEvaluator",
    "RagasContextRecallEvaluator",
    "RagasContextRelevancyEvaluator",
    "RagasContextUtilizationEvaluator",
    "RagasFactualCorrectnessEvaluator",
    "RagasFaithfulnessEvaluator",
    "RagasIdBasedContextPrecisionEvaluator",
    "RagasIdBasedContextRecallEvaluator",
    "RagasNoiseSensitivityEvaluator",
    "RagasNonLlmContextPrecisionEvaluator",
    "RagasNonLlmContextRecallEvaluator",
    "RagasRubricScoreEvaluator",
    "RecallEvaluator",
    "ReciprocalRankEvaluator",
    "RecordedScoresEvaluator",
    "RocAucEvaluator",
    "RougeEvaluator",
    "SemanticSimilarityEvaluator",
    "TerEvaluator",
    "TokenF1Evaluator",
    "ValorAnswerCorrectnessEvaluator",
    "ValorAnswerRelevanceEvaluator",
    "ValorBiasEvaluator",
    "ValorCoherenceEvaluator",
    "ValorContextPrecisionEvaluator",
    "ValorContextRecallEvaluator",
    "ValorContextRelevanceEvaluator",
    "ValorFaithfulnessEvaluator",
    "ValorHallucinationEvaluator",
    "ValorSummaryCoherenceEvaluator",
    "ValorToxicityEvaluator",
    "metric_class",
    "metric_name",
    "metric_names",
]


def metric_names() -> list[str]:
    """Short names of all metrics, in alphabetical order."""
    return sorted(map(_short_name, MODULES))


def metric_name(name: str) -> str:
    """Return the short name of a metric, which its results and files carry.

    Args:
        name: the short name, the name of the component, or another name of the metric: of Haystack's
            proposal (`single_hit`), of Valor, ragas, LlamaIndex or trec_eval, or of its measure.

    Raises:
        InputError: for an unknown name, and for one that several metrics have; says which were meant.

    >>> metric_name("token_f1"), metric_name("RougeEvaluator"), metric_name("single_hit")
    ('token_f1', 'rouge', 'hit_rate')
    """
    known = {_short_name(class_name): class_name for class_name in MODULES}
    if name in known:
        return name
    if name in MODULES:
        return _short_name(name)
    meanings = ALIASES.get(name, ())
    if len(meanings) == 1:
        return meanings[0]
    if meanings:
        raise InputError(f"{name!r} is the name of several metrics; choose one of {', '.join(meanings)}")
    likely = _meant(name, known)
    raise InputError(f"no metric is called {name!r}{likely}; `thresher list` and metric_names() name all")


def metric_class(name: str) -> type[Any]:
    """The component class of a metric.

    Args:
        name: short name, e.g. `token_f1`, or another one that `metric_name` knows.

    Raises:
        InputError: for an unknown name, and for one that several metrics have; says which were meant.
    """
    own = metric_name(name)
    class_name = next(each for each in MODULES if _short_name(each) == own)
    found: type[Any] = __getattr__(class_name)
    return found


def __getattr__(name: str) -> Any:
    if name not in MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{MODULES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


def _meant(name: str, known: Iterable[str]) -> str:
    """Which metrics an unknown name may mean: those that end with it, else those that resemble it."""
    ends = [each for each in known if name and each.endswith(f"_{name}")]
    if ends:
        return f" (did you mean {' or '.join(map(repr, ends[:4]))}?)"
    return suggest(name, [*known, *ALIASES])


def _short_name(class_name: str) -> str:
    """RougeEvaluator -> rouge, TokenF1Evaluator -> token_f1."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", class_name.removesuffix("Evaluator")).lower()
