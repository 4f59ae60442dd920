"""Whether the contexts contain anything relevant to the question."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from haystack import component

from thresher.components.judged.haystack._outputs import haystack_outputs
from thresher.judges import Flow, Texts, answered, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    TextColumn,
    TextListColumn,
    ZeroOrSkip,
    judged,
    judged_async,
    metric,
    read_inputs,
    score_by_policy,
)
from thresher.results import MetricResult

_PROMPT = "haystack/context_relevance"
_COUNTS = ("relevant_statements",)


@metric
class HaystackContextRelevanceEvaluator(JudgedMetric):
    """Whether the contexts contain anything relevant to the question: 1 or 0.

    A drop-in replacement: inputs are Haystack's, and the outputs `results` and `meta` have one entry per item
    even if items fail.

    Formula: 1 if a judge finds at least one relevant sentence in the contexts, else 0
    Source: Haystack, `ContextRelevanceEvaluator`.
    Calls: 1 per item; 0 without contexts.
    Differs: the relevant sentences must be a list of texts; in Haystack the word "none" instead of a list
        counts as relevant. An unreadable reply fails its item, not the run.

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`).

    ```python
    evaluator = HaystackContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    undefined: ZeroOrSkip = "zero"
    name: str = "haystack_context_relevance"

    @component.output_types(
        score=float,
        individual_scores=list[float],
        result=MetricResult,
        results=list[dict[str, Any]],
        meta=list[dict[str, Any]] | None,
    )
    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn) -> JudgeJob:
        """Judge the contexts of each question.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 or 1; `result`, with evidence;
            `results`: per item `relevant_statements`, `score` and `status`; `meta`: metadata of the reply
            per item.
        """
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT,), _COUNTS, further=partial(haystack_outputs, entry=_entry))

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        ask = prompt(_PROMPT).ask(
            Texts("relevant_statements", decides=True),
            subject=" ".join(contexts),
            question=question,
            contexts=contexts,
        )
        relevant = yield from answered(ask)
        counts = {"relevant_statements": len(relevant)}
        return JudgedItem(float(bool(relevant)), counts, {"relevant_statements": list(relevant)})


def _entry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """An item's entry of `results` in Haystack's form."""
    return {"relevant_statements": list(evidence.get("relevant_statements", []))}
