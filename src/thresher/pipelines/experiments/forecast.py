"""Calls and cost of an experiment, estimated without calling a model or writing a file."""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from haystack.dataclasses import Document

from thresher.errors import ThresherError
from thresher.judges import Prices
from thresher.judges.engine.identity import model_of
from thresher.judges.estimate import CostEstimate
from thresher.pipelines.answering import QueryPipeline
from thresher.pipelines.answering.question_data import (
    QUESTIONS,
    answer_columns,
    answered,
    repeated,
    sockets_of,
)
from thresher.pipelines.experiments.experiment_run import ExperimentRun
from thresher.pipelines.experiments.prompt_estimate import ASSUMED, estimated_usage
from thresher.pipelines.experiments.stores import local_documents
from thresher.pipelines.experiments.trials import Trial
from thresher.pipelines.judged import estimate, judged_components
from thresher.pipelines.manifest import MANIFEST
from thresher.pipelines.plan import Plan
from thresher.pipelines.responses import Response
from thresher.pipelines.run_directory import open_run
from thresher.reports.report import Report, TableReport
from thresher.reports.table import Table

_CONTEXTS = 3
"""Contexts of an answer in the estimate for judges, before there are answers."""
_TOKENS = ("input_tokens", "output_tokens")
_UNKNOWN = "Tokens of generators are unknown before the first answers: run with --limit 5 to see."
Usage = tuple[float, float]
"""Tokens sent and received."""


@dataclass(frozen=True)
class Forecast:
    """Remaining work of an experiment.

    Attributes:
        configurations: number of configurations that can be built.
        indexes: number of indexes to build.
        answers: answers to get.
        generator_calls: calls of generators, at most: equal prompts are asked once.
        generator_tokens: tokens sent and received by generators: from stored answers, else estimated from the
            prompts; None if neither is possible.
        generator_cost: their price; None if a price or the tokens are unknown.
        judge_calls: calls of judges.
        judge_tokens: tokens sent and received by judges.
        judge_cost: their price; None without prices.
        problems: name -> why a configuration cannot run.
        notes: what the numbers assume.
    """

    configurations: int
    indexes: int
    answers: int
    generator_calls: int
    generator_tokens: tuple[int, int] | None
    generator_cost: float | None
    judge_calls: int
    judge_tokens: tuple[int, int]
    judge_cost: float | None
    problems: dict[str, str]
    notes: list[str]

    @property
    def cost(self) -> float | None:
        """Price of everything; None if a part of it is unknown."""
        known = self.generator_cost, self.judge_cost
        return None if None in known else sum(part for part in known if part is not None)

    def report(self) -> Report[Table]:
        """A table of quantities; in JSON all attributes."""
        tokens = self.generator_tokens or ("unknown", "unknown")
        rows: list[tuple[str, Any]] = [
            ("configurations", self.configurations),
            ("indexes to build", self.indexes),
            ("answers to get", self.answers),
            ("calls of generators, at most", self.generator_calls),
            ("tokens sent to generators", tokens[0]),
            ("tokens received from generators", tokens[1]),
            ("calls of judges", self.judge_calls),
            ("tokens sent to judges", self.judge_tokens[0]),
            ("tokens received from judges", self.judge_tokens[1]),
            ("cost", "unknown" if self.cost is None else f"{self.cost:.4f}"),
        ]
        failed = [f"{name} cannot run: {reason}" for name, reason in self.problems.items()]
        table = Table(["quantity", "estimate"], rows)
        report = TableReport.of(table, data={**asdict(self), "cost": self.cost})
        return report.with_remarks([*failed, *self.notes])


def forecast(run: ExperimentRun, prices: Prices | None = None, *, batch: bool = False) -> Forecast:
    """Count the remaining work of an experiment.

    Args:
        run: the experiment, planned.
        prices: prices of tokens; None if costs are unknown.
        batch: whether judges are asked in batches.
    """
    run.prepare(prices)
    works = [_Work.of(run, trial, trial.query) for trial in run.trials.every if trial.query is not None]
    usage = _usage(run, works)
    calls = sum(work.missing * len(work.query.generators) for work in works)
    judge, judge_cost, per_judge = _judge_estimates(run, works, prices, batch=batch)
    missing = sum(work.missing for work in works)
    usages = [usage or (_estimated(run, work) if work.query.generators else (0.0, 0.0)) for work in works]
    notes = ["Equal prompts of different configurations are asked once."] if calls else []
    if calls and usage is None:
        notes.append(_UNKNOWN if None in usages else ASSUMED)
    if judge:
        notes.append(f"{per_judge}; assumes that every verdict is yes, and no retries.")
    return Forecast(
        configurations=len(works),
        indexes=len({work.trial.index.key for work in works if work.trial.index and work.missing}),
        answers=missing,
        generator_calls=calls,
        generator_tokens=_tokens(works, usages),
        generator_cost=_generator_cost(works, usages, prices),
        judge_calls=sum(judge_estimate.calls for judge_estimate in judge),
        judge_tokens=(
            sum(judge_estimate.prompt_tokens for judge_estimate in judge),
            sum(judge_estimate.completion_tokens for judge_estimate in judge),
        ),
        judge_cost=judge_cost,
        problems={trial.name: trial.problem for trial in run.trials.every if trial.problem},
        notes=notes,
    )


