"""Comparison of the statements of an answer and of its references."""

from collections.abc import Sequence
from dataclasses import dataclass

from thresher.components.judged._comparison import comparison
from thresher.components.judged.ragas._steps import Compat, statements_of
from thresher.judges import Flow, JudgeVerdict, judge_each, together
from thresher.kernels.verdicts import f_beta
from thresher.metrics import JudgedItem, Undefined, score_by_policy, verdict_evidence

_TALLY = ("true_positive", "false_positive", "false_negative")
COUNTS = (*_TALLY, "factuality", "similarity")


@dataclass(frozen=True)
class Factuality:
    """F-beta of statements.

    Attributes:
        beta: weight of recall relative to precision.
        undefined: policy if neither side states anything.
        compat: with `ragas-0.4`, 1 if any side states nothing.
    """

    beta: float
    undefined: Undefined
    compat: Compat

    def by_reference(
        self, question: str | None, answer: str, references: Sequence[str]
    ) -> Flow[list[JudgedItem]]:
        """Return the factuality of an answer for each of its references."""
        stated, *expected = yield from together(
            *(statements_of(question, part) for part in (answer, *references))
        )
        return (yield from together(*(self._compared(question, stated, reference) for reference in expected)))

    def _compared(
        self, question: str | None, stated: Sequence[str], expected: Sequence[str]
    ) -> Flow[JudgedItem]:
        if not stated and not expected:
            return score_by_policy(self.undefined, "neither answer nor reference states anything", COUNTS)
        if self.compat == "ragas-0.4" and not (stated and expected):
            return score_by_policy("one", "one side states nothing", COUNTS)
        answer = {f"a{place}": part for place, part in enumerate(stated, 1)}
        reference = {f"r{place}": part for place, part in enumerate(expected, 1)}
        verdicts: dict[str, JudgeVerdict] = {}
        if stated and expected:
            verdicts = yield from judge_each(comparison(question, answer, reference))
        supported = {id_ for id_, verdict in verdicts.items() if verdict.label == "yes"}
        tp, fn = len(supported & answer.keys()), len(reference.keys() - supported)
        counts = dict(zip(_TALLY, (tp, len(answer) - tp, fn), strict=True))
        score = f_beta(tp / len(answer), tp / (tp + fn), self.beta) if tp else 0.0
        evidence = {
            "answer": verdict_evidence(answer, verdicts),
            "reference": verdict_evidence(reference, verdicts),
        }
        return JudgedItem(score, counts, evidence)
