# What type checkers see of this package; written by scripts/write_components.py.

from thresher.components._names import (
    metric_class as metric_class,
    metric_name as metric_name,
    metric_names as metric_names,
)
from thresher.components.agents.agent_counts import AgentCountsEvaluator as AgentCountsEvaluator
from thresher.components.agents.agent_tokens import AgentTokensEvaluator as AgentTokensEvaluator
from thresher.components.agents.agentevals_trajectory_match import (
    AgentevalsTrajectoryMatchEvaluator as AgentevalsTrajectoryMatchEvaluator,
)
from thresher.components.agents.deepeval_tool_correctness import (
    DeepevalToolCorrectnessEvaluator as DeepevalToolCorrectnessEvaluator,
)
from thresher.components.agents.ragas_tool_call_accuracy import (
    RagasToolCallAccuracyEvaluator as RagasToolCallAccuracyEvaluator,
)
from thresher.components.agents.ragas_tool_call_f1 import RagasToolCallF1Evaluator as RagasToolCallF1Evaluator
from thresher.components.agents.tool_call_arguments import (
    ToolCallArgumentsEvaluator as ToolCallArgumentsEvaluator,
)
from thresher.components.agents.tool_call_f1 import ToolCallF1Evaluator as ToolCallF1Evaluator
from thresher.components.agents.tool_call_order import ToolCallOrderEvaluator as ToolCallOrderEvaluator
from thresher.components.agents.tool_call_precision import (
    ToolCallPrecisionEvaluator as ToolCallPrecisionEvaluator,
)
from thresher.components.agents.tool_call_recall import ToolCallRecallEvaluator as ToolCallRecallEvaluator
from thresher.components.checks.citation_precision import (
    CitationPrecisionEvaluator as CitationPrecisionEvaluator,
)
from thresher.components.checks.citation_recall import CitationRecallEvaluator as CitationRecallEvaluator
from thresher.components.checks.json_schema import JsonSchemaEvaluator as JsonSchemaEvaluator
from thresher.components.checks.json_valid import JsonValidEvaluator as JsonValidEvaluator
from thresher.components.checks.language_match import LanguageMatchEvaluator as LanguageMatchEvaluator
from thresher.components.checks.refusal import RefusalEvaluator as RefusalEvaluator
from thresher.components.checks.sql_form import SqlFormEvaluator as SqlFormEvaluator
from thresher.components.checks.sql_rows import SqlRowsEvaluator as SqlRowsEvaluator
from thresher.components.checks.text_conditions import TextConditionsEvaluator as TextConditionsEvaluator
from thresher.components.checks.text_length import TextLengthEvaluator as TextLengthEvaluator
from thresher.components.classification.accuracy import (
    ClassificationAccuracyEvaluator as ClassificationAccuracyEvaluator,
)
from thresher.components.classification.average_precision import (
    ClassificationAveragePrecisionEvaluator as ClassificationAveragePrecisionEvaluator,
)
from thresher.components.classification.balanced_accuracy import (
    ClassificationBalancedAccuracyEvaluator as ClassificationBalancedAccuracyEvaluator,
)
from thresher.components.classification.best_threshold import (
    ClassificationBestThresholdEvaluator as ClassificationBestThresholdEvaluator,
)
from thresher.components.classification.brier_score import (
    ClassificationBrierScoreEvaluator as ClassificationBrierScoreEvaluator,
)
from thresher.components.classification.calibration import (
    ClassificationCalibrationErrorEvaluator as ClassificationCalibrationErrorEvaluator,
)
from thresher.components.classification.cohen_kappa import (
    ClassificationCohenKappaEvaluator as ClassificationCohenKappaEvaluator,
)
from thresher.components.classification.confusion_matrix import (
    ClassificationConfusionMatrixEvaluator as ClassificationConfusionMatrixEvaluator,
)
from thresher.components.classification.detailed_precision_recall_curve import (
    ClassificationDetailedPrecisionRecallCurveEvaluator as ClassificationDetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.f1 import ClassificationF1Evaluator as ClassificationF1Evaluator
from thresher.components.classification.log_loss import (
    ClassificationLogLossEvaluator as ClassificationLogLossEvaluator,
)
from thresher.components.classification.matthews_correlation import (
    ClassificationMatthewsCorrelationEvaluator as ClassificationMatthewsCorrelationEvaluator,
)
from thresher.components.classification.precision import (
    ClassificationPrecisionEvaluator as ClassificationPrecisionEvaluator,
)
from thresher.components.classification.precision_recall_curve import (
    ClassificationPrecisionRecallCurveEvaluator as ClassificationPrecisionRecallCurveEvaluator,
)
from thresher.components.classification.recall import (
    ClassificationRecallEvaluator as ClassificationRecallEvaluator,
)
from thresher.components.classification.roc_auc import (
    ClassificationRocAucEvaluator as ClassificationRocAucEvaluator,
)
from thresher.components.classification.roc_curve import (
    ClassificationRocCurveEvaluator as ClassificationRocCurveEvaluator,
)
from thresher.components.classification.topk_accuracy import (
    ClassificationTopkAccuracyEvaluator as ClassificationTopkAccuracyEvaluator,
)
from thresher.components.detection.average_precision import (
    DetectionAveragePrecisionEvaluator as DetectionAveragePrecisionEvaluator,
)
from thresher.components.detection.average_recall import (
    DetectionAverageRecallEvaluator as DetectionAverageRecallEvaluator,
)
from thresher.components.detection.best_threshold import (
    DetectionBestThresholdEvaluator as DetectionBestThresholdEvaluator,
)
from thresher.components.detection.coco import DetectionCocoEvaluator as DetectionCocoEvaluator
from thresher.components.detection.confusion_matrix import (
    DetectionConfusionMatrixEvaluator as DetectionConfusionMatrixEvaluator,
)
from thresher.components.detection.detailed_precision_recall_curve import (
    DetectionDetailedPrecisionRecallCurveEvaluator as DetectionDetailedPrecisionRecallCurveEvaluator,
)
from thresher.components.detection.errors import DetectionErrorEvaluator as DetectionErrorEvaluator
from thresher.components.detection.f1 import DetectionF1Evaluator as DetectionF1Evaluator
from thresher.components.detection.keypoints import DetectionKeypointsEvaluator as DetectionKeypointsEvaluator
from thresher.components.detection.kitti import DetectionKittiEvaluator as DetectionKittiEvaluator
from thresher.components.detection.lvis import DetectionLvisEvaluator as DetectionLvisEvaluator
from thresher.components.detection.open_images import (
    DetectionOpenImagesEvaluator as DetectionOpenImagesEvaluator,
)
from thresher.components.detection.precision_recall_curve import (
    DetectionPrecisionRecallCurveEvaluator as DetectionPrecisionRecallCurveEvaluator,
)
from thresher.components.detection.tide import DetectionTideEvaluator as DetectionTideEvaluator
from thresher.components.judged.citations.citation_support import (
    CitationSupportEvaluator as CitationSupportEvaluator,
)
from thresher.components.judged.conversations.argument_correctness import (
    ArgumentCorrectnessEvaluator as ArgumentCorrectnessEvaluator,
)
from thresher.components.judged.conversations.conversation_completeness import (
    ConversationCompletenessEvaluator as ConversationCompletenessEvaluator,
)
from thresher.components.judged.conversations.goal_accuracy import (
    GoalAccuracyEvaluator as GoalAccuracyEvaluator,
)
from thresher.components.judged.conversations.knowledge_retention import (
    KnowledgeRetentionEvaluator as KnowledgeRetentionEvaluator,
)
from thresher.components.judged.conversations.plan_adherence import (
    PlanAdherenceEvaluator as PlanAdherenceEvaluator,
)
from thresher.components.judged.conversations.role_adherence import (
    RoleAdherenceEvaluator as RoleAdherenceEvaluator,
)
from thresher.components.judged.conversations.step_efficiency import (
    StepEfficiencyEvaluator as StepEfficiencyEvaluator,
)
from thresher.components.judged.conversations.task_completion import (
    TaskCompletionEvaluator as TaskCompletionEvaluator,
)
from thresher.components.judged.conversations.topic_adherence import (
    TopicAdherenceEvaluator as TopicAdherenceEvaluator,
)
from thresher.components.judged.conversations.turn_relevance import (
    TurnRelevanceEvaluator as TurnRelevanceEvaluator,
)
from thresher.components.judged.custom.custom_judge import CustomJudgeEvaluator as CustomJudgeEvaluator
from thresher.components.judged.geval.geval import GEvalEvaluator as GEvalEvaluator
from thresher.components.judged.haystack.context_relevance import (
    HaystackContextRelevanceEvaluator as HaystackContextRelevanceEvaluator,
)
from thresher.components.judged.haystack.faithfulness import (
    HaystackFaithfulnessEvaluator as HaystackFaithfulnessEvaluator,
)
from thresher.components.judged.judgelm.judge_lm import JudgeLmEvaluator as JudgeLmEvaluator
from thresher.components.judged.llamaindex.answer_relevancy import (
    LlamaIndexAnswerRelevancyEvaluator as LlamaIndexAnswerRelevancyEvaluator,
)
from thresher.components.judged.llamaindex.context_relevancy import (
    LlamaIndexContextRelevancyEvaluator as LlamaIndexContextRelevancyEvaluator,
)
from thresher.components.judged.llamaindex.correctness import (
    LlamaIndexCorrectnessEvaluator as LlamaIndexCorrectnessEvaluator,
)
from thresher.components.judged.llamaindex.faithfulness import (
    LlamaIndexFaithfulnessEvaluator as LlamaIndexFaithfulnessEvaluator,
)
from thresher.components.judged.llamaindex.guideline import (
    LlamaIndexGuidelineEvaluator as LlamaIndexGuidelineEvaluator,
)
from thresher.components.judged.llamaindex.pairwise_comparison import (
    LlamaIndexPairwiseComparisonEvaluator as LlamaIndexPairwiseComparisonEvaluator,
)
from thresher.components.judged.llamaindex.relevancy import (
    LlamaIndexRelevancyEvaluator as LlamaIndexRelevancyEvaluator,
)
from thresher.components.judged.llamaindex.semantic_similarity import (
    LlamaIndexSemanticSimilarityEvaluator as LlamaIndexSemanticSimilarityEvaluator,
)
from thresher.components.judged.nvidia.answer_accuracy import (
    NvidiaAnswerAccuracyEvaluator as NvidiaAnswerAccuracyEvaluator,
)
from thresher.components.judged.nvidia.context_relevance import (
    NvidiaContextRelevanceEvaluator as NvidiaContextRelevanceEvaluator,
)
from thresher.components.judged.nvidia.response_groundedness import (
    NvidiaResponseGroundednessEvaluator as NvidiaResponseGroundednessEvaluator,
)
from thresher.components.judged.pairwise.fair_pairwise import FairPairwiseEvaluator as FairPairwiseEvaluator
from thresher.components.judged.prometheus.absolute_grading import (
    PrometheusAbsoluteGradingEvaluator as PrometheusAbsoluteGradingEvaluator,
)
from thresher.components.judged.prometheus.relative_grading import (
    PrometheusRelativeGradingEvaluator as PrometheusRelativeGradingEvaluator,
)
from thresher.components.judged.ragas.answer_correctness import (
    RagasAnswerCorrectnessEvaluator as RagasAnswerCorrectnessEvaluator,
)
from thresher.components.judged.ragas.answer_relevancy import (
    RagasAnswerRelevancyEvaluator as RagasAnswerRelevancyEvaluator,
)
from thresher.components.judged.ragas.aspect_critic import (
    RagasAspectCriticEvaluator as RagasAspectCriticEvaluator,
)
from thresher.components.judged.ragas.context_precision import (
    RagasContextPrecisionEvaluator as RagasContextPrecisionEvaluator,
)
from thresher.components.judged.ragas.context_recall import (
    RagasContextRecallEvaluator as RagasContextRecallEvaluator,
)
from thresher.components.judged.ragas.context_relevancy import (
    RagasContextRelevancyEvaluator as RagasContextRelevancyEvaluator,
)
from thresher.components.judged.ragas.context_utilization import (
    RagasContextUtilizationEvaluator as RagasContextUtilizationEvaluator,
)
from thresher.components.judged.ragas.factual_correctness import (
    RagasFactualCorrectnessEvaluator as RagasFactualCorrectnessEvaluator,
)
from thresher.components.judged.ragas.faithfulness import (
    RagasFaithfulnessEvaluator as RagasFaithfulnessEvaluator,
)
from thresher.components.judged.ragas.id_based_context_precision import (
    RagasIdBasedContextPrecisionEvaluator as RagasIdBasedContextPrecisionEvaluator,
)
from thresher.components.judged.ragas.id_based_context_recall import (
    RagasIdBasedContextRecallEvaluator as RagasIdBasedContextRecallEvaluator,
)
from thresher.components.judged.ragas.noise_sensitivity import (
    RagasNoiseSensitivityEvaluator as RagasNoiseSensitivityEvaluator,
)
from thresher.components.judged.ragas.non_llm_context_precision import (
    RagasNonLlmContextPrecisionEvaluator as RagasNonLlmContextPrecisionEvaluator,
)
from thresher.components.judged.ragas.non_llm_context_recall import (
    RagasNonLlmContextRecallEvaluator as RagasNonLlmContextRecallEvaluator,
)
from thresher.components.judged.ragas.rubric_score import (
    RagasRubricScoreEvaluator as RagasRubricScoreEvaluator,
)
from thresher.components.judged.valor.answer_correctness import (
    ValorAnswerCorrectnessEvaluator as ValorAnswerCorrectnessEvaluator,
)
from thresher.components.judged.valor.answer_relevance import (
    ValorAnswerRelevanceEvaluator as ValorAnswerRelevanceEvaluator,
)
from thresher.components.judged.valor.bias import ValorBiasEvaluator as ValorBiasEvaluator
from thresher.components.judged.valor.coherence import ValorCoherenceEvaluator as ValorCoherenceEvaluator
from thresher.components.judged.valor.context_precision import (
    ValorContextPrecisionEvaluator as ValorContextPrecisionEvaluator,
)
from thresher.components.judged.valor.context_recall import (
    ValorContextRecallEvaluator as ValorContextRecallEvaluator,
)
from thresher.components.judged.valor.context_relevance import (
    ValorContextRelevanceEvaluator as ValorContextRelevanceEvaluator,
)
from thresher.components.judged.valor.faithfulness import (
    ValorFaithfulnessEvaluator as ValorFaithfulnessEvaluator,
)
from thresher.components.judged.valor.hallucination import (
    ValorHallucinationEvaluator as ValorHallucinationEvaluator,
)
from thresher.components.judged.valor.summary_coherence import (
    ValorSummaryCoherenceEvaluator as ValorSummaryCoherenceEvaluator,
)
from thresher.components.judged.valor.toxicity import ValorToxicityEvaluator as ValorToxicityEvaluator
from thresher.components.multilabel.average_precision import (
    MultilabelAveragePrecisionEvaluator as MultilabelAveragePrecisionEvaluator,
)
from thresher.components.multilabel.coverage_error import (
    MultilabelCoverageErrorEvaluator as MultilabelCoverageErrorEvaluator,
)
from thresher.components.multilabel.f1 import MultilabelF1Evaluator as MultilabelF1Evaluator
from thresher.components.multilabel.hamming_loss import (
    MultilabelHammingLossEvaluator as MultilabelHammingLossEvaluator,
)
from thresher.components.multilabel.precision import (
    MultilabelPrecisionEvaluator as MultilabelPrecisionEvaluator,
)
from thresher.components.multilabel.ranking_average_precision import (
    MultilabelRankingAveragePrecisionEvaluator as MultilabelRankingAveragePrecisionEvaluator,
)
from thresher.components.multilabel.recall import MultilabelRecallEvaluator as MultilabelRecallEvaluator
from thresher.components.multilabel.subset_accuracy import (
    MultilabelSubsetAccuracyEvaluator as MultilabelSubsetAccuracyEvaluator,
)
from thresher.components.recorded.recorded_scores import RecordedScoresEvaluator as RecordedScoresEvaluator
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
from thresher.components.segmentation.mean_iou import (
    SegmentationMeanIouEvaluator as SegmentationMeanIouEvaluator,
)
from thresher.components.segmentation.panoptic_quality import (
    SegmentationPanopticQualityEvaluator as SegmentationPanopticQualityEvaluator,
)
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
from thresher.components.usage.cost import CostEvaluator as CostEvaluator
from thresher.components.usage.latency import LatencyEvaluator as LatencyEvaluator
from thresher.components.usage.tokens import TokensEvaluator as TokensEvaluator
