"""The order of documents whose scores are equal."""

from collections.abc import Sequence
from typing import Literal

import numpy as np

TieRule = Literal["input-order", "trec", "stable-score"]
TIE_RULES: tuple[TieRule, ...] = ("input-order", "trec", "stable-score")


def ranking(scores: Sequence[float], docnos: Sequence[str], ties: TieRule) -> list[int]:
    """Positions of the documents, best first.

    `input-order` takes the list as it is; scores are not looked at. `stable-score` sorts by score,
    highest first; equal ones stay in the order given. `trec` does what trec_eval does: scores are
    rounded to 32-bit floats, so 1 and 1 + 1e-8 are equal, and equal ones are sorted by document
    number, descending as text.

    Source: trec_eval 9 (`form_res_rels.c`).

    >>> ranking([0.5, 0.9, 0.5], ["a", "b", "c"], "trec")
    [1, 2, 0]
    >>> ranking([0.5, 0.9, 0.5], ["a", "b", "c"], "stable-score")
    [1, 0, 2]
    """
    places = list(range(len(docnos)))
    if ties == "input-order":
        return places
    if ties == "stable-score":
        return sorted(places, key=scores.__getitem__, reverse=True)
    with np.errstate(over="ignore"):
        rounded = np.asarray(scores, np.float64).astype(np.float32).tolist()
    return sorted(places, key=lambda place: (rounded[place], docnos[place]), reverse=True)
