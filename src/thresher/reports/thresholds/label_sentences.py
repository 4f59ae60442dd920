"""Best thresholds of labels in sentences."""

import math
from collections.abc import Iterator

from thresher.reports.rendering.numbers import interval_text, number, significant
from thresher.reports.thresholds.held_out import HonestThreshold, ReportedSearch

_LABELS = 8
"""More labels are in the table; a sentence with all would not be read."""


def sentences(search: ReportedSearch) -> Iterator[str]:
    """Yield which thresholds to use, what they give on other items, and whether each label needs its own."""
    best = search.overall[0]
    name = search.search.name
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
    if len(own) > 1:
        yield from _gain(search)


def value_name(search: ReportedSearch) -> str:
    """What is reported, e.g. `F1` or `recall`."""
    return f"F{search.search.number:g}" if search.quantity == "f" else search.quantity


def _value(search: ReportedSearch, best: HonestThreshold) -> str:
    value = f"{number(best.reported.value, 3)} {interval_text(best.reported.interval, 3)}".strip()
    lost = "less" if best.optimism >= 0 else "more"
    return (
        f"One threshold gives {value_name(search)} {value} on other items, "
        f"{number(abs(best.optimism), 3)} {lost} than where it was chosen."
    )


def _floor(search: ReportedSearch, best: HonestThreshold) -> Iterator[str]:
    """Whether the floor is also kept on other items."""
    if search.quantity == "f":
        return
    other = "precision" if search.quantity == "recall" else "recall"
    value, floor = getattr(best, other), search.search.number
    if value < floor:
        yield f"There, {other} {number(value, 3)} misses the floor of {floor:g} that it keeps where chosen."


def _gain(search: ReportedSearch) -> Iterator[str]:
    gain = search.gain_of_labels
    if gain is None or gain.interval is None:
        return
    change = f"{number(gain.difference, 3, signed=True)} {interval_text(gain.interval, 3)}"
    verdict = "no gain is shown"
    if gain.interval.low > 0:
        verdict = "a gain"
    elif gain.interval.high < 0:
        verdict = "a loss; use one threshold"
    mean = f"the mean {value_name(search)} on other items"
    yield f"A threshold for each label changes {mean} by {change}: {verdict}."
