"""Whether the contexts hold anything that the question needs."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.haystack._outputs import haystack_outputs
from thresher.judges import Flow, Texts, answered, prompt
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPT = "haystack/context_relevance"
_COUNTS = ("relevant_statements",)


@component
@checked_options
class HaystackContextRelevanceEvaluator:
    """Whether the contexts hold anything that the question needs: 1 if they do, else 0.

    Formula: 1 if a judge finds at least one relevant sentence in the contexts, else 0
    Source: Haystack, `ContextRelevanceEvaluator`.
    Calls: 1 an item; 0 without contexts.
    Differs: the relevant sentences must come as a list of texts; in Haystack the word "none" in place of a
        list counts as relevant. A bad reply costs its item, never the run.

    Drop-in: the sockets are Haystack's, and `results` and `meta` come beside score and individual scores,
    with one entry per item even where items fail.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        no_contexts: an item without contexts scores `zero`, without asking, or is `undefined`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = HaystackContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        no_contexts: str = "zero",
        name: str = "haystack_context_relevance",
    ) -> None:
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        self.chat_generator = chat_generator
        self.no_contexts = no_contexts
        self.name = name

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

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages; None leaves the item out as missing.

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
            return score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
        ask = prompt(_PROMPT).ask(
            Texts("relevant_statements"), subject=" ".join(contexts), question=question, contexts=contexts
        )
        found = yield from answered(ask)
        counts = {"relevant_statements": len(found)}
        return JudgedItem(float(bool(found)), counts, {"relevant_statements": list(found)})


def _entry(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """An item's entry of `results`, as Haystack has it."""
    return {"relevant_statements": list(evidence.get("relevant_statements", []))}
