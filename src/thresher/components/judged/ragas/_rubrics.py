"""Rubrics: a description of answers for each rating."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from thresher.errors import InputError

_CRITERIA = "criteria"


@dataclass(frozen=True)
class RagasRubric:
    """A rubric.

    Attributes:
        levels: rating -> description, in rising order.
        criteria: general criteria; may be empty.
    """

    levels: Mapping[int, str]
    criteria: str = ""

    def written(self) -> dict[str, str]:
        """The rubric as in prompts and files."""
        levels = {str(rating): description for rating, description in self.levels.items()}
        return {_CRITERIA: self.criteria, **levels} if self.criteria else levels


WITHOUT_REFERENCE = RagasRubric(
    {
        1: "The answer is wrong throughout, or has nothing to do with the question.",
        2: "The answer is wrong in its main points, or misses most of what was asked.",
        3: "The answer is right in the main, but has errors, or leaves out something that was asked.",
        4: "The answer is right and covers what was asked, with small lapses in exactness or clarity.",
        5: "The answer is right, covers all that was asked, and is exact and clear.",
    }
)
WITH_REFERENCE = RagasRubric(
    {
        1: "The answer contradicts the reference throughout, or has nothing to do with it.",
        2: "The answer agrees with the reference in some points, and contradicts or misses its main ones.",
        3: "The answer agrees with the main points of the reference, but has errors or misses several more.",
        4: "The answer agrees with the reference, apart from minor points that are missing or not exact.",
        5: "The answer agrees with the reference in every point and leaves nothing out.",
    }
)


def rubric_of(where: str, entry: Any) -> RagasRubric:
    """Return a rubric from its description.

    Args:
        where: name of the entry in errors.
        entry: rating -> description, and optionally `criteria`; a rating is a whole number, or ragas'
            "score3_description".

    Raises:
        InputError: for anything but descriptions of at least two ratings.
    """
    if not isinstance(entry, Mapping):
        raise InputError(f"{where} is {type(entry).__name__}; give a mapping of ratings to descriptions")
    for key, description in entry.items():
        if not isinstance(description, str) or not description.strip():
            raise InputError(f"{where} has no description for {key!r}; give a text")
    keys = [key for key in entry if key != _CRITERIA]
    levels = {_rating(where, key): entry[key] for key in keys}
    if len(levels) < max(len(keys), 2):
        raise InputError(f"{where} needs at least two ratings, each once; it has {keys}")
    return RagasRubric(dict(sorted(levels.items())), entry.get(_CRITERIA, ""))


def _rating(where: str, key: Any) -> int:
    match = re.fullmatch(r"(?:score)?\s*(-?\d+)(?:_description)?", str(key).strip())
    if match is None:
        raise InputError(f"{where} has the rating {key!r}; give whole numbers")
    return int(match[1])
