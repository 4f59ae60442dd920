"""Ratings by criteria in plain words, weighted by their probabilities."""

from collections.abc import Sequence
from typing import Annotated, Any

from haystack import component

from thresher.components.judged.geval._weighting import ONE_TOKEN, BareRating, Weighting, weighted
from thresher.components.judged.geval.criteria import CRITERIA
from thresher.errors import InputError
from thresher.judges import Flow, Outcome, Texts, Unanswered, answered, drive, drive_async, prompt
from thresher.judges.panels.judge_panel import extractor_of
from thresher.judges.session import current_session
from thresher.metrics import (
    ExtraMeasure,
    Items,
    JudgedItem,
    JudgedMetric,
    JudgeJob,
    NonNegative,
    PositiveCount,
    ShownSocket,
    Text,
    chosen_columns,
    distinct,
    item_material,
    metric,
    not_empty,
    run_job,
    run_job_async,
    text_column_type,
)
from thresher.results import Status

_STEPS, _RATING = "geval/steps", "geval/rating"
_BY_LOGPROBS = ExtraMeasure("by_logprobs", "by_logprobs")


@metric
class GEvalEvaluator(JudgedMetric):
    """A judge's rating of an item by criteria in plain words, weighted by the probabilities of the ratings.

    The evidence contains the steps; pass them as `steps` to rate later runs by the same steps.

    Formula: sum p(s) s over the ratings s of the scale; p from the log-probabilities of the rating's token,
        restricted to the scale and normalized to sum to 1; without them the share of s among n samples
    Source: Liu et al. 2023, "G-Eval: NLG Evaluation using GPT-4 with Better Human Alignment": criteria, steps
        that the judge derives from them once, replies with only the rating, n = 20 at temperature 1 without
        log-probabilities.
    Calls: 1 for the steps, unless `steps` is set; then 1 per item if the judge returns log-probabilities,
        otherwise `samples`. Estimates are exact except for `auto`, where they assume no log-probabilities,
        the highest possible number of calls.
    Differs: the evidence and the measure `..._by_logprobs` show how each rating was weighted. A rating off
        the scale is requested again; the paper's script counts unreadable replies as 0. DeepEval's G-Eval
        accepts 12 of 10, and silently falls back to the unweighted rating.

    Args:
        criteria: what is rated, in a few sentences; or one of the names `coherence`, `consistency`,
            `fluency`, `relevance`.
        steps: evaluation steps; default: the judge derives them from the criteria.
        inputs: inputs that the judge sees, in this order.
        scale: lowest and highest rating, whole numbers. Log-probabilities are used on scales within 0 to 9,
            whose ratings are one token for every model.
        weighting: `auto`; `logprobs` (an item without them has no score); `samples`; `none` for one plain
            rating.
        samples: number of samples, n.

    ```python
    evaluator = GEvalEvaluator(criteria="Politeness: does the answer treat the reader with respect?")
    evaluator.run(questions=["How high is the tower?"], predicted_answers=["Look it up."])
    ```
    """

    criteria: Text = "coherence"
    steps: Annotated[Sequence[Text], not_empty] | None = None
    inputs: Annotated[Sequence[ShownSocket], distinct] = ("questions", "predicted_answers")
    scale: Sequence[int] = (1, 5)
    weighting: Weighting = "auto"
    samples: PositiveCount = 20
    temperature: NonNegative = 1.0
    name: str = "geval"

    def __post_init__(self) -> None:
        _check_scale(self.scale, self.weighting)
        self._derived_steps: Outcome[tuple[str, ...]] | None = None
        component.set_input_types(self, **{socket: text_column_type(socket) for socket in self.inputs})

    def run(self, **columns: Any) -> dict[str, Any]:
        """Rate each item.

        Args:
            columns: the columns of `inputs`, one entry per item; None leaves the item out as missing.
        """
        items = self._items(columns)
        steps = self._known(items) or self._store_steps(drive(self._steps_flows(), self._extractor)[0])
        return run_job(self, self._work(items, columns, steps), lambda: self._work(items, columns, steps))

    async def run_async(self, **columns: Any) -> dict[str, Any]:
        """As `run`, without blocking the event loop."""
        items = self._items(columns)
        steps = self._known(items)
        if steps is None:
            steps = self._store_steps((await drive_async(self._steps_flows(), self._extractor))[0])
        job = self._work(items, columns, steps)
        return await run_job_async(self, job, lambda: self._work(items, columns, steps))

    def _job(self, **columns: Any) -> JudgeJob:
        return self._work(self._items(columns), columns, Outcome(tuple(self.steps or ("-",))))

    def _items(self, columns: dict[str, Any]) -> Items:
        return Items(**chosen_columns(self.inputs, columns))

    def _known(self, items: Items) -> Outcome[tuple[str, ...]] | None:
        """Steps that need no call: set, stored from an earlier run, or empty without items; else None."""
        if self.steps is not None or not items.present:
            return Outcome(tuple(self.steps or ()))
        return self._derived_steps

    def _store_steps(self, derived: Outcome[tuple[str, ...]]) -> Outcome[tuple[str, ...]]:
        """Store derived steps for later runs of this component; skip the steps of an estimate."""
        if derived.status is Status.SCORED and current_session().estimate is None:
            self._derived_steps = derived
        return derived

    def _work(self, items: Items, columns: dict[str, Any], steps: Outcome[tuple[str, ...]]) -> JudgeJob:
        shown = {socket: columns[socket] for socket in self.inputs}
        flows = [self._flow(steps, item_material(item, shown)) for item in items.present]
        used = (_RATING,) if self.steps is not None else (_STEPS, _RATING)
        low, high = map(float, self.scale)
        counts = ("by_logprobs", "asked")
        return JudgeJob(items, flows, used, counts, bounds=(low, high), measures=[_BY_LOGPROBS])

    def _steps_flows(self) -> list[Flow[tuple[str, ...]]]:
        form = Texts("steps", at_least=1)
        ask = prompt(_STEPS).ask(form, criteria=self._criteria, scale=self._scale_in_words)
        return self.own_words.applied([answered(ask)])

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
        rating = yield from weighted(ask, self.weighting, self.samples, self.temperature)
        counts = {"by_logprobs": float(rating.way == "log-probabilities"), "asked": rating.asked}
        return JudgedItem(rating.score, counts, {**rating.evidence(), "steps": list(steps.value)})

    @property
    def _extractor(self) -> Any:
        """The judge that derives the steps; all judges of a panel rate by the same ones."""
        return extractor_of(self.chat_generator)

    @property
    def _criteria(self) -> str:
        return CRITERIA.get(self.criteria, self.criteria)

    @property
    def _scale_in_words(self) -> str:
        low, high = self.scale
        return f"a whole number from {low} (worst) to {high} (best)"


def _check_scale(scale: Sequence[int], weighting: Weighting) -> None:
    if len(scale) != 2 or not scale[0] < scale[1]:  # noqa: PLR2004
        raise InputError(f"scale={scale!r} must be two whole numbers, the lowest and the highest rating")
    if weighting == "logprobs" and not (scale[0] >= 0 and scale[1] <= ONE_TOKEN):
        raise InputError(f"scale={scale!r} must be within 0 and {ONE_TOKEN} for weighting='logprobs'")
