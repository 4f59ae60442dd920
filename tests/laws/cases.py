"""For every component: inputs it can score, and for every option a value that changes the number.

A component without an entry here fails the law tests.
"""

from dataclasses import dataclass, field
from typing import Any

from laws.agents import AGENTS
from laws.checks import CHECKS
from laws.graders import GRADERS
from laws.models import LengthRatio, LetterCounts
from laws.ragas import RAGAS
from laws.vision import VISION
from thresher.components import metric_class

ANSWERS = {
    "predicted_answers": ["the cat sat", "Paris", "", "a b c d\ne f"],
    "ground_truth_answers": ["the cat sat on the mat", ["paris", "Paris"], "nothing", "a c e\nf g"],
}
SENTENCES = {
    "predicted_answers": ["the cat sat on the mat", "a b c d e", "one two three four", "x y z w"],
    "ground_truth_answers": [
        "the cat sat on a mat",
        ["a b c d", "b c d e f"],
        "one two three four",
        "v x y z w",
    ],
}
RANKINGS = {
    "ground_truth_documents": [["a", "b"], ["c"], ["a"], ["d", "e", "f"]],
    "retrieved_documents": [
        [("a", 3.0), ("x", 2.0), ("b", 1.0)],
        [("y", 9.0), ("c", 8.0)],
        [],
        [("f", 4.0), ("g", 3.0), ("d", 2.0), ("z", 2.0)],
    ],
}


@dataclass(frozen=True)
class Case:
    """How the laws are tried on one component.

    Attributes:
        inputs: socket -> entries of at least four items, all of which can be scored.
        required: init options without a default.
        changes: init option -> another value that changes the number, and so the signature.
        reporting: options that choose what is reported and change no number.
        without: options given while an option is changed, where it means nothing alone.
    """

    inputs: dict[str, list[Any]]
    required: dict[str, Any] = field(default_factory=dict)
    changes: dict[str, Any] = field(default_factory=dict)
    reporting: frozenset[str] = frozenset()
    without: dict[str, dict[str, Any]] = field(default_factory=dict)


JUDGED = {
    "questions": ["Who sat?", "Which city?", "What is it?", "Who came?"],
    "contexts": [
        ["The cat sat.", "A dog ran."],
        ["Paris is a city."],
        ["It is red."],
        ["Rain came.", "Wind left."],
    ],
    "predicted_answers": ["The cat sat. It slept.", "Paris.", "It is red. It is big.", "Rain came."],
    "ground_truth_answers": [
        "The cat sat.",
        ["Paris.", "The city of Paris."],
        "It is red.",
        "Rain came. Wind left.",
    ],
}


def _judged(sockets: str, **changes: Any) -> Case:
    """Judged by an imagined judge that says yes (see `estimating`); nobody is asked."""
    return Case({socket: JUDGED[socket] for socket in sockets.split()}, changes=changes)


_RANKING = {
    "top_k": 1,
    "document_comparison_field": "id",
    "document_grade_field": "meta.grade",
    "undefined": "zero",
    "ties": "trec",
}
_SET = _RANKING | {"min_grade": 2}


def _ranking(**changes: Any) -> Case:
    return Case(RANKINGS, changes=changes)


class Cases(dict[str, Case]):
    """Short name -> case; the error for a missing case names the place to add it."""

    def __missing__(self, name: str) -> Case:
        raise LookupError(f"{name} has no case; add one to tests/laws/cases.py")


