"""Share of the opinions of a text, judged in two calls."""

from collections.abc import Sequence
from typing import Any

from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share
from thresher.metrics import (
    JudgedItem,
    JudgeJob,
    ZeroOrSkip,
    count_label,
    read_inputs,
    score_by_policy,
    verdict_evidence,
)

_OPINIONS = "valor/opinions"


def opinion_job(
    predicted_answers: Sequence[Any], verdicts: str, hits: str, undefined: ZeroOrSkip, valor: str
) -> JudgeJob:
    """Return the job that extracts and judges the opinions of each answer.

    Args:
        predicted_answers: one text per item.
        verdicts: name of the prompt that judges opinions.
        hits: name of the count of opinions with "yes".
        undefined: policy for a text without opinions.
        valor: Valor's name of the metric.
    """
    items, entries = read_inputs(predicted_answers=predicted_answers)
    flows = [_flow(answer, verdicts, hits, undefined) for (answer,) in entries]
    return JudgeJob(items, flows, (_OPINIONS, verdicts), (hits, "opinions"), valor, "lower")


def _flow(answer: str, verdicts: str, hits: str, undefined: ZeroOrSkip) -> Flow[JudgedItem]:
    extracted = yield from extract(prompt(_OPINIONS), "opinions", answer)
    if not extracted:
        return score_by_policy(undefined, "the text expresses no opinion", (hits, "opinions"))
    opinions = numbered(extracted)
    judgements = yield from judge_each(prompt(verdicts).ask(Verdicts(tuple(opinions)), opinions=opinions))
    number = count_label(judgements, "yes")
    counts = {hits: number, "opinions": len(opinions)}
    return JudgedItem(
        float(share(number, len(opinions))), counts, {"opinions": verdict_evidence(opinions, judgements)}
    )
