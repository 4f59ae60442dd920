"""Values and differences with their intervals, one row each."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from thresher.kernels.inference import Interval, IntervalEstimate
from thresher.reports.comparisons.comparison_row import Row
from thresher.reports.plots.axes import COLOURS, GREY, label_rows, new_axes, plain, tidy
from thresher.reports.runs.names import display_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_ROW, _MARGIN = 0.42, 1.1
_VERDICTS = {
    "better": (COLOURS[0], "^"),
    "worse": (COLOURS[1], "v"),
    "equivalent": (COLOURS[2], "s"),
    "inconclusive": (GREY, "o"),
    None: (GREY, "x"),
}


def values(estimates: Sequence[tuple[str, IntervalEstimate]], title: str, ax: "Axes | None") -> "Axes":
    """A dot for each value, its interval as a line through it."""
    axes = new_axes(ax, _MARGIN + _ROW * len(estimates))
    for row, (_, found) in enumerate(estimates):
        _whisker(axes, row, found.value, found.interval, (COLOURS[0], "o"))
        axes.annotate(
            f"{found.value:.3g}", (found.value, row), (0, 6), textcoords="offset points", ha="center", size=8
        )
    label_rows(axes, [name for name, _ in estimates])
    axes.set_xlabel("value with 95 % interval")
    axes.set_title(plain(title), loc="left")
    return tidy(axes)


def differences(rows: Sequence[Row], ax: "Axes | None") -> "Axes":
    """A mark for each difference, told apart by verdict; verdict, wins, ties and losses at the right."""
    axes = new_axes(ax, _MARGIN + 0.2 + _ROW * len(rows))
    axes.axvline(0, color="#444444", linewidth=1)
    for number, row in enumerate(rows):
        look = _VERDICTS[row.verdict]
        _whisker(axes, number, row.found.difference, row.found.interval, look)
        counts = "" if row.found.wins is None else f" {row.found.wins}/{row.found.ties}/{row.found.losses}"
        told = f"{row.verdict or ('no verdict' if row.tested else 'secondary')}{counts}"
        place, across = (1.01, number), axes.get_yaxis_transform()
        axes.annotate(told, place, xycoords=across, va="center", size=8, color=look[0])
    arrows = {"higher": "↑", "lower": "↓"}
    label_rows(axes, [f"{display_name(row.metric)} {arrows[row.found.direction]}" for row in rows])
    if rows:
        axes.set_title(plain(f"{rows[0].run} minus {rows[0].baseline}"), loc="left")
    axes.set_xlabel("difference with 95 % interval; at the right: verdict, won/tied/lost")
    return tidy(axes)


def _whisker(
    axes: "Axes",
    row: int,
    value: float,
    interval: Interval | None,
    look: tuple[str, str],
) -> None:
    """A marker at the value and its interval as a line; `look` is colour and marker."""
    colour, marker = look
    if interval is not None:
        ends = [interval.low, interval.high]
        axes.plot(ends, [row, row], color=colour, linewidth=1.8, solid_capstyle="butt")
    axes.plot([value], [row], marker=marker, color=colour, linestyle="none")
