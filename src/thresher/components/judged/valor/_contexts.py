"""Share of contexts, judged in one call."""

from collections.abc import Mapping
from typing import Any

from thresher.judges import Flow, Prompt, Verdicts, judge_each
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import JudgedItem, count_label, verdict_evidence


def share_of_contexts(prompt: Prompt, contexts: list[str], hits: str, **data: Any) -> Flow[JudgedItem]:
    """Return the share of contexts with the verdict "yes".

    Args:
        prompt: a prompt with the variable `contexts` and those of `data`.
        contexts: the contexts; at least one.
        hits: name of the count of contexts with "yes".
        data: the prompt's other variables.
    """
    passages: Mapping[str, str] = numbered(contexts)
    verdicts = yield from judge_each(prompt.ask(Verdicts(tuple(passages)), contexts=passages, **data))
    positive = count_label(verdicts, "yes")
    evidence = {"contexts": verdict_evidence(passages, verdicts)}
    return JudgedItem(
        float(share(positive, len(passages))), {hits: positive, "contexts": len(passages)}, evidence
    )
