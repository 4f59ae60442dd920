"""Whether the contexts that led to the answer were ranked first."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.judges import Flow, Verdict, Verdicts, judge_each, prompt, together
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import context_precision
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import (
    JudgedItem,
    JudgeJob,
    judged,
    judged_async,
    score_by_policy,
    verdict_evidence,
)
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_VERDICTS = "valor/context_precision"
_COUNTS = ("useful", "contexts")


@component
@checked_options
class ValorContextPrecisionEvaluator:
    """Average precision of the retrieved contexts, each judged useful or not for the reference answer.

    Formula: sum of precision@k over the ranks k of useful contexts / number of useful contexts
    Source: Valor, text generation metrics, "Context Precision". With several references a context is useful
        if it is for any of them.

    One call for each reference, about all contexts in their order.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        references: a context is useful if it is for `any` reference (Valor's way); or the precision is
            computed for each reference and the `max` counts.
        none_useful: an item without a useful context scores `zero` (Valor's value) or is `undefined`.
        no_contexts: an item without contexts scores `zero` (Valor's value) or is `undefined`.
        no_references: an item without references scores `zero` (Valor's value) or is `undefined`.
        neither: an item with neither scores `one` (Valor's value) or `zero`, or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = ValorContextPrecisionEvaluator()
    evaluator.run(
        questions=["How high is the tower?"],
        contexts=[["The town has a moat.", "The tower is 48 m high."]],
        ground_truth_answers=["48 metres"],
    )
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        references: str = "any",
        none_useful: str = "zero",
        no_contexts: str = "zero",
        no_references: str = "zero",
        neither: str = "one",
        name: str = "context_precision",
    ) -> None:
        check_choice("references", references, ["any", "max"])
        check_choice("none_useful", none_useful, ["zero", "undefined"])
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        check_choice("no_references", no_references, ["zero", "undefined"])
        check_choice("neither", neither, ["one", "zero", "undefined"])
        self.chat_generator = chat_generator
        self.references = references
        self.none_useful = none_useful
        self.no_contexts = no_contexts
        self.no_references = no_references
        self.neither = neither
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(
        self,
        questions: list[str],
        contexts: list[list[str]],
        ground_truth_answers: list[str] | list[list[str]],
    ) -> JudgeJob:
        """Judge the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages, best first; None leaves the item out as missing.
            ground_truth_answers: per item a text or several; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(
            questions=questions, contexts=contexts, ground_truth_answers=ground_truth_answers
        )
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_VERDICTS,), _COUNTS, "ContextPrecision")

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str], references: list[str]) -> Flow[JudgedItem]:
        if not contexts and not references:
            return score_by_policy(self.neither, "there are neither contexts nor references", _COUNTS)
        if not contexts:
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        if not references:
            return score_by_policy(self.no_references, "there are no references", _COUNTS)
        passages = numbered(contexts)
        form = Verdicts(tuple(passages))
        asks = (
            prompt(_VERDICTS).ask(form, question=question, reference=reference, contexts=passages)
            for reference in references
        )
        verdicts = yield from together(*map(judge_each, asks))
        return self._score(passages, verdicts)

    def _score(self, passages: dict[str, str], verdicts: list[dict[str, Verdict]]) -> JudgedItem:
        useful = [[one[id_].label == "yes" for id_ in passages] for one in verdicts]
        of_any = [any(column) for column in zip(*useful, strict=True)]
        if not any(of_any) and self.none_useful == "undefined":
            return score_by_policy(self.none_useful, "no context is useful", _COUNTS)
        rows = [of_any] if self.references == "any" else useful
        score = max((context_precision(row) for row in rows if any(row)), default=0.0)
        evidence = {"references": [verdict_evidence(passages, one) for one in verdicts]}
        return JudgedItem(score, {"useful": sum(of_any), "contexts": len(passages)}, evidence)
