"""Best thresholds of labels in sentences."""

import math
from collections.abc import Iterator
from dataclasses import astuple

from thresher.kernels.inference import PrecisionAtRecall, RecallAtPrecision
from thresher.reports.rendering.numbers import number, significant, with_interval
from thresher.reports.thresholds.held_out import HonestThreshold, ReportedSearch
from thresher.surface import option

_LABELS = 8
"""More labels are in the table; a sentence with all would not be read."""


def sentences(search: ReportedSearch) -> Iterator[str]:
    """Yield which thresholds to use, what they give on other items, and whether each label needs its own."""
    name = search.search.quantity[0].upper() + search.search.quantity[1:]
    if not search.overall:  # two labels of a classifier
        for known in search.labels:
            use = known.note or f"use {significant(known.threshold, 4)}"
            yield f"{name} of label {known.label}: {use}."
            if not known.note:
                yield _value(search, known)
                yield from _floor(search, known)
        if search.search.positive is None:
            yield f"Name the label to decide by with {option('--positive LABEL', 'positive=')}."
        return
    best = search.headline
    if best.note:
        yield f"{name}: {best.note}."
        return
    own = [known for known in search.labels if not math.isnan(known.threshold) and not known.note]
    listed = ", ".join(f"{known.label} {significant(known.threshold, 4)}" for known in own[:_LABELS])
    more = f", and {len(own) - _LABELS} more" if len(own) > _LABELS else ""
    each = f" ({listed}{more})" if len(own) > 1 else ""
    yield f"{name}: use {significant(best.threshold, 4)}{each}."
    yield _value(search, best)
    yield from _floor(search, best)
    if len(own) > 1 and not search.same_items:
        yield from _gain(search)


def _value(search: ReportedSearch, best: HonestThreshold) -> str:
    value = with_interval(best.reported.value, best.reported.interval).removesuffix(" -")
    lost = "less" if best.optimism >= 0 else "more"
    subject = "One threshold" if best.label is None else "It"
    if search.same_items:
        return f"{subject} gives {search.search.value} {value} on the items that it was chosen on."
    return (
        f"{subject} gives {search.search.value} {value} on other items, "
        f"{number(abs(best.optimism), 3)} {lost} than where it was chosen."
    )


def _floor(search: ReportedSearch, best: HonestThreshold) -> Iterator[str]:
    """Whether the floor is also kept on other items."""
    objective = search.search.objective
    if not isinstance(objective, PrecisionAtRecall | RecallAtPrecision):
        return
    other = objective.floored_rate
    value, floor = getattr(best, other), astuple(objective)[0]
    if value < floor:
        yield f"There, {other} {number(value, 3)} misses the floor of {floor:g} that it keeps where chosen."


def _gain(search: ReportedSearch) -> Iterator[str]:
    """Whether a threshold for each label is shown to be better than one.

    The interval of the difference is not printed: it covers less than it says, because both thresholds keep
    nearly the same decisions. That its lower end is above 0 without a gain happens in 1 of 100 samples.
    """
    gain = search.gain_of_labels
    if gain is None or gain.interval is None:
        return
    one, each = number(gain.first_value, 3), number(gain.second_value, 3)
    verdict = "a gain" if gain.interval.low > 0 else "no gain is shown"
    yield (
        f"On other items a threshold for each label gives a mean {search.search.value} of {each}, "
        f"one threshold {one}: {verdict}."
    )
