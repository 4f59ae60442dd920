"""A metric of one's own: does the assistant refuse when it should, and only then? Made in tutorial 5."""

from collections.abc import Sequence
from typing import Annotated, Any

from thresher.metrics import (
    Items,
    Measure,
    RatioOfSums,
    Signature,
    Text,
    item_metric,
    metric,
    not_empty,
    outputs,
    settings,
)


def refuses(answer: str, phrases: Sequence[str]) -> bool:
    """Whether an answer says that it cannot answer: it holds one of the phrases, in any case.

    >>> refuses("Sorry, the passages DO NOT say.", ["do not say"])
    True
    >>> refuses("Eleven kilometres.", ["do not say"])
    False
    """
    text = answer.casefold()
    return any(phrase.casefold() in text for phrase in phrases)


@item_metric(direction="lower")
def refusal_rate(predicted_answers: str, *, phrase: str = "do not say") -> float:
    """Whether an answer refuses.

    Args:
        predicted_answers: the answer.
        phrase: what a refusal says.
    """
    return refuses(predicted_answers, [phrase])


@metric
class RefusalEvaluator:
    """Whether an answer refuses exactly when there is nothing to answer from.

    Formula: 1 if refused = no document is relevant, else 0. `needless`: refusals per question that has
        relevant documents; `missed`: answers per question that has none.

    Args:
        phrases: what a refusal says.
    """

    phrases: Annotated[Sequence[Text], not_empty] = ("do not say",)
    name: str = "refusal_accuracy"

    def run(self, predicted_answers: list[str], ground_truth_documents: list[list[str]]) -> dict[str, Any]:
        """Compare what was refused with what has no relevant document."""
        items = Items(predicted_answers=predicted_answers, ground_truth_documents=ground_truth_documents)
        pairs = [
            (refuses(predicted_answers[item], self.phrases), not ground_truth_documents[item])
            for item in items.present
        ]
        statistics = {
            "score": [float(refused == empty) for refused, empty in pairs],
            "needless": [float(refused and not empty) for refused, empty in pairs],
            "answerable": [float(not empty) for _, empty in pairs],
            "missed": [float(empty and not refused) for refused, empty in pairs],
            "unanswerable": [float(empty) for _, empty in pairs],
        }
        measures = [Measure(self._signature()), self._share("needless", "answerable")]
        return outputs(items.result([*measures, self._share("missed", "unanswerable")], statistics))

    def _share(self, part: str, whole: str) -> Measure:
        ratio = RatioOfSums(((part, 1.0),), ((whole, 1.0),))
        return Measure(self._signature(f"_{part}"), ratio, item_score=None, direction="lower")

    def _signature(self, suffix: str = "") -> Signature:
        return Signature.of(f"{self.name}{suffix}", settings(self))
