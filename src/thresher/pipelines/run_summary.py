"""Values of the primary measures of a run, stored in `run.json` so that a list of runs opens no part."""

from collections.abc import Iterable, Iterator
from hashlib import sha256
from itertools import chain, islice
from typing import Any

from thresher.errors import InputError
from thresher.kernels.inference import LEVEL, Target, estimate
from thresher.kernels.inference.interval import finite
from thresher.native.json_texts import json_of_texts
from thresher.reports.comparisons.join import numbered_questions
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.looks import looked_level
from thresher.reports.runs.metric import Metric
from thresher.results import Mean

_BLOCK = 10_000
SUMMARY = "summary"
"""Key of the summary in the manifest. It is derived from the parts, so it is not part of the provenance."""


def summary_of(results: EvaluationResults, *, quick: bool = False) -> dict[str, Any]:
    """Return what a list shows of a run, as JSON data.

    `measures`: name -> value, 95 % interval, direction and scored items of each primary measure. `questions`:
    a hash of ids and questions, which runs of the same items share; the fingerprint of the data covers the
    answers as well.

    Args:
        results: the run.
        quick: leave out measures that are not means: their intervals come from a jackknife, which can take
            longer than the evaluation itself.
    """
    metrics = [metric for metric in results.metrics.values() if metric.is_primary]
    shown = [metric for metric in metrics if not quick or isinstance(metric.measure.reduction, Mean)]
    measures = {metric.name: _measured(results, metric) for metric in shown}
    return {"questions": _questions(results), "measures": measures}


def _questions(results: EvaluationResults) -> str:
    ids = results.ids if results.ids_given else ()
    asked = numbered_questions(results)
    if not len(ids) and asked is None:
        return ""
    digest = sha256(b"[")  # of json.dumps([ids, asked]), block by block
    questions = [b"null"] if asked is None else _json_list(asked)
    for content in chain(_json_list(ids), [b", "], questions, [b"]"]):
        digest.update(content)
    return digest.hexdigest()[:16]


def _json_list(entries: Iterable[Any]) -> Iterator[bytes | memoryview]:
    """The JSON of a list in blocks."""
    separator, blocks = b"[", iter(entries)
    while block := list(islice(blocks, _BLOCK)):
        yield separator
        yield json_of_texts(block)[1:-1]
        separator = b", "
    yield b"[]" if separator == b"[" else b"]"


def _measured(results: EvaluationResults, metric: Metric) -> dict[str, Any]:
    try:
        units = Grouping.of(results).units
    except InputError:  # a column of clusters with missing entries; reports name it
        interval = None
    else:
        level = looked_level(LEVEL, [results])
        interval = estimate(Target(metric.result, metric.name), level=level, **units).interval
    return {
        "value": finite(metric.value),
        "low": None if interval is None else finite(interval.low),
        "high": None if interval is None else finite(interval.high),
        "direction": metric.measure.direction,
        "scored": metric.result.n_scored,
    }
