"""Average precision of contexts that one call judges useful or not."""

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
    """The average precision of passages in their order.

    Args:
        passages: id -> context; at least one.
        asks: one for each text that the contexts may be useful for.
        references: useful for `any` of them, or the `max` of the precisions for each.
        undefined: policy where no context is useful.
    """
    verdicts = yield from together(*map(judge_each, asks))
    rows = [[one[id_].label == "yes" for id_ in passages] for one in verdicts]
    of_any = [any(column) for column in zip(*rows, strict=True)]
    if not any(of_any) and undefined == "skip":
        return score_by_policy(undefined, "no context is useful", COUNTS)
    kept = [of_any] if references == "any" else rows
    score = max((context_precision(row) for row in kept if any(row)), default=0.0)
    evidence = {"references": [verdict_evidence(passages, one) for one in verdicts]}
    return JudgedItem(score, {"useful": sum(of_any), "contexts": len(passages)}, evidence)
