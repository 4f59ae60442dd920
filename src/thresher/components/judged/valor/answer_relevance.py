"""Whether an answer's statements are about the question."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import (
    JudgedItem,
    JudgeJob,
    count_label,
    judged,
    judged_async,
    score_by_policy,
    verdict_evidence,
)
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_STATEMENTS, _VERDICTS = "valor/statements", "valor/answer_relevance"
_COUNTS = ("relevant", "undecided", "statements")
_WORTH = {"irrelevant": 0.0, "half": 0.5, "relevant": 1.0}


@component
@checked_options
class ValorAnswerRelevanceEvaluator:
    """The share of an answer's statements that are relevant to the question.

    Formula: relevant statements / statements
    Source: Valor, text generation metrics, "Answer Relevance". A statement that only supports an answer
        (`idk`) counts as not relevant (DeepEval counts it as relevant).

    Two calls an item: the statements are extracted, then judged together.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        idk: a statement that supports an answer without being one is worth nothing (`irrelevant`, Valor's
            value), `half`, or as much as any other (`relevant`).
        no_statements: an answer that states nothing scores `zero` (Valor's value) or `one`, or is
            `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorAnswerRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["It is 48 m high."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        idk: str = "irrelevant",
        no_statements: str = "zero",
        name: str = "answer_relevance",
    ) -> None:
        check_choice("idk", idk, list(_WORTH))
        check_choice("no_statements", no_statements, ["zero", "one", "undefined"])
        self.chat_generator = chat_generator
        self.idk = idk
        self.no_statements = no_statements
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_STATEMENTS, _VERDICTS), _COUNTS, "AnswerRelevance")

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem]:
        found = yield from extract(prompt(_STATEMENTS), "statements", answer)
        if not found:
            return score_by_policy(self.no_statements, "the answer states nothing", _COUNTS)
        statements = numbered(found)
        form = Verdicts(tuple(statements), ("yes", "no", "idk"))
        ask = prompt(_VERDICTS).ask(form, question=question, statements=statements)
        verdicts = yield from judge_each(ask)
        relevant, undecided = count_label(verdicts, "yes"), count_label(verdicts, "idk")
        score = share(relevant + _WORTH[self.idk] * undecided, len(statements))
        counts = {"relevant": relevant, "undecided": undecided, "statements": len(statements)}
        return JudgedItem(float(score), counts, {"statements": verdict_evidence(statements, verdicts)})
