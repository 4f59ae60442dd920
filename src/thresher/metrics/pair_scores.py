"""Scores of pairs of texts by any cross-encoder; each distinct pair is scored once."""

import inspect
import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from haystack import Document

from thresher.counted import counted
from thresher.errors import InputError
from thresher.metrics.models import warm_up

Pair = tuple[str, str]

_MOST_CACHED_PAIRS = 100_000


class PairScores:
    """Scores of (prediction, reference) pairs, cached between runs.

    Args:
        cross_encoder: an object with `predict(pairs)`, called once with all new pairs, or a Haystack ranker
            with `run(query, documents)`, called once per new prediction with all its references.

    Raises:
        InputError: if the cross-encoder is neither.
    """

    def __init__(self, cross_encoder: Any) -> None:
        self._encoder = cross_encoder
        self._known: dict[Pair, float] = {}
        run = getattr(cross_encoder, "run", None)
        parameters = inspect.signature(run).parameters if callable(run) else {}
        self._ranks = {"query", "documents"} <= set(parameters)
        self._cuts = "top_k" in parameters
        if not self._ranks and not callable(getattr(cross_encoder, "predict", None)):
            raise InputError(
                f"cross_encoder is {type(cross_encoder).__name__}; give a Haystack ranker, or an object with "
                "predict(pairs)"
            )

    def of(self, pairs: Sequence[Pair]) -> npt.NDArray[np.float64]:
        """Return one score per pair; NaN if a ranker left the reference out."""
        if len(self._known) > _MOST_CACHED_PAIRS:
            self._known.clear()
        new = [pair for pair in dict.fromkeys(pairs) if pair not in self._known]
        if new:
            warm_up(self._encoder)
            self._known |= zip(new, self._ranked(new) if self._ranks else self._predicted(new), strict=True)
        return np.array([self._known[pair] for pair in pairs], dtype=np.float64)

    def _predicted(self, pairs: list[Pair]) -> list[float]:
        scores = np.asarray(self._encoder.predict(pairs), dtype=np.float64)
        if scores.shape != (len(pairs),):
            raise InputError(
                f"the cross-encoder gave scores of shape {scores.shape} for {counted(len(pairs), 'pair')}; "
                "it must give one number per pair"
            )
        return list(scores.tolist())

    def _ranked(self, pairs: list[Pair]) -> list[float]:
        references: dict[str, list[str]] = {}
        for prediction, reference in pairs:
            references.setdefault(prediction, []).append(reference)
        scored = {}
        for prediction, texts in references.items():
            documents = [Document(id=str(place), content=text) for place, text in enumerate(texts)]
            cut = {"top_k": len(documents)} if self._cuts else {}
            ranked = self._encoder.run(query=prediction, documents=documents, **cut)["documents"]
            scores = {document.id: document.score for document in ranked}
            for document, text in zip(documents, texts, strict=True):
                score = scores.get(document.id)
                scored[prediction, text] = math.nan if score is None else float(score)
        return [scored[pair] for pair in pairs]
