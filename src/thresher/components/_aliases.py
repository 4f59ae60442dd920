"""Other names of metrics: those of other systems, and of measures, by which a metric can be asked for too.

A result always carries the metric's own name. A name that several systems give to different quantities has
several entries: it is refused with a choice, so that none is taken for another.
"""

_VALOR_TEXT = (
    "answer_correctness",
    "answer_relevance",
    "bias",
    "coherence",
    "context_precision",
    "context_recall",
    "context_relevance",
    "faithfulness",
    "hallucination",
    "summary_coherence",
    "toxicity",
)

ALIASES: dict[str, tuple[str, ...]] = {
    # Haystack's proposal of evaluation results, and its evaluators
    "multi_hit": ("recall",),
    "sas": ("semantic_similarity",),
    "semantic_answer_similarity": ("semantic_similarity",),
    "single_hit": ("hit_rate",),
    # Measures that are not called as their metrics are
    **{name: (f"valor_{name}",) for name in _VALOR_TEXT},
    "calibration_error": ("calibration",),
    "coco": ("coco_detection",),
    "detailed_detection_pr_curve_best_f1": ("detailed_detection_precision_recall_curve",),
    "detailed_pr_curve_best_f1": ("detailed_precision_recall_curve",),
    "detection_pr_curve_best_f1": ("detection_precision_recall_curve",),
    "f1": ("classification_f1", "token_f1"),
    "map": ("average_precision", "detection_average_precision"),
    "mar": ("detection_average_recall",),
    "miou": ("mean_iou",),
    "pr_curve_best_f1": ("precision_recall_curve",),
    # Valor's types
    "AP": ("detection_average_precision",),
    "APAveragedOverIOUs": ("detection_average_precision",),
    "AR": ("detection_average_recall",),
    "Accuracy": ("accuracy",),
    "AnswerRelevance": ("valor_answer_relevance",),
    "BLEU": ("bleu",),
    "Bias": ("valor_bias",),
    "Coherence": ("valor_coherence",),
    "ConfusionMatrix": ("confusion_matrix", "detection_confusion_matrix"),
    "DetailedPrecisionRecallCurve": (
        "detailed_precision_recall_curve",
        "detailed_detection_precision_recall_curve",
    ),
    "F1": ("classification_f1",),
    "Hallucination": ("valor_hallucination",),
    "IOU": ("mean_iou",),
    "Precision": ("classification_precision",),
    "PrecisionRecallCurve": ("precision_recall_curve", "detection_precision_recall_curve"),
    "ROCAUC": ("roc_auc",),
    "ROUGE": ("rouge",),
    "Recall": ("classification_recall",),
    "SummaryCoherence": ("valor_summary_coherence",),
    "Toxicity": ("valor_toxicity",),
    "mAP": ("detection_average_precision",),
    "mAPAveragedOverIOUs": ("detection_average_precision",),
    "mAR": ("detection_average_recall",),
    "mIOU": ("mean_iou",),
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
    "FactualCorrectness": ("ragas_factual_correctness",),
    "NoiseSensitivity": ("ragas_noise_sensitivity",),
    "ResponseGroundedness": ("nvidia_response_groundedness",),
    "answer_accuracy": ("nvidia_answer_accuracy",),
    "aspect_critic": ("ragas_aspect_critic",),
    "context_relevancy": ("ragas_context_relevancy", "llama_index_context_relevancy"),
    "context_utilization": ("ragas_context_utilization",),
    "factual_correctness": ("ragas_factual_correctness",),
    "noise_sensitivity": ("ragas_noise_sensitivity",),
    "response_groundedness": ("nvidia_response_groundedness",),
    # Classes of LlamaIndex
    "CorrectnessEvaluator": ("llama_index_correctness",),
    "FaithfulnessEvaluator": ("llama_index_faithfulness", "haystack_faithfulness"),
    "GuidelineEvaluator": ("llama_index_guideline",),
    "PairwiseComparisonEvaluator": ("llama_index_pairwise_comparison",),
    "RelevancyEvaluator": ("llama_index_relevancy",),
    # trec_eval
    "Rprec": ("rprecision",),
    "mrr": ("reciprocal_rank",),
    "r_precision": ("rprecision",),
    "recip_rank": ("reciprocal_rank",),
}
"""Other name -> short names of the metrics that it may mean."""
