"""Score items with the metrics of a plan so that an item on which one fails does not fail the others."""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from contextvars import copy_context
from typing import Any

from thresher.datasets import Dataset
from thresher.judges.engine.batch import judged_together
from thresher.pipelines.isolation import evaluate_items, isolate
from thresher.pipelines.judged import asks_itself
from thresher.pipelines.plan import Plan
from thresher.reports.collector import EvaluationResultsCollector
from thresher.results import MetricResult
from thresher.results.primary import choose_primary

Feeds = Mapping[str, Mapping[str, Sequence[Any]]]


def score_parts(
    parts: Mapping[str, Any],
    feeds: Feeds,
    size: int,
    failed: Mapping[int, str],
    done: Callable[[], None] = lambda: None,
) -> list[MetricResult]:
    """Run evaluators concurrently; return their results in the order of `parts`.

    Args:
        parts: name -> evaluator.
        feeds: name -> socket -> column.
        size: number of items.
        failed: items that have failed before, and why.
        done: called when an evaluator has ended.

    Raises:
        ThresherError: if an evaluator cannot be used at all, e.g. because its judge has no key.
    """
    results: dict[str, MetricResult] = {}
    judged = sum(map(asks_itself, parts.values()))
    with judged_together(judged), ThreadPoolExecutor(len(parts)) as pool:
        jobs = {
            pool.submit(copy_context().run, evaluate_items, name, part, feeds[name], size, failed): name
            for name, part in parts.items()
        }
        for job in as_completed(jobs):
            results[jobs[job]] = job.result()
            done()
    return [results[name] for name in parts]


def score_items(plan: Plan, items: Dataset, failed: Mapping[int, str]) -> list[MetricResult]:
    """Results of the metrics of an evaluation pipeline; an item that fails costs only its own scores.

    Metrics that are connected with other components of the pipeline are run together: an item on which one of
    them fails is then failed for all.

    Args:
        plan: the evaluation pipeline.
        items: their columns.
        failed: positions of items that have failed before, and why.

    Raises:
        ThresherError: if a metric fails for all items, for the same reason.
    """
    parts = {name: plan.pipeline.get_component(name) for name in plan.pipeline.graph.nodes}
    metrics = {name: part for name, part in parts.items() if not isinstance(part, EvaluationResultsCollector)}
    if _are_independent(plan, metrics):
        results = score_parts(metrics, plan.data(items.columns), len(items), failed)
        results = plan.in_order(results)
    else:
        results = isolate(lambda chosen: plan.run(items.take(chosen).columns), len(items), failed)
    collectors = [part for part in parts.values() if isinstance(part, EvaluationResultsCollector)]
    declared = next((part.primary for part in collectors if part.primary), None)
    return choose_primary(results, plan.primary or declared)


def _are_independent(plan: Plan, metrics: Mapping[str, Any]) -> bool:
    """Whether no metric gets anything from another component."""
    return not any(receiver in metrics for _, receiver in plan.pipeline.graph.edges())
