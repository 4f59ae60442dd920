"""A metric of one's own: does the assistant refuse when it should, and only then? Made in tutorial 5."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from haystack import component

from thresher.errors import InputError
from thresher.results import Measure, MetricResult, RatioOfSums, Signature, Statistics, Status


def refuses(answer: str, phrases: Sequence[str]) -> bool:
    """Whether an answer says that it cannot answer: it holds one of the phrases, in any case.

    >>> refuses("Sorry, the passages DO NOT say.", ["do not say"])
    True
    >>> refuses("Eleven kilometres.", ["do not say"])
    False
    """
    told = answer.casefold()
    return any(phrase.casefold() in told for phrase in phrases)


@component
class RefusalEvaluator:
    """Whether an answer refuses exactly when there is nothing to answer from.

    Formula: 1 if refused = no document is relevant, else 0. `needless`: refusals per question that has
        relevant documents; `missed`: answers per question that has none.

    Args:
        phrases: what a refusal says.
        name: name of the measure in reports.

    Raises:
        InputError: without phrases, and from `run` for lists of unequal length.
    """

    def __init__(self, phrases: Sequence[str] = ("do not say",), name: str = "refusal_accuracy") -> None:
        if not phrases or not all(phrases):
            raise InputError("phrases must hold one text or more, none of them empty: what a refusal says")
        self.phrases = list(phrases)
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, predicted_answers: list[str], ground_truth_documents: list[list[str]]) -> dict[str, Any]:
        """Score each item.

        Args:
            predicted_answers: one text per item; None leaves the item out as missing.
            ground_truth_documents: ids of the relevant documents; an empty list if there are none.

        Returns:
            `score`: share of the items with the right behaviour; `individual_scores`: 0 or 1; `result`.
        """
        if len(predicted_answers) != len(ground_truth_documents):
            raise InputError("predicted_answers and ground_truth_documents must have one entry per item each")
        missing = np.array([answer is None for answer in predicted_answers], dtype=bool)
        refused = np.array([refuses(answer or "", self.phrases) for answer in predicted_answers], dtype=float)
        empty = np.array([not documents for documents in ground_truth_documents], dtype=float)
        statistics = {
            "score": refused == empty,
            "needless": refused * (1 - empty),
            "answerable": 1 - empty,
            "missed": (1 - refused) * empty,
            "unanswerable": empty,
        }
        status = np.where(missing, Status.MISSING, Status.SCORED)
        reasons = {int(item): "no entry in predicted_answers" for item in np.flatnonzero(missing)}
        columns = {name: np.asarray(column, dtype=float) for name, column in statistics.items()}
        result = MetricResult(self._measures(), Statistics(columns), status, reasons)
        return {
            "score": result.score,
            "individual_scores": result.item_scores().tolist(),
            "result": result,
        }

    def _measures(self) -> list[Measure]:
        settings = {"phrases": self.phrases}
        shares = {"needless": "answerable", "missed": "unanswerable"}
        return [
            Measure(Signature.of(self.name, settings)),
            *(
                Measure(
                    Signature.of(f"{self.name}_{wrong}", settings),
                    RatioOfSums(((wrong, 1.0),), ((of, 1.0),)),
                    item_score=None,
                    direction="lower",
                )
                for wrong, of in shares.items()
            ),
        ]
