"""Whether the contexts support what an answer states."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.ragas._steps import (
    COMPAT,
    INFERENCE,
    STATEMENTS,
    inferred,
    says_something,
    statements_of,
)
from thresher.judges import Flow
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

_COUNTS = ("supported", "statements")


@component
@checked_options
class RagasFaithfulnessEvaluator:
    """The share of an answer's statements that its contexts support.

    Formula: supported statements / statements
    Source: ragas, "Faithfulness". A statement counts as supported if it can be inferred from the contexts.
    Calls: 2 an item: the statements are extracted with the question's help, then judged together against
        all contexts. RagasAnswerCorrectnessEvaluator and RagasNoiseSensitivityEvaluator extract the same.
    Differs: ragas divides by the verdicts that came back, so one verdict on three statements can score 1;
        here what was left out is asked for again, and the item has no score if it stays out. Without
        contexts ragas asks all the same, or raises an error, depending on its version.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_statements: an answer that states nothing is `undefined` (ragas: NaN), or scores `one` or `zero`.
        no_contexts: an item without contexts is `undefined`, or scores `zero`.
        compat: `ragas-0.4` divides by the verdicts that came back, `none` by the statements.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = RagasFaithfulnessEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The tower is 48 m high."]],
        predicted_answers=["48 m."],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_statements: str = "undefined",
        no_contexts: str = "undefined",
        compat: str = "none",
        name: str = "ragas_faithfulness",
    ) -> None:
        check_choice("no_statements", no_statements, ["undefined", "one", "zero"])
        check_choice("no_contexts", no_contexts, ["undefined", "zero"])
        check_choice("compat", compat, COMPAT)
        self.chat_generator = chat_generator
        self.no_statements = no_statements
        self.no_contexts = no_contexts
        self.compat = compat
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Judge each answer.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, predicted_answers=predicted_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (STATEMENTS, INFERENCE), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        if not says_something(contexts):
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        found = yield from statements_of(question, answer)
        if not found:
            return score_by_policy(self.no_statements, "the answer states nothing", _COUNTS)
        statements = numbered(found)
        verdicts = yield from inferred(contexts, statements, partial=self.compat == "ragas-0.4")
        counts = {"supported": count_label(verdicts, "yes"), "statements": len(verdicts)}
        return JudgedItem(
            float(share(*counts.values())), counts, {"statements": verdict_evidence(statements, verdicts)}
        )
