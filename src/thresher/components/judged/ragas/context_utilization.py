"""Whether the contexts that led to the answer were ranked first; no reference answer is needed."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.ragas._ranking import COUNTS, ranked
from thresher.components.judged.ragas._steps import says_something
from thresher.judges import Flow, Verdicts, prompt
from thresher.judges.prompt import numbered
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "ragas/context_utilization"


@component
@checked_options
class RagasContextUtilizationEvaluator:
    """Average precision of the retrieved contexts, each judged useful or not for the predicted answer.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: ragas, "Context Precision" without a reference ("Context Utilization"). It tells where in the
        ranking stands what the answer was made of, not whether the answer is right.
    Calls: 1 an item, about all contexts; ragas makes one for each context, one after the other.
    Differs: a verdict is yes or no; in ragas other numbers count as such and lead to scores above 1.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        none_useful: an item without a useful context scores `zero`, or is `undefined`.
        no_contexts: an item without contexts scores `zero`, or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = RagasContextUtilizationEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        predicted_answers=["It is 48 m high."],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        none_useful: str = "zero",
        no_contexts: str = "zero",
        name: str = "ragas_context_utilization",
    ) -> None:
        check_choice("none_useful", none_useful, ["zero", "undefined"])
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.none_useful = none_useful
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages, best first; None leaves the item out as missing.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not says_something(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", COUNTS)
        passages = numbered(contexts)
        form = Verdicts(tuple(passages))
        ask = prompt(_VERDICTS).ask(form, question=question, answer=answer, contexts=passages)
        return (yield from ranked(passages, [ask], "any", self.none_useful))