@dataclass(frozen=True)
class _Work:
    """Existing and missing answers of a configuration."""

    trial: Trial
    query: QueryPipeline
    responses: Sequence[Response | None]
    scored: bool

    @classmethod
    def of(cls, run: ExperimentRun, trial: Trial, query: QueryPipeline) -> "_Work":
        size = len(run.questions) * run.spec.repeats
        if not (run.folder(trial) / MANIFEST).exists():
            return cls(trial, query, [None] * size, scored=False)
        known = run.open_run(trial, query)
        return cls(trial, query, known.store.responses(), scored=bool(known.directory.manifest["complete"]))

    @property
    def answers(self) -> list[Response]:
        """The answers that exist."""
        return [response for response in self.responses if response is not None and not response.problem]

    @property
    def missing(self) -> int:
        """Number of questions that have no answer."""
        return len(self.responses) - len(self.answers)


def _usage(run: ExperimentRun, works: Sequence[_Work]) -> Usage | None:
    """Mean tokens sent and received per answer, of the stored answers in the experiment's folder."""
    rows = [(answer.input_tokens, answer.output_tokens) for work in works for answer in work.answers]
    for manifest in run.out.glob(f"*/{MANIFEST}") if not rows else ():
        try:
            inputs = open_run(manifest.parent).inputs
        except ThresherError:  # it is reported when it is used
            continue
        if set(_TOKENS) <= inputs.keys():
            rows += zip(*(inputs[name] for name in _TOKENS), strict=True)
    known = [row for row in rows if None not in row]
    return None if not known else tuple(np.mean(np.array(known, float), axis=0).tolist())


def _estimated(run: ExperimentRun, work: _Work) -> Usage | None:
    """Mean tokens per answer, estimated from the prompts of a configuration."""
    indexes, index = run.trials.indexes, work.trial.index
    passages = indexes.passages(index) if indexes and index else local_documents(work.query.pipeline)
    return estimated_usage(work.query, run.questions.column(QUESTIONS), passages)


def _tokens(works: Sequence[_Work], usages: Sequence[Usage | None]) -> tuple[int, int] | None:
    """Tokens of all missing answers; None if those of a configuration are unknown."""
    pairs = [(work.missing, usage) for work, usage in zip(works, usages, strict=True) if work.missing]
    known = [(missing * usage[0], missing * usage[1]) for missing, usage in pairs if usage is not None]
    if len(known) < len(pairs):
        return None
    return round(sum(sent for sent, _ in known)), round(sum(received for _, received in known))


def _generator_cost(
    works: Sequence[_Work], usages: Sequence[Usage | None], prices: Prices | None
) -> float | None:
    cost = 0.0
    for work, usage in zip(works, usages, strict=True):
        models = {model_of(generator) for generator in work.query.generators}
        if not models or not work.missing:
            continue
        known = [prices.of(model) for model in models] if prices else []
        if usage is None or len(known) != 1 or known[0] is None:
            return None
        cost += work.missing * known[0].cost(*usage)
    return cost


def _judge_estimates(
    run: ExperimentRun, works: Sequence[_Work], prices: Prices | None, *, batch: bool
) -> tuple[list[CostEstimate], float | None, str]:
    """Estimates of the judges of each configuration, their cost, and what they assume."""
    if not judged_components(run.evaluation):
        return [], 0.0, ""
    estimates = []
    same: CostEstimate | None = None  # without answers, all configurations look alike
    for work in works:
        if not work.scored:
            fresh = _judge_estimate(run, work) if work.answers or same is None else same
            same = same if work.answers else fresh
            estimates.append(fresh)
    assumed = f"Calls of judges are estimated with the references as answers and {_CONTEXTS} contexts"
    basis = assumed if same is not None else "Calls of judges are estimated from the stored answers"
    return (
        estimates,
        sum(judge_estimate.cost(prices, batch=batch) for judge_estimate in estimates) if prices else None,
        basis,
    )


def _judge_estimate(run: ExperimentRun, work: _Work) -> CostEstimate:
    data = repeated(run.questions, run.spec.repeats)
    columns = answer_columns(work.query, data, sockets_of(run.evaluation), priced=False)
    references = data.columns.get("ground_truth_answers", data.column(QUESTIONS))
    responses = [
        response if response is not None and not response.problem else _stand_in(references[place])
        for place, response in enumerate(work.responses)
    ]
    filled = answered(data, columns, responses)
    plan = Plan.of(run.evaluation, filled, run.spec.primary)
    return estimate(plan.pipeline, plan.data(filled.columns))


def _stand_in(reference: Any) -> Response:
    """An answer for the estimate: the reference, with contexts that hold it."""
    text = str(reference[0] if isinstance(reference, list | tuple) and reference else reference)
    return Response(text, [Document(content=f"{text} ({place})") for place in range(_CONTEXTS)])
