"""Whether the contexts support an answer as a whole."""

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.nvidia._ratings import COMPAT, COUNTS, ONE_INVALID, TwoRatings
from thresher.judges import Flow
from thresher.judges.levels import Levels
from thresher.metrics.inputs import read_inputs
from thresher.metrics.judging import JudgedItem, JudgeJob, judged, judged_async, score_by_policy
from thresher.metrics.options import check_choice, checked_options
from thresher.results import MetricResult

_PROMPTS = ("nvidia/response_groundedness.first", "nvidia/response_groundedness.second")
_SCALE = Levels.of(0, 1, 2)


@component
@checked_options
class NvidiaResponseGroundednessEvaluator:
    """How far the contexts support an answer as a whole: two ratings of 0, 1 or 2.

    Formula: (first / 2 + second / 2) / 2
    Source: Nvidia's metrics in ragas, "Response Groundedness".
    Calls: 2 an item, at the same time. Blank answers and blank contexts score 0 and are not asked about.
    Differs: ragas' first implementation takes an answer for grounded as soon as it stands in the contexts
        letter by letter, so that the answer "e" mostly is; here that is an option. Where only one rating can
        be read it counts alone, whichever it is. There the first of 2, 1, 0 that stands anywhere in the
        reply is the rating. Both ratings give reasons, as evidence.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        one_invalid: where one rating cannot be read the `other` counts, and the evidence says so; or the
            item is `unreadable`.
        no_contexts: an item without contexts scores `zero`, or is `undefined`.
        no_answer: a blank answer scores `zero`, or is `undefined`.
        shortcuts: whether an answer that stands in the contexts letter by letter scores 1 without being
            rated.
        compat: `ragas-0.4-legacy` reads replies in plain text and treats invalid ratings as ragas' first
            implementation does; `none` does not.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is none of its choices; from `run` for lists of unequal length,
            entries that are no texts, and a judge that cannot be used.

    ```python
    evaluator = NvidiaResponseGroundednessEvaluator()
    evaluator.run(contexts=[["The tower is 48 m high."]], predicted_answers=["It is 48 m high."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        one_invalid: str = "other",
        no_contexts: str = "zero",
        no_answer: str = "zero",
        shortcuts: bool = False,
        compat: str = "none",
        name: str = "nvidia_response_groundedness",
    ) -> None:
        check_choice("one_invalid", one_invalid, ONE_INVALID)
        check_choice("no_contexts", no_contexts, ["zero", "undefined"])
        check_choice("no_answer", no_answer, ["zero", "undefined"])
        check_choice("shortcuts", shortcuts, [True, False])
        check_choice("compat", compat, COMPAT)
        self.chat_generator = chat_generator
        self.one_invalid = one_invalid
        self.no_contexts = no_contexts
        self.no_answer = no_answer
        self.shortcuts = shortcuts
        self.compat = compat
        self.name = name

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    @judged
    def run(self, contexts: list[list[str]], predicted_answers: list[str]) -> JudgeJob:
        """Rate each answer.

        Args:
            contexts: per item the passages that the answer was written from; None leaves the item out.
            predicted_answers: one text per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: 0 to 1; `result`, with evidence.
        """
        items, entries = read_inputs(contexts=contexts, predicted_answers=predicted_answers)
        flows = [self._flow(*entry) for entry in entries]
        return JudgeJob(items, flows, _PROMPTS, COUNTS)

    run_async = judged_async(run)

    def _flow(self, contexts: list[str], answer: str) -> Flow[JudgedItem]:
        whole = "\n".join(contexts).strip()
        if not whole:
            return score_by_policy(self.no_contexts, "there are no contexts", COUNTS)
        if not answer.strip():
            return score_by_policy(self.no_answer, "the answer is blank", COUNTS)
        if self.shortcuts and answer.strip() in whole:
            return score_by_policy("one", "the answer stands in the contexts", COUNTS)
        data = {"contexts": contexts, "answer": answer}
        ratings = TwoRatings(_PROMPTS, _SCALE, self.one_invalid, self.compat)
        return (yield from ratings.of(data, data))
