"""Prompts and rubrics of absolute and relative grading."""

from collections.abc import Sequence
from typing import Any

from thresher.components.judged.prometheus._format import ReplyFormat
from thresher.components.judged.prometheus.rubrics import PrometheusRubric, rubric_of
from thresher.judges import Prompt, prompt
from thresher.judges.template import native


def prompt_for(kind: str, reply_format: ReplyFormat, *, referenced: bool) -> Prompt:
    """Return the prompt for a kind of grading.

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
    """Return the rubric of each item: its own, or the metric's rubric.

    Args:
        items: positions of the items that are present.
        rubrics: the input; None without data.
        common: the metric's rubric.
        needs_scores: whether a rubric must describe the scores.

    Raises:
        InputError: for an entry that is not a rubric; names the item.
    """
    if rubrics is None:
        return [common for _ in items]
    return [
        common
        if rubrics[item] is None
        else rubric_of(f"rubrics[{item}]", rubrics[item], needs_scores=needs_scores)
        for item in items
    ]


def without_missing(rubrics: Sequence[Any] | None) -> Sequence[Any] | None:
    """Return a column of the same length without missing entries: rubrics may be None."""
    return None if rubrics is None else [""] * len(rubrics)
