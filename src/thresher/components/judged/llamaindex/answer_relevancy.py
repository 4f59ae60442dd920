"""How relevant an answer is to its question."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._points import shared
from thresher.judges import Flow, answered, prompt
from thresher.judges.scores import Points
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async
from thresher.metrics.options import checked_options
from thresher.results import MetricResult

_PROMPT = "llamaindex/answer_relevancy"
_QUESTIONS = Points((("subject", 1.0), ("focus", 1.0)))


@component
@checked_options
class LlamaIndexAnswerRelevancyEvaluator:
    """How relevant an answer is to its question: the share of two points.

    Formula: (1 if about the subject of the question + 1 if it addresses what is asked of it) / 2
    Source: LlamaIndex, `AnswerRelevancyEvaluator`. Half points may be given; whether the answer is true does
        not matter.
    Calls: 1 an item.
    Differs: each question has its own points, and a number off its scale is asked for again; LlamaIndex
        takes the first digit after its mark, so 1 of a "10".

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        name: name of the measure in reports.

    Raises:
        InputError: from `run`, for lists of unequal length, entries that are no texts, and a judge that
            cannot be used.

    ```python
    evaluator = LlamaIndexAnswerRelevancyEvaluator()
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["It is 48 m high."])
    ```
    """

    def __init__(
        self, chat_generator: ChatGenerator | None = None, *, name: str = "llama_index_answer_relevancy"
    ) -> None:
        self.chat_generator = chat_generator
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
        return JudgeJob(items, flows, (_PROMPT,), ("points",))

    run_async = judged_async(run)

    def _flow(self, question: str, answer: str) -> Flow[JudgedItem]:
        ask = prompt(_PROMPT).ask(_QUESTIONS, question=question, answer=answer)
        pointed = yield from answered(ask)
        return shared(pointed, _QUESTIONS, {}, {})
