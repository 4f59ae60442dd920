"""Average precision of contexts that are judged useful or not in one call."""

from collections.abc import Mapping, Sequence

from thresher.judges import Ask, Flow, JudgeVerdict, judge_each, together
from thresher.kernels.verdicts import context_precision
from thresher.metrics import JudgedItem, ZeroOrSkip, score_by_policy, verdict_evidence

COUNTS = ("useful", "contexts")


def ranked(
    passages: Mapping[str, str],
    asks: Sequence[Ask[dict[str, JudgeVerdict]]],
    references: str,
    undefined: ZeroOrSkip,
) -> Flow[JudgedItem]:
    """Return the average precision of passages in their order.

    Args:
        passages: id -> context; at least one.
        asks: one per text that the contexts may be useful for.
        references: a context is useful if it is useful for `any` text; or the `max` over the precisions.
        undefined: policy if no context is useful.
    """
    verdicts = yield from together(*map(judge_each, asks))
    rows = [[by_context[id_].label == "yes" for id_ in passages] for by_context in verdicts]
    of_any = [any(column) for column in zip(*rows, strict=True)]
    if not any(of_any) and undefined == "skip":
        return score_by_policy(undefined, "no context is useful", COUNTS)
    rankings = [of_any] if references == "any" else rows
    score = max((context_precision(row) for row in rankings if any(row)), default=0.0)
    evidence = {"references": [verdict_evidence(passages, by_context) for by_context in verdicts]}
    return JudgedItem(score, {"useful": sum(of_any), "contexts": len(passages)}, evidence)
