"""Recipes of answers, conversations and rankings."""

from typing import Any

from thresher.components import metric_class
from thresher.pipelines.recipe import PRIMARY, Recipe

_LINES = "rougeL and rougeLsum differ only in texts of several lines"
_TOP_TEN = ("retrieval_hit_rate", "retrieval_precision", "retrieval_recall", "retrieval_ndcg")


def _rouge(longest: str) -> Any:
    """ROUGE with one of the two kinds of longest common subsequence."""
    return metric_class("rouge")(rouge_types=["rouge1", "rouge2", longest])


def _qa() -> list[Any]:
    return ["exact_match", "token_f1", _rouge("rougeL")]


def _rag() -> list[Any]:
    judged = ("faithfulness", "answer_relevance", "context_precision", "context_recall", "context_relevance")
    ranked = ("hit_rate", "recall", "reciprocal_rank")
    return [*_qa(), *(f"retrieval_{name}" for name in ranked), *(f"valor_{name}" for name in judged)]


def _agent() -> list[Any]:
    calls = ("f1", "arguments", "order")
    return [*(f"tool_call_{name}" for name in calls), "agent_counts", "agent_tokens"]


def _conversation() -> list[Any]:
    return ["conversation_completeness", "turn_relevance", "knowledge_retention"]


def _summarization() -> list[Any]:
    return [_rouge("rougeLsum"), "valor_summary_coherence", "valor_faithfulness", "valor_hallucination"]


def _safety() -> list[Any]:
    return ["valor_bias", "valor_toxicity"]


def _retrieval() -> list[Any]:
    whole = ("retrieval_reciprocal_rank", "retrieval_average_precision")
    return [*(metric_class(name)(top_k=10) for name in _TOP_TEN), *whole]


TEXT_RECIPES: dict[str, Recipe] = {
    "agent": Recipe(
        "calls of tools in conversations against expected calls, steps and failures",
        ("conversations", "reference_tool_calls"),
        _agent,
        ("tool_call_f1",),
        "--data conversations.jsonl",
        {PRIMARY: "it falls with missing and with unnecessary calls, and with wrong arguments"},
        ("goal_accuracy", "step_efficiency", "argument_correctness"),
    ),
    "conversation": Recipe(
        "intentions, replies and memory in conversations with a user; asks a judge",
        ("conversations",),
        _conversation,
        ("conversation_completeness",),
        "--data conversations.jsonl",
        {PRIMARY: "users come for their intentions; the other measures help to explain why it is low"},
    ),
    "qa": Recipe(
        "short and long answers against reference answers",
        ("predicted_answers", "ground_truth_answers"),
        _qa,
        ("token_f1",),
        reasons={
            PRIMARY: "exact match is near 0 for long answers, and ROUGE mostly follows token F1",
            "rouge.rouge_types": _LINES,
        },
    ),
    "rag": Recipe(
        "answers, contexts and rankings; asks a judge",
        (
            "predicted_answers",
            "ground_truth_answers",
            "ground_truth_documents",
            "retrieved_documents",
            "questions",
            "contexts",
        ),
        _rag,
        ("valor_faithfulness",),
        reasons={
            PRIMARY: "it rates the answer, and needs neither a reference nor judged documents",
            "rouge.rouge_types": _LINES,
        },
    ),
    "retrieval": Recipe(
        "rankings against relevance judgements",
        ("ground_truth_documents", "retrieved_documents"),
        _retrieval,
        ("retrieval_ndcg@10",),
        reasons={
            PRIMARY: "only nDCG uses both the rank and the grade of every relevant document",
            **{f"{name}.top_k": "retrieval benchmarks report this measure at 10" for name in _TOP_TEN},
        },
    ),
    "safety": Recipe(
        "bias and toxicity of answers; asks a judge",
        ("predicted_answers",),
        _safety,
        ("valor_bias", "valor_toxicity"),
        reasons={PRIMARY: "these are different harms; an answer can be free of one and full of the other"},
    ),
    "summarization": Recipe(
        "summaries against their sources and references; asks a judge",
        ("predicted_answers", "ground_truth_answers", "contexts"),
        _summarization,
        ("rougeLsum", "valor_faithfulness"),
        reasons={
            PRIMARY: "one rates what a summary leaves out, the other what it makes up",
            "rouge.rouge_types": _LINES,
        },
    ),
}
"""By name."""
