"""Embeddings of texts by any Haystack embedder; each distinct text is embedded once."""

import inspect
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from haystack import Document

from thresher.errors import InputError
from thresher.kernels.text.embeddings import encode_sentence, encoder_name
from thresher.metrics.models import model_description, warm_up
from thresher.results.secret_values import remember_secrets_of

_MOST_CACHED_TEXTS = 20_000


class Embeddings:
    """Embeddings of texts, cached between runs.

    Args:
        embedder: a Haystack text embedder (`run(text)`, called text by text) or document embedder
            (`run(documents)`, called once with all new texts); None for the offline sentence encoder.

    Raises:
        InputError: if the embedder is neither.
    """

    def __init__(self, embedder: Any) -> None:
        self._embedder = embedder
        remember_secrets_of(embedder)
        self._known: dict[str, npt.NDArray[np.float32]] = {}
        run = getattr(embedder, "run", None)
        parameters = inspect.signature(run).parameters if callable(run) else {}
        self._takes_documents = "documents" in parameters
        if embedder is not None and not self._takes_documents and "text" not in parameters:
            raise InputError(
                f"embedder is {type(embedder).__name__}; give a Haystack text embedder or document embedder"
            )

    @property
    def name(self) -> str:
        """Description of the embedder for signatures."""
        return encoder_name() if self._embedder is None else model_description(self._embedder)

    def of(self, texts: Sequence[str]) -> npt.NDArray[np.float32]:
        """Return one row per text."""
        if len(self._known) > _MOST_CACHED_TEXTS:
            self._known.clear()
        new = [text for text in dict.fromkeys(texts) if text not in self._known]
        for text, embedding in zip(new, self._embedded(new), strict=True):
            self._known[text] = _vector(text, embedding)
        sizes = {len(self._known[text]) for text in texts}
        if len(sizes) > 1:
            raise InputError(f"the embedder returned embeddings of different lengths: {sorted(sizes)}")
        return np.array([self._known[text] for text in texts], dtype=np.float32)

    def _embedded(self, texts: list[str]) -> list[Any]:
        if not texts:
            return []
        if self._embedder is None:
            return [encode_sentence(text) for text in texts]
        warm_up(self._embedder)
        if not self._takes_documents:
            return [self._embedder.run(text=text)["embedding"] for text in texts]
        documents = [Document(id=str(place), content=text) for place, text in enumerate(texts)]
        embeddings = {
            document.id: document.embedding
            for document in self._embedder.run(documents=documents)["documents"]
        }
        return [embeddings.get(document.id) for document in documents]


def _vector(text: str, embedding: Any) -> npt.NDArray[np.float32]:
    vector = np.asarray([] if embedding is None else embedding, dtype=np.float32)
    if vector.ndim != 1 or not len(vector) or not np.isfinite(vector).all():
        raise InputError(f"the embedder returned no list of finite numbers for the text {text[:60]!r}")
    return vector
