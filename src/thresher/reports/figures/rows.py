"""Values and differences with their intervals, one row each."""

from collections.abc import Sequence

from thresher.reports.figures.figure import Axis, Figure, Rule, Whisker


def values(title: str, interval: str, rows: Sequence[Whisker]) -> Figure:
    """Describe values with their intervals.

    Args:
        title: heading.
        interval: what the intervals are called, for example "95 % interval".
        rows: one per value.
    """
    return Figure(title, Axis(f"value with {interval}"), Axis(), tuple(rows), title)


def differences(title: str, interval: str, rows: Sequence[Whisker]) -> Figure:
    """Describe differences with their intervals around a line at 0; each row ends with its note.

    Args:
        title: heading.
        interval: what the intervals are called, for example "95 % interval".
        rows: one per difference; `note` holds the verdict and the numbers of items won, tied and lost.
    """
    name = f"difference with {interval}; at the right: verdict, won/tied/lost"
    return Figure(title, Axis(name), Axis(), (Rule(0.0), *rows), title)
