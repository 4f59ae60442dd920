"""Results in the shape that LlamaIndex's users read."""

from typing import Any

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.results import MetricResult

_FIELDS = ("passing", "feedback", "score", "invalid_result", "invalid_reason", "pairwise_source")


def evaluation_results(result: MetricResult) -> list[dict[str, Any]]:
    """One dict for each item, with the fields of LlamaIndex's `EvaluationResult`.

    `query`, `contexts` and `response` stand among the inputs of a run. An item without a score has
    `invalid_result` True and the reason; LlamaIndex's own averages count it as 0, those here leave it out.

    Args:
        result: of any of the LlamaIndex metrics.
    """
    evidence = result.evidence or [None] * len(result)
    scored = result.scored.tolist()
    told = []
    for item, known in enumerate(evidence):
        if scored[item]:
            told.append({name: known[name] for name in _FIELDS if name in known})
        else:
            told.append(fields(None, "", passing=None, invalid=result.reasons.get(item, "no score")))
    return told
