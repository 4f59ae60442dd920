"""String similarity of retrieved contexts and reference contexts."""

from collections.abc import Sequence
from types import MappingProxyType
from typing import Literal

import numpy as np
import numpy.typing as npt

Distance = Literal["levenshtein", "hamming", "jaro", "jaro_winkler"]
DISTANCES: MappingProxyType[Distance, str] = MappingProxyType(
    {
        "levenshtein": "Levenshtein",
        "hamming": "Hamming",
        "jaro": "Jaro",
        "jaro_winkler": "JaroWinkler",
    }
)
"""Name of a distance -> its module in rapidfuzz."""
NO_REFERENCES = "there are no reference contexts"


def similarities(
    contexts: Sequence[str], references: Sequence[str], distance: Distance
) -> npt.NDArray[np.float64]:
    """1 - normalised distance, retrieved contexts x reference contexts.

    >>> similarities(["abcd", "x"], ["abc"], "levenshtein").tolist()
    [[0.75], [0.0]]
    """
    from rapidfuzz import distance as rapidfuzz_distances
    from rapidfuzz.process import cdist

    if not contexts or not references:
        return np.zeros((len(contexts), len(references)))
    scorer = getattr(rapidfuzz_distances, DISTANCES[distance]).normalized_similarity
    return np.asarray(cdist(contexts, references, scorer=scorer, dtype=np.float64), dtype=np.float64)
