"""How well contexts help to answer a question."""

from dataclasses import replace

from thresher.components.judged.llamaindex._packs import TokenBudget, packs
from thresher.components.judged.llamaindex._points import points_over
from thresher.components.judged.llamaindex._verdicts import PACKS, fields
from thresher.judges import Flow
from thresher.judges.scores import Points
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

_PROMPT = "llamaindex/context_relevancy"
_QUESTIONS = Points((("subject", 2.0), ("answer", 2.0)))
_COUNTS = ("points", PACKS)


@metric
class LlamaIndexContextRelevancyEvaluator(JudgedMetric):
    """How well contexts help to answer a question: the share of four points.

    Formula: (points for the subject, 0 to 2, + points for answering the question in full, 0 to 2) / 4
    Source: LlamaIndex, `ContextRelevancyEvaluator`: are the contexts about the subject of the question,
        and are they sufficient for a full answer? Partial points count.
    Calls: 1 if the contexts fit `max_context_tokens`, otherwise up to one per pack, sequentially; 0 without
        contexts.
    Differs: each question has its own points, and a number off its scale is requested again; LlamaIndex
        accepts any number, e.g. 6 of 4 points. With several packs each question keeps its highest points;
        LlamaIndex uses only the reply to the last pack, whose prompt does not request the mark that its
        parser needs, so that judges that follow the prompt leave the item without a result.

    Args:
        undefined: score of an item without contexts: `zero`, or none (`skip`; LlamaIndex: invalid).

    ```python
    evaluator = LlamaIndexContextRelevancyEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    max_context_tokens: TokenBudget = 16_000
    undefined: ZeroOrSkip = "skip"
    name: str = "llama_index_context_relevancy"

    @judged
    def run(self, questions: TextColumn, contexts: TextListColumn) -> JudgeJob:
        """Judge the contexts of each question."""
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, (_PROMPT, f"{_PROMPT}.refine"), _COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        if not contexts:
            default = score_by_policy(self.undefined, "there are no contexts", _COUNTS)
            result = fields(default.score, "there are no contexts", passing=None)
            return replace(default, evidence={**result, **default.evidence})
        packed = packs(contexts, self.max_context_tokens)
        return (yield from points_over(_PROMPT, _QUESTIONS, packed, question=question))
