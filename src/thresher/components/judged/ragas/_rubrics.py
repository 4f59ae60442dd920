"""Rubrics: what an answer must be like for each rating."""

import re
from collections.abc import Mapping
from typing import Any

from thresher.errors import InputError

Rubric = dict[int, str]

WITHOUT_REFERENCE: Rubric = {
    1: "The answer is wrong throughout, or has nothing to do with the question.",
    2: "The answer is wrong in its main points, or misses most of what was asked.",
    3: "The answer is right in the main, but has errors, or leaves out something that was asked.",
    4: "The answer is right and covers what was asked, with small lapses in exactness or clarity.",
    5: "The answer is right, covers all that was asked, and is exact and clear.",
}
WITH_REFERENCE: Rubric = {
    1: "The answer contradicts the reference throughout, or has nothing to do with it.",
    2: "The answer agrees with the reference in some points only, and contradicts or misses its main ones.",
    3: "The answer agrees with the main points of the reference, but has errors or leaves out several more.",
    4: "The answer agrees with the reference, apart from minor points that are missing or not exact.",
    5: "The answer agrees with the reference in every point and leaves nothing out.",
}


def rubric_of(where: str, entry: Any) -> Rubric:
    """A rubric by rising ratings.

    Args:
        where: what to call it in errors.
        entry: rating -> description; a rating is a whole number, or ragas' "score3_description".

    Raises:
        InputError: for what is no rubric of at least two ratings.
    """
    if not isinstance(entry, Mapping):
        raise InputError(f"{where} is {type(entry).__name__}; give a mapping of ratings to descriptions")
    rubric = {_rating(where, key): description for key, description in entry.items()}
    if len(rubric) < max(len(entry), 2):
        raise InputError(f"{where} needs at least two ratings, each once; it has {list(entry)}")
    for rating, description in rubric.items():
        if not isinstance(description, str) or not description.strip():
            raise InputError(f"{where} has no description for {rating}; give a text")
    return dict(sorted(rubric.items()))


def written(rubric: Rubric) -> dict[str, str]:
    """The rubric as a prompt and a file take it."""
    return {str(rating): description for rating, description in rubric.items()}


def _rating(where: str, key: Any) -> int:
    found = re.fullmatch(r"(?:score)?\s*(-?\d+)(?:_description)?", str(key).strip())
    if found is None or isinstance(key, bool):
        raise InputError(f"{where} has the rating {key!r}; give whole numbers")
    return int(found[1])
