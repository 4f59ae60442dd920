"""What the laws are tried on for LlamaIndex, Haystack, the graders and custom judges; arguments of `Case`."""

from typing import Any

from laws.models import LetterCounts

_ITEMS: dict[str, list[Any]] = {
    "questions": ["Who sat?", "Which city?", "What is it?", "Who came?"],
    "contexts": [
        ["The cat sat.", "A dog ran."],
        ["Paris is a city."],
        ["It is red."],
        ["Rain came.", "Wind left."],
    ],
    "predicted_answers": ["The cat sat. It slept.", "Paris.", "It is red. It is big.", "Rain came."],
    "second_predicted_answers": ["A cat.", "It is Lyon.", "It is blue.", "Wind came."],
    "ground_truth_answers": ["The cat sat.", ["Paris.", "The city of Paris."], "It is red.", "Rain came."],
}
_CITING = ["The cat sat [1]. It slept [2].", "Paris [1].", "It is red [1]. It is big.", "Rain came [2]."]
_PAIR = "questions predicted_answers second_predicted_answers ground_truth_answers"
_OLD = "llamaindex-0.14"
_TEMPLATE = "How polite is this? {{ predicted_answers }}"
_FACTS = {"name": "facts", "template": "Facts? {{ predicted_answers }}", "reply": {"facts": "texts"}}
_REPLY = {"reason": "text", "score": {"low": 1, "high": 5}}


def _case(sockets: str, **changes: Any) -> dict[str, Any]:
    return {"inputs": {socket: _ITEMS[socket] for socket in sockets.split()}, "changes": changes}


GRADERS: dict[str, dict[str, Any]] = {
    "citation_support": _case(
        "contexts predicted_answers", first_number=0, undefined="zero", no_contexts="skip"
    )
    | {"inputs": {"contexts": _ITEMS["contexts"], "predicted_answers": _CITING}},
    "custom_judge": _case(
        "predicted_answers",
        template=f"{_TEMPLATE}!",
        reply={"score": {"low": 1, "high": 5}},
        score="other",
        normalize=True,
        direction="lower",
        earlier_steps=[_FACTS],
        each_of="facts",
        no_entries="zero",
    )
    | {
        "required": {"template": _TEMPLATE, "reply": _REPLY},
        "without": {
            "score": {"reply": {"score": {"low": 1, "high": 5}, "other": {"low": 1, "high": 3}}},
            "each_of": {
                "template": "Which are polite? {{ facts }}",
                "reply": {"reason": "text", "verdict": ["yes", "no"]},
                "score": "verdict",
                "earlier_steps": [_FACTS],
            },
        },
    },
    "fair_pairwise": _case(_PAIR, samples=2, temperature=0.5, tie_margin=1.0),
    "geval": _case(
        "questions predicted_answers",
        criteria="fluency",
        steps=["Rate it."],
        inputs=["predicted_answers", "questions"],
        scale=[1, 3],
        weighting="none",
        samples=2,
        temperature=0.5,
    ),
    "haystack_context_relevance": _case("questions contexts", undefined="skip"),
    "haystack_faithfulness": _case(
        "questions contexts predicted_answers", undefined="one", no_contexts="skip", spans=True
    ),
    "judge_lm": _case(_PAIR, both_orders=True, tie_margin=1.0, reply_format="judgelm", compat="judgelm")
    | {"without": {"compat": {"reply_format": "judgelm"}}},
    "llama_index_answer_relevancy": _case("questions predicted_answers"),
    "llama_index_context_relevancy": _case("questions contexts", max_context_tokens=16, undefined="zero"),
    "llama_index_correctness": _case(
        "questions predicted_answers ground_truth_answers", threshold=3.0, references="mean"
    ),
    "llama_index_faithfulness": _case(
        "contexts predicted_answers", max_context_tokens=16, undefined="skip", compat=_OLD
    ),
    "llama_index_guideline": _case(
        "questions predicted_answers", guidelines=["Be brief.", "Be polite."], score="share"
    ),
    "llama_index_pairwise_comparison": _case(_PAIR, both_orders=False, tie_and_win="tie", compat=_OLD),
    "llama_index_relevancy": _case(
        "questions contexts predicted_answers", max_context_tokens=16, undefined="skip", compat=_OLD
    ),
    "llama_index_semantic_similarity": _case(
        "predicted_answers ground_truth_answers", embedder=None, threshold=0.5
    )
    | {"required": {"embedder": LetterCounts()}},
    "prometheus_absolute_grading": _case(
        "questions predicted_answers ground_truth_answers",
        rubric="honesty",
        reply_format="prometheus",
        references="mean",
    ),
    "prometheus_relative_grading": _case(
        _PAIR, rubric="Is the answer polite?", both_orders=True, reply_format="prometheus"
    ),
}
