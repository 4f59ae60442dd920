"""What the laws are tried on for the metrics of ragas and Nvidia; arguments of `Case`."""

from typing import Any

from laws.models import LengthRatio, LetterCounts

ITEMS: dict[str, list[Any]] = {
    "questions": ["Who sat?", "Which city?", "What is it?", "Who came?"],
    "contexts": [
        ["The cat sat.", "A dog ran."],
        ["Paris is a city."],
        ["It is red."],
        ["Rain came.", "Wind left."],
    ],
    "predicted_answers": ["The cat sat. It slept.", "Paris.", "It is red. It is big.", "Rain came."],
    "ground_truth_answers": ["The cat sat.", ["Paris.", "The city of Paris."], "It is red.", "Rain came."],
    "ground_truth_contexts": [["The cat sat."], ["Paris"], ["It is red.", "It is big."], ["Wind left."]],
    "ground_truth_documents": [["a", "b"], ["c"], ["a"], ["d", "e", "f"]],
    "retrieved_documents": [["a", "x", "b"], ["y", "c"], ["b"], ["f", "g", "d", "z"]],
}
_EMBEDDER = {"embedder": LetterCounts()}
_LEGACY = "ragas-0.4-legacy"


def _case(sockets: str, **changes: Any) -> dict[str, Any]:
    return {"inputs": {socket: ITEMS[socket] for socket in sockets.split()}, "changes": changes}


RAGAS: dict[str, dict[str, Any]] = {
    "nvidia_answer_accuracy": _case(
        "questions predicted_answers ground_truth_answers",
        references="mean",
        one_invalid="unreadable",
        undefined="skip",
        compat=_LEGACY,
    ),
    "nvidia_context_relevance": _case(
        "questions contexts",
        one_invalid="unreadable",
        undefined="skip",
        shortcuts=False,
        compat=_LEGACY,
    ),
    "nvidia_response_groundedness": _case(
        "contexts predicted_answers",
        one_invalid="unreadable",
        undefined="skip",
        no_answer="skip",
        shortcuts=True,
        compat=_LEGACY,
    ),
    "ragas_answer_correctness": _case(
        "questions predicted_answers ground_truth_answers",
        weights=[0.5, 0.5],
        beta=2.0,
        embedder=None,
        cross_encoder=LengthRatio(),
        scale="sigmoid",
        references="mean",
        undefined="zero",
        compat="ragas-0.4",
    )
    | {
        "required": _EMBEDDER,
        "without": {
            "cross_encoder": {"embedder": None},
            "scale": {"embedder": None, "cross_encoder": LengthRatio()},
        },
    },
    "ragas_answer_relevancy": _case(
        "questions predicted_answers",
        embedder=None,
        samples=2,
        noncommittal="any",
        undefined="skip",
    )
    | {"required": _EMBEDDER},
    "ragas_aspect_critic": _case(
        "predicted_answers questions", definition="Is it rude?", samples=3, direction="lower"
    )
    | {"required": {"definition": "Is it true?"}},
    "ragas_context_precision": _case(
        "questions contexts ground_truth_answers",
        references="max",
        undefined="skip",
        no_contexts="skip",
    ),
    "ragas_context_recall": _case(
        "questions contexts ground_truth_answers", references="mean", undefined="skip"
    ),
    "ragas_context_relevancy": _case("questions contexts", undefined="skip"),
    "ragas_context_utilization": _case(
        "questions contexts predicted_answers", undefined="skip", no_contexts="skip"
    ),
    "ragas_factual_correctness": _case(
        "predicted_answers ground_truth_answers",
        mode="recall",
        beta=2.0,
        atomicity="high",
        coverage="high",
        references="mean",
        undefined="skip",
        compat="ragas-0.4",
        spans=True,
    ),
    "ragas_faithfulness": _case(
        "questions contexts predicted_answers",
        undefined="one",
        no_contexts="zero",
        compat="ragas-0.4",
        spans=True,
    ),
    "ragas_id_based_context_precision": _case(
        "ground_truth_documents retrieved_documents",
        document_comparison_field="content",
        undefined="zero",
    ),
    "ragas_id_based_context_recall": _case(
        "ground_truth_documents retrieved_documents",
        document_comparison_field="content",
        undefined="zero",
    ),
    "ragas_noise_sensitivity": _case(
        "questions contexts predicted_answers ground_truth_answers",
        mode="irrelevant",
        undefined="zero",
        no_contexts="zero",
    ),
    "ragas_non_llm_context_precision": _case(
        "contexts ground_truth_contexts", distance="jaro", threshold=0.9, undefined="skip"
    ),
    "ragas_non_llm_context_recall": _case(
        "contexts ground_truth_contexts", distance="jaro", threshold=0.9, compat="ragas-0.4"
    ),
    "ragas_rubric_score": _case(
        "predicted_answers questions", rubric={"0": "It is false.", "1": "It is true."}
    ),
}