_CASES = {
    "exact_match": Case(
        ANSWERS,
        changes={
            "normalization": "none",
            "lowercase": True,
            "ignore_punctuation": True,
            "ignore_numbers": True,
            "regexes_to_ignore": ["the "],
        },
    ),
    "token_f1": Case(ANSWERS, changes={"normalization": "none", "undefined": "one"}),
    "rouge": Case(
        ANSWERS,
        changes={"use_stemmer": True, "tokenizer": "unicode"},
        reporting=frozenset({"rouge_types", "report"}),
    ),
    "retrieval_average_precision": _ranking(**_SET),
    "retrieval_fbeta": _ranking(**_SET, beta=2.0),
    "retrieval_hit_rate": _ranking(**_SET),
    "retrieval_ndcg": _ranking(**_RANKING, gain="exponential"),
    "retrieval_precision": _ranking(**_SET, denominator="retrieved"),
    "retrieval_recall": _ranking(**_SET),
    "retrieval_reciprocal_rank": _ranking(**_SET),
    "retrieval_rprecision": _ranking(
        **{option: value for option, value in _SET.items() if option != "top_k"}
    ),
    "bleu": Case(
        SENTENCES,
        changes={
            "weights": [0.5, 0.5],
            "smoothing": 2,
            "tokenizer": "unicode",
            "convention": "sacrebleu",
            "smooth_value": 0.5,
            "lowercase": True,
        },
        without={"smooth_value": {"convention": "sacrebleu", "smoothing": "floor"}},
    ),
    "ter": Case(
        ANSWERS,
        changes={"normalized": True, "ignore_punctuation": True, "asian_support": True, "lowercase": False},
    ),
    "chrf": Case(
        ANSWERS,
        changes={"char_order": 2, "word_order": 2, "beta": 1.0, "lowercase": True, "whitespace": True},
    ),
    "cross_encoder_similarity": Case(
        ANSWERS, required={"cross_encoder": LengthRatio()}, changes={"scale": "sigmoid"}
    ),
    "edit_similarity": Case(
        ANSWERS, changes={"distance": "indel", "tokenizer": "whitespace", "normalization": "squad"}
    ),
    "meteor": Case(
        ANSWERS,
        required={"synonyms": False},
        changes={"tokenizer": "whitespace", "alpha": 0.5, "beta": 1.0, "gamma": 0.1},
    ),
    "semantic_similarity": Case(ANSWERS, changes={"embedder": LetterCounts()}),
    "recorded_scores": Case(
        {"rating": [1.0, 0.0, 0.5, 0.25]},
        required={"column": "rating"},
        reporting=frozenset({"column", "direction", "bounds"}),
    ),
    "latency": Case({"seconds": [0.5, 2.0, 0.25, 8.0]}),
    "tokens": Case({"input_tokens": [100, 250, 30, 75], "output_tokens": [20, 5, 60, 1]}),
    "cost": Case({"costs": [0.01, 0.002, 0.0, 0.5]}),
    "valor_answer_correctness": _judged(
        "questions predicted_answers ground_truth_answers",
        references="mean",
        undefined="one",
        no_references="skip",
    ),
    "valor_answer_relevance": _judged("questions predicted_answers", idk="relevant", undefined="skip"),
    "valor_bias": _judged("predicted_answers", undefined="skip"),
    "valor_coherence": _judged("predicted_answers"),
    "valor_context_precision": _judged(
        "questions contexts ground_truth_answers",
        references="max",
        undefined="skip",
        no_contexts="skip",
        no_references="skip",
        neither="skip",
    ),
    "valor_context_recall": _judged(
        "contexts ground_truth_answers",
        references="mean",
        no_contexts="skip",
        no_references="skip",
        undefined="skip",
    ),
    "valor_context_relevance": _judged("questions contexts", undefined="skip"),
    "valor_faithfulness": _judged(
        "contexts predicted_answers",
        claims="statements",
        undefined="skip",
        no_contexts="skip",
        spans="characters",
    ),
    "valor_hallucination": _judged("contexts predicted_answers", undefined="zero", spans="characters"),
    "valor_summary_coherence": _judged("contexts predicted_answers"),
    "valor_toxicity": _judged("predicted_answers", undefined="skip"),
}
_FAMILIES = VISION | RAGAS | GRADERS | AGENTS | CHECKS
CASES = Cases(_CASES | {name: Case(**case) for name, case in _FAMILIES.items()})


def made(name: str, /, **options: Any) -> Any:
    """The component of that name with its required options and these."""
    return metric_class(name)(**(CASES[name].required | options))
