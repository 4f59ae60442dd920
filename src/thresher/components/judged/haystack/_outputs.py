"""Outputs of Haystack's evaluators, in addition to the outputs of every metric."""

import math
from collections.abc import Callable, Mapping
from typing import Any

from thresher.results import MetricResult

Entry = Callable[[Mapping[str, Any]], dict[str, Any]]


def haystack_outputs(result: MetricResult, entry: Entry) -> dict[str, Any]:
    """Return the outputs `results` and `meta`, each with one entry per item.

    Args:
        result: the result of the metric.
        entry: makes an item's entry of `results` from its evidence, which may be empty.
    """
    evidence = result.evidence or [None] * len(result)
    scores = result.item_scores().tolist()
    results = [
        {
            **entry({} if math.isnan(score) else known or {}),
            "score": score,
            "status": "error" if math.isnan(score) else "evaluated",
        }
        for score, known in zip(scores, evidence, strict=True)
    ]
    return {"results": results, "meta": [_meta(known or {}) for known in evidence] or None}


def _meta(evidence: Mapping[str, Any]) -> dict[str, Any]:
    """Metadata of an item's last reply in the form of generators; empty without a reply."""
    replies = [reply for reply in evidence.get("replies", ()) if "reply" in reply]
    if not replies:
        return {}
    last = replies[-1]
    sent, received = last["tokens"]
    usage = {"prompt_tokens": sent, "completion_tokens": received, "total_tokens": sent + received}
    return {"model": last["model"], "finish_reason": last["finish"], "usage": usage}
