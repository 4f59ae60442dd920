"""A share of the opinions that a text expresses."""

from collections.abc import Sequence
from typing import Any

from thresher.components.judged._inputs import read
from thresher.components.judged._judged import Judged, Work, by_policy, count, told
from thresher.judges import Flow, Verdicts, extract, judge_each, prompt
from thresher.judges.prompt import numbered
from thresher.kernels.verdicts import share

_OPINIONS = "valor/opinions"


def work_on_opinions(
    predicted_answers: Sequence[Any], verdicts: str, hits: str, no_opinions: str, valor: str
) -> Work:
    """Have the opinions of each answer extracted and judged.

    Args:
        predicted_answers: one text per item.
        verdicts: name of the prompt that judges opinions.
        hits: name of the count of opinions with "yes".
        no_opinions: policy for a text without opinions.
        valor: Valor's name of the metric.
    """
    items, entries = read(predicted_answers=predicted_answers)
    flows = [_flow(answer, verdicts, hits, no_opinions) for (answer,) in entries]
    return Work(items, flows, (_OPINIONS, verdicts), (hits, "opinions"), valor, "lower")


def _flow(answer: str, verdicts: str, hits: str, no_opinions: str) -> Flow[Judged]:
    found = yield from extract(prompt(_OPINIONS), "opinions", answer)
    if not found:
        return by_policy(no_opinions, "the text expresses no opinion", (hits, "opinions"))
    opinions = numbered(found)
    said = yield from judge_each(prompt(verdicts).ask(Verdicts(tuple(opinions)), opinions=opinions))
    number = count(said, "yes")
    counts = {hits: number, "opinions": len(opinions)}
    return Judged(float(share(number, len(opinions))), counts, {"opinions": told(opinions, said)})
