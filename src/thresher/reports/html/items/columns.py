"""What an input column holds, and what part it plays, so that the file can show it as what it is."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from thresher.reports.html.items.objects import is_objects
from thresher.results.vocabulary import QUESTION_NAMES, is_output

_ANSWERS = ("predicted_answers", "predicted_answer", "response", "responses", "actual_output", "output")
_REFERENCES = (
    "ground_truth_answers",
    "ground_truth_answer",
    "reference",
    "references",
    "true_answers",
    "true_answer",
    "expected_output",
    "ground_truth",
    "answers",
    "answer",
)
_CONTEXTS = ("contexts", "retrieved_contexts", "retrieval_context", "context")
_PARTS = {
    "question": QUESTION_NAMES,
    "answer": _ANSWERS,
    "reference": _REFERENCES,
    "contexts": _CONTEXTS,
    "retrieved": ("retrieved_documents",),
    "relevant": ("ground_truth_documents",),
    "predictions": ("predictions",),
    "truths": ("ground_truths",),
}


def parts_of(names: Iterable[str]) -> dict[str, str]:
    """Column name -> part it plays; each part is played once, by the first name that it knows.

    >>> parts_of(["id", "query", "answer", "predicted_answer"])
    {'query': 'question', 'predicted_answer': 'answer', 'answer': 'reference'}
    """
    there = list(names)
    played: dict[str, str] = {}
    for part, known in _PARTS.items():
        name = next((name for name in known if name in there and name not in played), None)
        if name is not None:
            played[name] = part
    if "answer" not in played.values():
        other = next((name for name in there if is_output(name) and name.startswith("predicted_")), None)
        played |= {} if other is None else {other: "answer"}
    return played


def kind_of(entries: Sequence[Any], part: str = "") -> str:
    """`text`, `texts`, `number`, `objects` (of images, where that is the part) or `data` for anything else.

    >>> kind_of(["a", None]), kind_of([["a", "b"], []]), kind_of([1, 0.5]), kind_of([{"a": 1}])
    ('text', 'texts', 'number', 'data')
    """
    known = [entry for entry in entries if entry is not None]
    if known and all(isinstance(entry, str) for entry in known):
        return "text"
    if known and all(isinstance(entry, Real) for entry in known):
        return "number"
    if known and all(_are_texts(entry) for entry in known):
        return "texts"
    if known and part in ("predictions", "truths") and all(map(is_objects, known)):
        return "objects"
    return "data"


def is_flag(entries: Iterable[Any]) -> bool:
    """Whether a column holds both zeros and ones and nothing else, gaps aside.

    >>> is_flag([1, 0, None]), is_flag([True, False]), is_flag([1, 1]), is_flag(["0", "1"])
    (True, True, False, False)
    """
    seen = set()
    for entry in entries:
        if entry is None or entry != entry:  # noqa: PLR0124 (NaN)
            continue
        if not isinstance(entry, Real) or entry not in (0, 1):
            return False
        seen.add(float(entry))
    return len(seen) > 1


def _are_texts(entry: Any) -> bool:
    if isinstance(entry, str | Mapping) or not isinstance(entry, Sequence):
        return False
    return all(isinstance(text, str) for text in entry)
