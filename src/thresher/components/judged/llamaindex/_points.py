"""Points for several questions, as a share of all points."""

from collections.abc import Mapping, Sequence
from typing import Any

from thresher.components.judged.llamaindex._verdicts import PACKS, fields
from thresher.judges import Flow, answered, prompt
from thresher.judges.scores import JudgePoints, Points, as_plain
from thresher.metrics import JudgedItem


def points_over(name: str, form: Points, packs: Sequence[Mapping[str, str]], **data: Any) -> Flow[JudgedItem]:
    """Return the share of points that a judge gives to packs of contexts.

    Each question keeps its highest points over the packs. Full points end the flow.

    Args:
        name: the prompt; the packs after the first use `name.refine`.
        form: the questions and their points.
        packs: contexts by id.
        data: other variables of the prompts.
    """
    pointed = yield from answered(prompt(name).ask(form, contexts=packs[0], **data))
    read = [{"contexts": [*packs[0]], **as_plain(pointed)}]
    for pack in packs[1:]:
        if pointed.total >= form.total:
            break
        ask = prompt(f"{name}.refine").ask(form, contexts=pack, found_before=_in_words(pointed), **data)
        now = yield from answered(ask)
        read.append({"contexts": [*pack], **as_plain(now)})
        pointed = _best(pointed, now)
    return shared(pointed, form, {PACKS: len(read)}, {"packs": read})


def shared(
    pointed: JudgePoints, form: Points, counts: Mapping[str, float], evidence: Mapping[str, Any]
) -> JudgedItem:
    """Return the points as a share of all points."""
    score = pointed.total / form.total
    result = fields(score, pointed.reason, passing=None)
    return JudgedItem(score, {"points": pointed.total, **counts}, {**result, **as_plain(pointed), **evidence})


def _best(before: JudgePoints, now: JudgePoints) -> JudgePoints:
    """The higher points per question, or the higher total if there are only totals."""
    if not (before.points and now.points):
        return max(before, now, key=lambda points: points.total)
    points = {name: max(most, now.points[name]) for name, most in before.points.items()}
    return JudgePoints(sum(points.values()), points, now.reason)


def _in_words(pointed: JudgePoints) -> str:
    points = ", ".join(f"{name}: {number:g}" for name, number in pointed.points.items())
    return f"{points or f'{pointed.total:g} points in all'}. {pointed.reason}"
