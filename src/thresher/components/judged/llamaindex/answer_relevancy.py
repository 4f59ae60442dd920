"""How relevant an answer is to its question."""

from thresher.components.judged.llamaindex._points import shared
from thresher.judges import Flow, answered, prompt
from thresher.judges.scores import Points
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    judged,
    judged_async,
    metric,
    read_inputs,
)

_PROMPT = "llamaindex/answer_relevancy"
_QUESTIONS = Points((("subject", 1.0), ("focus", 1.0)))


@metric
class LlamaIndexAnswerRelevancyEvaluator(JudgedMetric):
    """How relevant an answer is to its question: the share of two points.

    Formula: (1 if about the subject of the question + 1 if it addresses what is asked of it) / 2
    Source: LlamaIndex, `AnswerRelevancyEvaluator`. Half points are allowed; whether the answer is true does
        not matter.
    Calls: 1 per item.
    Differs: each question has its own points, and a number off its scale is requested again; LlamaIndex reads
        the first digit after its mark, so 1 from "10".

    ```python
    evaluator = LlamaIndexAnswerRelevancyEvaluator()
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["It is 48 m high."])
    ```
    """

    name: str = "llama_index_answer_relevancy"

    @judged
    def run(self, questions: TextColumn, predicted_answers: TextColumn) -> JudgeJob:
        """Judge each answer."""
        items, entries = read_inputs(questions=questions, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT,), ("points",))

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem]:
        ask = prompt(_PROMPT).ask(_QUESTIONS, question=question, answer=answer)
        pointed = yield from answered(ask)
        return shared(pointed, _QUESTIONS, {}, {})
