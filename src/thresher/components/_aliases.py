"""Aliases of metrics: their names in other systems, and names of measures.

Results always have the metric's own name. A name that several systems use for different quantities has
several entries; it raises an error that lists them.
"""

ALIASES: dict[str, tuple[str, ...]] = {
    # Haystack's proposal of evaluation results, and its evaluators
    "multi_hit": ("retrieval_recall",),
    "sas": ("semantic_similarity",),
    "semantic_answer_similarity": ("semantic_similarity",),
    "single_hit": ("retrieval_hit_rate",),
    # Short forms
    "f1": ("classification_f1", "detection_f1", "multilabel_f1", "token_f1"),
    "map": ("retrieval_average_precision", "detection_average_precision"),
    "pq": ("segmentation_panoptic_quality",),
    # Valor's types
    "AP": ("detection_average_precision",),
    "APAveragedOverIOUs": ("detection_average_precision",),
    "AR": ("detection_average_recall",),
    "Accuracy": ("classification_accuracy",),
    "AnswerRelevance": ("valor_answer_relevance",),
    "BLEU": ("bleu",),
    "Bias": ("valor_bias",),
    "Coherence": ("valor_coherence",),
    "ConfusionMatrix": ("classification_confusion_matrix", "detection_confusion_matrix"),
    "DetailedPrecisionRecallCurve": (
        "classification_detailed_precision_recall_curve",
        "detection_detailed_precision_recall_curve",
    ),
    "F1": ("classification_f1",),
    "Hallucination": ("valor_hallucination",),
    "IOU": ("segmentation_mean_iou",),
    "Precision": ("classification_precision",),
    "PrecisionRecallCurve": ("classification_precision_recall_curve", "detection_precision_recall_curve"),
    "ROCAUC": ("classification_roc_auc",),
    "ROUGE": ("rouge",),
    "Recall": ("classification_recall",),
    "SummaryCoherence": ("valor_summary_coherence",),
    "Toxicity": ("valor_toxicity",),
    "mAP": ("detection_average_precision",),
    "mAPAveragedOverIOUs": ("detection_average_precision",),
    "mAR": ("detection_average_recall",),
    "mIOU": ("segmentation_mean_iou",),
    # Classes of ragas, Valor and Haystack that share a name
    "AnswerCorrectness": ("ragas_answer_correctness", "valor_answer_correctness"),
    "ContextPrecision": ("ragas_context_precision", "valor_context_precision"),
    "ContextRecall": ("ragas_context_recall", "valor_context_recall"),
    "ContextRelevance": (
        "nvidia_context_relevance",
        "ragas_context_relevancy",
        "valor_context_relevance",
        "haystack_context_relevance",
    ),
    "Faithfulness": ("ragas_faithfulness", "valor_faithfulness", "haystack_faithfulness"),
    # Classes and metrics of ragas
    "AnswerAccuracy": ("nvidia_answer_accuracy",),
    "AspectCritic": ("ragas_aspect_critic",),
    "ContextRelevancy": ("ragas_context_relevancy",),
    "ContextUtilization": ("ragas_context_utilization",),
    "AgentGoalAccuracyWithReference": ("goal_accuracy",),
    "AgentGoalAccuracyWithoutReference": ("goal_accuracy",),
    "TopicAdherence": ("topic_adherence",),
    "TopicAdherenceScore": ("topic_adherence",),
    "ToolCallAccuracy": ("ragas_tool_call_accuracy",),
    "ToolCallF1": ("ragas_tool_call_f1",),
    "FactualCorrectness": ("ragas_factual_correctness",),
    "NoiseSensitivity": ("ragas_noise_sensitivity",),
    "ResponseGroundedness": ("nvidia_response_groundedness",),
    # Classes of DeepEval
    "ArgumentCorrectnessMetric": ("argument_correctness",),
    "ConversationCompletenessMetric": ("conversation_completeness",),
    "KnowledgeRetentionMetric": ("knowledge_retention",),
    "PlanAdherenceMetric": ("plan_adherence",),
    "RoleAdherenceMetric": ("role_adherence",),
    "StepEfficiencyMetric": ("step_efficiency",),
    "TaskCompletionMetric": ("task_completion",),
    "TurnRelevancyMetric": ("turn_relevance",),
    # Classes of LlamaIndex
    "CorrectnessEvaluator": ("llama_index_correctness",),
    "FaithfulnessEvaluator": ("llama_index_faithfulness", "haystack_faithfulness"),
    "GuidelineEvaluator": ("llama_index_guideline",),
    "PairwiseComparisonEvaluator": ("llama_index_pairwise_comparison",),
    "RelevancyEvaluator": ("llama_index_relevancy",),
    # trec_eval
    "Rprec": ("retrieval_rprecision",),
    "mrr": ("retrieval_reciprocal_rank",),
    "r_precision": ("retrieval_rprecision",),
    "recip_rank": ("retrieval_reciprocal_rank",),
}
"""Alias -> short names of the metrics that it may refer to."""
