"""How well contexts serve a question."""

from dataclasses import replace

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.llamaindex._packs import check_budget, packs
from thresher.components.judged.llamaindex._points import points_over
from thresher.components.judged.llamaindex._verdicts import PACKS, fields
from thresher.judges import Flow
from thresher.judges.scores import Points
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPT = "llamaindex/context_relevancy"
_QUESTIONS = Points((("subject", 2.0), ("answer", 2.0)))
_COUNTS = ("points", PACKS)


@component
@checked_options
class LlamaIndexContextRelevancyEvaluator:
    """How well contexts serve a question: the share of four points.

    Formula: (points for the subject, 0 to 2, + points for answering the question in full, 0 to 2) / 4
    Source: LlamaIndex, `ContextRelevancyEvaluator`: are the contexts about the subject of the question, and
        could they alone give a full answer? Partial points count.
    Calls: 1 if the contexts fit `max_context_tokens`, else up to one a pack, one after the other; 0 without
        contexts.
    Differs: each question has its own points, and a number off its scale is asked for again; LlamaIndex
        takes any number, 6 of 4 points too. With several packs each question keeps the most points of any;
        there the last pack's reply stands alone, and as its prompt does not ask for the mark by which it is
        found, judges that obey it leave the item without a result.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        max_context_tokens: about how many tokens of contexts one prompt may hold.
        no_contexts: an item without contexts is `undefined` (invalid in LlamaIndex) or scores `zero`.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = LlamaIndexContextRelevancyEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        max_context_tokens: int = 16_000,
        no_contexts: str = "undefined",
        name: str = "llama_index_context_relevancy",
    ) -> None:
        check_budget(max_context_tokens)
        check_choice("no_contexts", no_contexts, ["undefined", "zero"])
        self.chat_generator = chat_generator
        self.max_context_tokens = max_context_tokens
        self.no_contexts = no_contexts
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], contexts: list[list[str]]) -> JudgeJob:
        """Judge the contexts of each question.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT, f"{_PROMPT}.refine"), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            nothing = score_by_policy(self.no_contexts, "there are no contexts", _COUNTS)
            told = fields(nothing.score, "there are no contexts", passing=None)
            return replace(nothing, evidence={**told, **nothing.evidence})
        packed = packs(contexts, self.max_context_tokens)
        return (yield from points_over(_PROMPT, _QUESTIONS, packed, question=question))
