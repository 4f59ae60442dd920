"""A rating by criteria in plain words, weighted by how sure the judge is of it."""

from collections.abc import Sequence
from typing import Any

from haystack import component
from haystack.components.generators.chat.types import ChatGenerator

from thresher.components.judged.geval._weighting import ONE_TOKEN, WEIGHTINGS, BareRating, weighted
from thresher.components.judged.geval.criteria import CRITERIA
from thresher.errors import InputError
from thresher.judges import Flow, Outcome, Texts, Unanswered, answered, drive, drive_async, prompt
from thresher.judges.session import current_session
from thresher.metrics.extra_measures import ExtraMeasure
from thresher.metrics.inputs import chosen_columns
from thresher.metrics.items import Items
from thresher.metrics.judging import JudgedItem, JudgeJob, judge, judge_async
from thresher.metrics.material import check_inputs, material
from thresher.metrics.options import check_choice, check_count, check_number, check_text, checked_options
from thresher.results import MetricResult, Status

_STEPS, _RATING = "geval/steps", "geval/rating"
_INPUTS = ("questions", "predicted_answers")
_BY_LOGPROBS = ExtraMeasure("by_logprobs", "by_logprobs")


@component
@checked_options
class GEvalEvaluator:
    """A judge's rating of an item by criteria in plain words, weighted by the probabilities of the ratings.

    Formula: sum p(s) s over the ratings s of the scale; p from the log-probabilities of the rating's token,
        restricted to the scale and made to sum to 1, else the share of s among n samples
    Source: Liu et al. 2023, "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment": criteria, steps
        that the judge makes from them once, form filling with nothing but the rating, n = 20 at temperature 1
        where there are no log-probabilities.
    Calls: 1 for the steps, unless they are given; then 1 an item where the judge gives log-probabilities,
        else `samples`. An estimate is exact but for `auto`, where it takes it that there are none: the most
        that can be asked.
    Differs: the result says which way each rating went, in the evidence and in the measure
        `..._by_logprobs`. A rating off the scale is asked for again; the paper's script takes what it cannot
        read for 0, and DeepEval's G-Eval takes 12 of 10, and falls back to the bare rating silently.

    The steps stand in the evidence; give them as `steps` to rate later runs by the same ones.

    Args:
        chat_generator: the judge, any Haystack ChatGenerator; OpenAI's from the environment by default.
        criteria: what is rated, in a few sentences; or one of the names `coherence`, `consistency`,
            `fluency`, `relevance`.
        steps: how to go about it; made by the judge from the criteria where not given.
        inputs: sockets that the judge is shown, in this order; question and answer by default.
        scale: lowest and highest rating, whole numbers. Log-probabilities are used on scales within 0 to 9,
            whose ratings are one token for every model.
        weighting: `auto`; `logprobs` for them or no score; `samples`; `none` for one rating as it is.
        samples: n.
        temperature: of the samples, for judges that speak OpenAI's language; others are asked as they are
            set up.
        name: name of the measure in reports.

    Raises:
        InputError: for an option that is out of its range; from `run` for lists of unequal length, entries
            that are no texts, and a judge that cannot be used.

    ```python
    evaluator = GEvalEvaluator(criteria="Politeness: does the answer treat the reader with respect?")
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["Look it up."])
    ```
    """

    def __init__(
        self,
        chat_generator: ChatGenerator | None = None,
        *,
        criteria: str = "coherence",
        steps: list[str] | None = None,
        inputs: list[str] | None = None,
        scale: list[int] | None = None,
        weighting: str = "auto",
        samples: int = 20,
        temperature: float = 1.0,
        name: str = "geval",
    ) -> None:
        check_text("criteria", criteria)
        check_choice("weighting", weighting, WEIGHTINGS)
        check_count("samples", samples, least=1)
        check_number("temperature", temperature, least=0)
        self.chat_generator = chat_generator
        self.criteria = criteria
        self.steps = _checked_steps(steps)
        self.inputs = check_inputs(_INPUTS if inputs is None else inputs)
        self.scale = _checked_scale([1, 5] if scale is None else scale, weighting)
        self.weighting = weighting
        self.samples = samples
        self.temperature = temperature
        self.name = name
        self._made: Outcome[tuple[str, ...]] | None = None
        component.set_input_types(self, **dict.fromkeys(self.inputs, list))

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    def run(self, **columns: Any) -> dict[str, Any]:
        """Rate each item.

        Args:
            columns: the sockets of `inputs`, one entry per item; None leaves the item out as missing.

        Returns:
            `score`: mean over the scored items; `individual_scores`: on the scale; `result`, with evidence.
        """
        items = self._items(columns)
        steps = self._known(items) or self._kept(drive([self._steps_flow()], self.chat_generator)[0])
        return judge(self, self._work(items, columns, steps))

    @component.output_types(score=float, individual_scores=list[float], result=MetricResult)
    async def run_async(self, **columns: Any) -> dict[str, Any]:
        """As `run`, without blocking the event loop."""
        items = self._items(columns)
        steps = self._known(items)
        if steps is None:
            steps = self._kept((await drive_async([self._steps_flow()], self.chat_generator))[0])
        return await judge_async(self, self._work(items, columns, steps))

    def _items(self, columns: dict[str, Any]) -> Items:
        return Items(**chosen_columns(self.inputs, columns))

    def _known(self, items: Items) -> Outcome[tuple[str, ...]] | None:
        """The steps that need not be asked for: those given or made before, or none for no items."""
        if self.steps is not None or not items.present:
            return Outcome(tuple(self.steps or ()))
        return self._made

    def _kept(self, made: Outcome[tuple[str, ...]]) -> Outcome[tuple[str, ...]]:
        """Steps are made once for all runs of this component; those of an estimate are not kept."""
        if made.status is Status.SCORED and current_session().estimate is None:
            self._made = made
        return made

    def _work(self, items: Items, columns: dict[str, Any], steps: Outcome[tuple[str, ...]]) -> JudgeJob:
        shown = {socket: columns[socket] for socket in self.inputs}
        flows = [self._flow(steps, material(item, shown)) for item in items.present]
        used = (_RATING,) if self.steps is not None else (_STEPS, _RATING)
        low, high = map(float, self.scale)
        counts = ("by_logprobs", "asked")
        return JudgeJob(items, flows, used, counts, bounds=(low, high), measures=[_BY_LOGPROBS])

    def _steps_flow(self) -> Flow[tuple[str, ...]]:
        form = Texts("steps", at_least=1)
        return answered(prompt(_STEPS).ask(form, criteria=self._criteria, scale=self._scale_in_words))

    def _flow(self, steps: Outcome[tuple[str, ...]], shown: dict[str, str]) -> Flow[JudgedItem]:
        if steps.value is None:
            raise Unanswered(steps.status, f"there are no steps: {steps.reason}")
        ask = prompt(_RATING).ask(
            BareRating(*self.scale),
            criteria=self._criteria,
            scale=self._scale_in_words,
            steps=steps.value,
            material=shown,
        )
        found = yield from weighted(ask, self.weighting, self.samples, self.temperature)
        counts = {"by_logprobs": float(found.way == "log-probabilities"), "asked": found.asked}
        return JudgedItem(found.score, counts, {**found.evidence(), "steps": list(steps.value)})

    @property
    def _criteria(self) -> str:
        return CRITERIA.get(self.criteria, self.criteria)

    @property
    def _scale_in_words(self) -> str:
        low, high = self.scale
        return f"a whole number from {low} (worst) to {high} (best)"


def _checked_steps(steps: Sequence[str] | None) -> list[str] | None:
    if steps is None:
        return None
    if isinstance(steps, str) or not steps:
        raise InputError(f"steps={steps!r} must be a list of texts")
    for step in steps:
        check_text("steps", step)
    return list(steps)


def _checked_scale(scale: Sequence[int], weighting: str) -> list[int]:
    if [type(end) for end in scale] != [int, int] or not scale[0] < scale[1]:
        raise InputError(f"scale={scale!r} must be two whole numbers, the lowest and the highest rating")
    if weighting == "logprobs" and not (scale[0] >= 0 and scale[1] <= ONE_TOKEN):
        raise InputError(f"scale={scale!r} must lie within 0 and {ONE_TOKEN} for weighting='logprobs'")
    return list(scale)
