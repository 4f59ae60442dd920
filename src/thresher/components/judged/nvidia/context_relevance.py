"""Whether the contexts hold what it takes to answer the question."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.nvidia._ratings import COMPAT, COUNTS, ONE_INVALID, TwoRatings
from thresher.judges import Flow
from thresher.judges.levels import Levels
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPTS = ("nvidia/context_relevance.first", "nvidia/context_relevance.second")
_SCALE = Levels.of(0, 1, 2)


@component
@checked_options
class NvidiaContextRelevanceEvaluator:
    """How far the contexts hold what it takes to answer the question: two ratings of 0, 1 or 2.

    Formula: (first / 2 + second / 2) / 2
    Source: Nvidia's metrics in ragas, "Context Relevance". All contexts are rated together.
    Calls: 2 an item, at the same time, and none where a shortcut applies: a blank question, and contexts
        that are only words of the question, score 0.
    Differs: 1 is a part of what it takes and 2 all of it; in ragas 2 is also "any relevant information".
        Where only one rating can be read it counts alone, whichever it is. ragas cuts the contexts off
        after 4192 characters in its first implementation, and takes the first of 2, 1, 0 that stands
        anywhere in the reply for the rating. Both ratings give reasons, as evidence.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        one_invalid: where one rating cannot be read the `other` counts, and the evidence says so; or the
            item is `unreadable`.
        no_contexts: an item without contexts scores `zero`, or is `undefined`.
        shortcuts: whether contexts that stand word by word in the question score 0 without being rated.
        compat: `ragas-0.4-legacy` reads replies in plain text and treats invalid ratings as ragas' first
            implementation does; `none` does not.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = NvidiaContextRelevanceEvaluator()
    evaluator.run(questions=["How high is the tower?"], contexts=[["The tower is 48 m high."]])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        one_invalid: str = "other",
        no_contexts: str = "zero",
        shortcuts: bool = True,
        compat: str = "none",
        name: str = "nvidia_context_relevance",
    ) -> None:
        check_choice("one_invalid", one_invalid, ONE_INVALID)
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        check_choice("shortcuts", shortcuts, [True, False])
        check_choice("compat", compat, COMPAT)
        self.chat_generator = chat_generator
        self.one_invalid = one_invalid
        self.no_contexts = no_contexts
        self.shortcuts = shortcuts
        self.compat = compat
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, questions: list[str], contexts: list[list[str]]) -> JudgeJob:
        """Rate the contexts of each item.

        Args:
            questions: one text per item; None leaves the item out as missing.
            contexts: per item the retrieved passages; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(questions=questions, contexts=contexts)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, _PROMPTS, COUNTS)

    run_async = judged_async(run)

    def _flow(self, question: str, contexts: list[str]) -> Flow[JudgedItem]:
        whole = "\n".join(contexts).strip()
        if not whole:
            return score_by_policy(self.no_contexts, "there are no contexts", COUNTS)
        if not question.strip():
            return score_by_policy("zero", "the question is blank", COUNTS)
        if self.shortcuts and whole in question:
            return score_by_policy("zero", "the contexts only repeat words of the question", COUNTS)
        data = {"question": question, "contexts": contexts}
        ratings = TwoRatings(_PROMPTS, _SCALE, self.one_invalid, self.compat)
        return (yield from ratings.of(data, data))
