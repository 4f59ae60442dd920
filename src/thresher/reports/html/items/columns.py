"""The content and the part of an input column, which decide how the page shows it."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from typing import Any

from thresher.reports.html.items.objects import is_objects
from thresher.reports.html.items.pictures import is_picture
from thresher.results.column_roles import roles_of
from thresher.results.vocabulary import is_output

_PARTS = {
    "questions": "question",
    "predicted_answers": "answer",
    "ground_truth_answers": "reference",
    "contexts": "contexts",
    "conversations": "conversation",
    "reference_conversations": "reference conversation",
    "reference_tool_calls": "calls",
    "retrieved_documents": "retrieved",
    "ground_truth_documents": "relevant",
    "predictions": "predictions",
    "ground_truths": "truths",
}
"""Socket -> part, for columns that the page shows in a special way."""


def parts_of(columns: Mapping[str, Sequence[Any]] | Iterable[str]) -> dict[str, str]:
    """Return column name -> part; each part belongs to one column, the one with the most specific name.

    Args:
        columns: the input columns, column name -> one entry per item; or their names alone, if the entries
            are unknown.

    >>> parts_of({"id": [1], "query": ["q"], "answer": ["a"], "predicted_answer": ["b"]})
    {'query': 'question', 'answer': 'reference', 'predicted_answer': 'answer'}
    """
    entries = columns if isinstance(columns, Mapping) else dict.fromkeys(columns, ())
    played = {name: _PARTS[socket] for name, socket in roles_of(entries).items() if socket in _PARTS}
    if "answer" not in played.values():
        other = next((name for name in entries if is_output(name) and name.startswith("predicted_")), None)
        played |= {} if other is None else {other: "answer"}
    return played


def kind_of(entries: Sequence[Any], part: str = "") -> str:
    """Return `text`, `picture`, `texts`, `number`, `objects` (of images, if that is the part) or `data`.

    >>> kind_of(["a", None]), kind_of([["a", "b"], []]), kind_of([1, 0.5]), kind_of([{"a": 1}])
    ('text', 'texts', 'number', 'data')
    """
    known = [entry for entry in entries if entry is not None]
    if known and all(isinstance(entry, str) for entry in known):
        return "picture" if any(map(is_picture, known)) else "text"
    if known and all(isinstance(entry, Real) for entry in known):
        return "number"
    if known and all(_are_texts(entry) for entry in known):
        return "texts"
    if known and part in ("predictions", "truths") and all(map(is_objects, known)):
        return "objects"
    return "data"


def is_flag(entries: Iterable[Any]) -> bool:
    """Whether a column contains both zeros and ones and nothing else, except for missing entries.

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
