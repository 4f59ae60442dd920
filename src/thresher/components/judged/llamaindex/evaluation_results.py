"""Results in LlamaIndex's form."""

from typing import Any

from thresher.components.judged.llamaindex._verdicts import fields
from thresher.results import MetricResult

_FIELDS = ("passing", "feedback", "score", "invalid_result", "invalid_reason", "pairwise_source")


def evaluation_results(result: MetricResult) -> list[dict[str, Any]]:
    """Return one dict per item, with the fields of LlamaIndex's `EvaluationResult`.

    `query`, `contexts` and `response` are inputs of the run. An item without a score has `invalid_result`
    True and the reason; LlamaIndex's averages count it as 0, the means of this package leave it out.

    Args:
        result: the result of a LlamaIndex metric.
    """
    evidence = result.evidence or [None] * len(result)
    scored = result.scored.tolist()
    return [
        {name: known[name] for name in _FIELDS if name in known}
        if scored[item]
        else fields(None, "", passing=None, invalid=result.reasons.get(item, "no score"))
        for item, known in enumerate(evidence)
    ]
