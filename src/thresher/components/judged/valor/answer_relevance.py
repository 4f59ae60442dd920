"""Whether an answer's statements are about the question."""

from typing import Literal

from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    Undefined,
    count_label,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_STATEMENTS, _VERDICTS = "valor/statements", "valor/answer_relevance"
_COUNTS = ("relevant", "undecided", "statements")
_WORTH = {"irrelevant": 0.0, "half": 0.5, "relevant": 1.0}


@metric
class ValorAnswerRelevanceEvaluator(JudgedMetric):
    """Share of an answer's statements that are relevant to the question.

    Two calls per item: the statements are extracted, then judged together.

    Formula: relevant statements / statements
    Source: Valor, text generation metrics, "Answer Relevance". A statement that only supports an answer
        (`idk`) counts as not relevant (DeepEval counts it as relevant).

    Args:
        idk: a statement that only supports an answer counts 0 (`irrelevant`, as in Valor), 0.5 (`half`) or 1
            (`relevant`).
        undefined: score of an answer that states nothing: `zero` (as in Valor), `one`, or none (`skip`).

    ```python
    evaluator = ValorAnswerRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["It is 48 m high."])
    ```
    """

    idk: Literal["irrelevant", "half", "relevant"] = "irrelevant"
    undefined: Undefined = "zero"
    name: str = "valor_answer_relevance"

    @judged
    def run(self, questions: TextColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_STATEMENTS, _VERDICTS), _COUNTS, "AnswerRelevance")

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem]:
        stated = yield from extract(prompt(_STATEMENTS), "statements", answer)
        if not stated:
            return score_by_policy(self.undefined, "the answer states nothing", _COUNTS)
        statements = numbered(stated)
        form = Verdicts(tuple(statements), ("yes", "no", "idk"))
        ask = prompt(_VERDICTS).ask(form, question=question, statements=statements)
        verdicts = yield from judge_each(ask)
        relevant, undecided = count_label(verdicts, "yes"), count_label(verdicts, "idk")
        score = share(relevant + _WORTH[self.idk] * undecided, len(statements))
        counts = {"relevant": relevant, "undecided": undecided, "statements": len(statements)}
        return JudgedItem(float(score), counts, {"statements": verdict_evidence(statements, verdicts)})
