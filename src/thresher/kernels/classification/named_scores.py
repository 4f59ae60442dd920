"""Objects with a label and its score, as the pipelines of transformers return them."""

from collections.abc import Mapping
from typing import Any

_FIELDS = {"label", "score"}


def is_named_score(entry: Any) -> bool:
    """Whether an entry is an object of a label and its score.

    >>> is_named_score({"label": "cat", "score": 0.9}), is_named_score({"cat": 0.9, "dog": 0.1})
    (True, False)
    """
    return isinstance(entry, Mapping) and entry.keys() == _FIELDS and isinstance(entry["label"], str)


def are_named_scores(entry: Any) -> bool:
    """Whether an entry is a list of such objects."""
    return isinstance(entry, list | tuple) and len(entry) > 0 and all(map(is_named_score, entry))


def scores_of(entry: Any) -> Any:
    """The scores by label of one such object or of a list of them; other entries unchanged.

    A label that a list has twice leaves the list unchanged, so that its reader can refuse it.

    >>> scores_of([{"label": "cat", "score": 0.9}, {"label": "dog", "score": 0.1}])
    {'cat': 0.9, 'dog': 0.1}
    """
    if is_named_score(entry):
        return {entry["label"]: entry["score"]}
    if not are_named_scores(entry):
        return entry
    scores = {part["label"]: part["score"] for part in entry}
    return scores if len(scores) == len(entry) else entry
