"""Similarity by the number of edits from an answer to a reference answer."""

from typing import Any, Literal

from thresher.kernels.text.edit_distance import edit_distances, edit_similarity
from thresher.kernels.text.normalize import EMPTIED_TEXTS, normal_pair
from thresher.kernels.text.tokenize import BLEU_TOKENIZERS
from thresher.metrics import Normalization, ReferenceColumn, TextColumn, TextPairs, metric, outputs, settings
from thresher.results import Measure, RatioOfSums, Signature


@metric
class EditSimilarityEvaluator:
    """Similarity by the edits between the predicted answer and a reference: 1 for none, 0 if nothing matches.

    With several references the most similar one counts (the first of equals). Two measures: the mean
    similarity, and the error rate over all items (`<name>_error_rate`, lower is better), which is the
    character error rate or, with a tokenizer, the word error rate.

    Formula: 1 - edits / length of the longer text (`indel`: of both); 1 if both are empty. Error rate:
        sum of edits / sum of reference lengths; may exceed 1, undefined if all references are empty.
    Source: Levenshtein 1966, "Binary codes capable of correcting deletions, insertions and reversals";
        computed by rapidfuzz.

    Args:
        distance: kinds of edits. `levenshtein`: insert, delete or replace; `indel`: insert or delete;
            `osa`: Levenshtein, or swap neighbours that are not edited again; `damerau_levenshtein`: swaps
            without that limit.
        tokenizer: units of edits: `characters` (code points), or the words of `whitespace`, `13a`,
            `unicode` or `valor`.
        normalization: `none`, `squad` (lower case, no ASCII punctuation, no English articles) or
            `unicode` (case-folded words of any script), applied to both texts before; if `squad` empties a
            text of a pair, such as the answer "A", both keep articles, or punctuation too.

    ```python
    evaluator = EditSimilarityEvaluator(tokenizer="whitespace")
    evaluator.run(predicted_answers=["the cat sat"], ground_truth_answers=["the cats sat"])["score"]  # 0.667
    ```
    """

    distance: Literal["levenshtein", "indel", "osa", "damerau_levenshtein"] = "levenshtein"
    tokenizer: Literal["characters", "valor", "13a", "whitespace", "unicode"] = "characters"
    normalization: Normalization = "none"
    name: str = "edit_similarity"

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean similarity; `individual_scores`: of each item; `result` with both measures.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        normal = [normal_pair(*texts, self.normalization) for texts in zip(*pairs.flat(), strict=True)]
        distances = edit_distances(
            [prediction for prediction, _ in normal],
            [reference for _, reference in normal],
            self.distance,
            BLEU_TOKENIZERS.get(self.tokenizer),
        )
        consequence = "any answer without a token scores 1, any other 0; choose another tokenizer"
        pairs.warn_of_unread_references(self.name, distances.reference, consequence)
        scores = edit_similarity(distances, self.distance)
        best = pairs.best(scores)
        statistics = {"score": scores[best]}
        statistics |= {name: column[best] for name, column in distances._asdict().items()}
        return outputs(pairs.items.result(self._measures(), statistics))

    def _measures(self) -> list[Measure]:
        signed = {**settings(self), **EMPTIED_TEXTS[self.normalization]}
        error_rate = Measure(
            Signature.of(f"{self.name}_error_rate", signed),
            RatioOfSums((("edits", 1.0),), (("reference", 1.0),)),
            item_score=None,
            direction="lower",
            bounds=(0.0, float("inf")),
        )
        return [Measure(Signature.of(self.name, signed)), error_rate]
