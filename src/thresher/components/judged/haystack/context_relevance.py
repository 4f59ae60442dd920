"""Whether the contexts hold anything that the question needs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from haystack import component

from thresher.components._renamed import RENAMED, SKIP
from thresher.components.judged.haystack._outputs import haystack_outputs
from thresher.judges import Flow, Texts, answered, prompt
from thresher.metrics import (
    JudgedItem,
    JudgedMetric,
    JudgeJob,
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


@RENAMED.options({"no_contexts": "undefined"}, values=SKIP)
@metric
class HaystackContextRelevanceEvaluator(JudgedMetric):
    """Whether the contexts hold anything that the question needs: 1 if they do, else 0.

    Drop-in: the sockets are Haystack's, and `results` and `meta` come beside score and individual scores,
    with one entry per item even where items fail.

    Formula: 1 if a judge finds at least one relevant sentence in the contexts, else 0
    Source: Haystack, `ContextRelevanceEvaluator`.
    Calls: 1 an item; 0 without contexts.
    Differs: the relevant sentences must come as a list of texts; in Haystack the word "none" in place of a
        list counts as relevant. A bad reply costs its item, never the run.

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
    def run(self, questions: list[str], contexts: list[list[str]]) -> JudgeJob:
        """Judge the contexts of each question.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 or 1; `result`, with evidence;
            `results`: per item `relevant_statements`, `score` and `status`; `meta`: per item what is known of
            the reply.
        """
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT,), _COUNTS, further=partial(haystack_outputs, entry=_entry))

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            return score_by_policy(self.undefined, "there are no contexts", _COUNTS)
        ask = prompt(_PROMPT).ask(
            Texts("relevant_statements"), subject=" ".join(contexts), question=question, contexts=contexts
        )
        found = yield from answered(ask)
        counts = {"relevant_statements": len(found)}
        return JudgedItem(float(bool(found)), counts, {"relevant_statements": list(found)})


def _entry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """An item's entry of `results`, as Haystack has it."""
    return {"relevant_statements": list(evidence.get("relevant_statements", []))}
