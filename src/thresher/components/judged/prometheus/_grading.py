"""What both ways of grading share: which prompt is used, and which rubric counts for an item."""

from collections.abc import Sequence
from typing import Any

from thresher.components.judged.prometheus._format import ReplyFormat, native
from thresher.components.judged.prometheus.rubrics import PrometheusRubric, rubric_of
from thresher.judges import Prompt, prompt


def prompt_for(kind: str, reply_format: ReplyFormat, *, referenced: bool) -> Prompt:
    """The prompt for a kind of grading.

    Args:
        kind: `absolute` or `relative`.
        reply_format: `json`, or `prometheus` for the format of its models.
        referenced: whether there is a reference.
    """
    name = f"prometheus/{kind}{'.referenced' if referenced else ''}"
    return native(name) if reply_format == "prometheus" else prompt(name)


def rubrics_for(
    items: Sequence[int],
    rubrics: Sequence[Any] | None,
    common: PrometheusRubric,
    *,
    needs_scores: bool = True,
) -> list[PrometheusRubric]:
    """The rubric of each item: its own, or the metric's where it has none.

    Args:
        items: positions of the items that are present.
        rubrics: what the socket holds; None where it is not connected.
        common: the metric's rubric.
        needs_scores: whether descriptions of the scores are needed.

    Raises:
        InputError: for an entry that is no rubric; names it.
    """
    if rubrics is None:
        return [common for _ in items]
    return [
        common
        if rubrics[item] is None
        else rubric_of(f"rubrics[{item}]", rubrics[item], needs_scores=needs_scores)
        for item in items
    ]


def stand_ins(rubrics: Sequence[Any] | None) -> Sequence[Any] | None:
    """A column of the same length in which nothing is missing: an item without a rubric has the metric's."""
    return None if rubrics is None else [""] * len(rubrics)
