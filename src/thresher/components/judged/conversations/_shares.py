"""Share of the parts of a conversation on which the verdict is yes."""

from collections.abc import Mapping
from typing import Any

from thresher.judges import Flow, JudgeVerdict, Verdicts, judge_each, prompt
from thresher.kernels.verdicts import share
from thresher.metrics import (
    JudgedItem,
    Undefined,
    count_label,
    score_by_policy,
    verdict_evidence,
)


def share_item(
    texts: Mapping[str, str], verdicts: Mapping[str, JudgeVerdict], counts: tuple[str, str]
) -> JudgedItem:
    """Return the share of verdicts that are yes.

    Args:
        texts: id -> what was judged.
        verdicts: one verdict for each id.
        counts: names of the numbers of yes and of all; the second also names the evidence.
    """
    numbers = count_label(verdicts, "yes"), len(texts)
    return JudgedItem(
        float(share(*numbers)),
        dict(zip(counts, numbers, strict=True)),
        {counts[1]: verdict_evidence(texts, verdicts)},
    )


def judged_share(
    name: str,
    texts: Mapping[str, str],
    counts: tuple[str, str],
    undefined: tuple[Undefined, str],
    data: Mapping[str, Any],
) -> Flow[JudgedItem]:
    """Judge all parts in one call, and return the share on which the verdict is yes.

    Args:
        name: name of the prompt.
        texts: id -> what is judged.
        counts: names of the numbers of yes and of all.
        undefined: policy for an item without parts, and the reason.
        data: variables of the prompt.
    """
    if not texts:
        return score_by_policy(*undefined, counts)
    verdicts = yield from judge_each(prompt(name).ask(Verdicts(tuple(texts)), **data))
    return share_item(texts, verdicts, counts)
