"""F1 of the tokens that an answer shares with a reference answer."""

from typing import Any

from thresher.kernels.text.normalize import EMPTIED_TEXTS
from thresher.kernels.text.token_f1 import TokenCounts, token_counts
from thresher.metrics import (
    Normalization,
    ReferenceColumn,
    TextColumn,
    TextPairs,
    ZeroOrOne,
    metric,
    outputs,
    settings,
)
from thresher.results import Measure, RatioOfSums, Signature


@metric
class TokenF1Evaluator:
    """F1 of the words that the predicted answer shares with a reference answer, in any order.

    With several references the one with the highest F1 counts (the first of equals). Two measures: the
    mean over items, and the micro F1 of all items' words together (`<name>_micro`).

    Formula: 2PR / (P + R) with P = shared / predicted words and R = shared / reference words; 0 without
        a shared word. Micro: 2 * sum(shared) / (sum(predicted) + sum(reference)), undefined if both are 0.
    Source: Rajpurkar et al. 2016, "SQuAD: 100,000+ Questions for Machine Comprehension of Text" and its
        evaluation script.
    Differs: SQuAD's script empties "A" and "?", so that the answer "A" scores 0 against the reference "A";
        here it scores 1.

    Args:
        normalization: `squad` lower-cases and drops ASCII punctuation and English articles (if that empties
            a text of a pair, such as the answer "A", both keep articles, or punctuation too); `unicode`
            reads case-folded words of any script, and of a text without words the signs; `none` leaves the
            texts unchanged. Then white space separates tokens.
        undefined: score of an item with an empty reference where the prediction is empty too: `zero` as
            in SQuAD 1.1's script, or `one` as in SQuAD 2.0's for questions without an answer.

    ```python
    evaluator = TokenF1Evaluator()
    evaluator.run(predicted_answers=["the cat sat"], ground_truth_answers=["A cat sat down."])["score"]  # 0.8
    ```
    """

    normalization: Normalization = "squad"
    undefined: ZeroOrOne = "zero"
    name: str = "token_f1"

    def run(self, predicted_answers: TextColumn, ground_truth_answers: ReferenceColumn) -> dict[str, Any]:
        """Score each item.

        Returns:
            `score`: mean F1; `individual_scores`: F1 of each item; `result` with both measures.
        """
        pairs = TextPairs.read(predicted_answers, ground_truth_answers)
        counts = self._counts(pairs)
        scores = counts.f1(1.0 if self.undefined == "one" else 0.0)
        best = pairs.best(scores)
        statistics = {"score": scores[best]}
        statistics |= {name: column[best] for name, column in counts._asdict().items()}
        return outputs(pairs.items.result(self._measures(), statistics))

    def _counts(self, pairs: TextPairs) -> TokenCounts:
        if self.normalization == "squad":
            return pairs.squad.tokens()
        return token_counts(*pairs.flat(), self.normalization)

    def _measures(self) -> list[Measure]:
        signed = {**settings(self), **EMPTIED_TEXTS[self.normalization]}
        micro = RatioOfSums((("overlap", 2.0),), (("predicted", 1.0), ("reference", 1.0)))
        return [
            Measure(Signature.of(self.name, signed)),
            Measure(Signature.of(f"{self.name}_micro", signed), micro),
        ]
