"""How item scores are spread, and what a threshold does to them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference import ScoredLabels
from thresher.reports.plots.axes import new_axes, plain, style, tidy
from thresher.reports.runs.names import display_name

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Floats = npt.NDArray[np.float64]
_HEIGHT = 3.4
_FEW, _TWO, _BINS, _POINTS = 11, 2, 24, 2000
_HATCHES = ("", "//", "..", "xx")


def histograms(scores: Sequence[tuple[str, Floats]], metric: str, ax: "Axes | None") -> "Axes":
    """How many items of each run have which score, the medians as vertical lines."""
    axes = new_axes(ax, _HEIGHT)
    values = np.unique(np.concatenate([each for _, each in scores]))
    few = len(values) <= _FEW and (len(values) < _TWO or np.diff(values).min() * _FEW >= np.ptp(values))
    (_bars if few else _outlines)(axes, scores, values)
    axes.set_xlabel(f"{plain(display_name(metric))}{'' if few else ' (vertical line: median)'}")
    axes.set_ylabel("items")
    axes.legend(frameon=False, fontsize=8)
    return tidy(axes, "y")


def _bars(axes: "Axes", scores: Sequence[tuple[str, Floats]], values: Floats) -> None:
    """A group of bars at each of a few values, one per run."""
    group = 0.8 * (float(np.diff(values).min()) if len(values) > 1 else 1.0)
    width = group / len(scores)
    for number, (name, each) in enumerate(scores):
        counts = [int(np.count_nonzero(each == value)) for value in values]
        places = values - group / 2 + width * (number + 0.5)
        look = {"color": style(number)["color"], "hatch": _HATCHES[number % len(_HATCHES)]}
        axes.bar(places, counts, width * 0.92, edgecolor="white", label=_counted(name, each), **look)
    axes.set_xticks(values, [f"{value:.3g}" for value in values])


def _outlines(axes: "Axes", scores: Sequence[tuple[str, Floats]], values: Floats) -> None:
    """One outline per run over bins of equal width, and its median."""
    edges = np.linspace(values[0], values[-1], _BINS + 1)
    for number, (name, each) in enumerate(scores):
        look = style(number)
        counts, _ = np.histogram(each, edges)
        axes.stairs(counts, edges, fill=True, alpha=0.18, color=look["color"])
        axes.stairs(counts, edges, **look, linewidth=1.6, label=_counted(name, each))
        axes.axvline(float(np.median(each)), **look, linewidth=1)


def _counted(name: str, scores: Floats) -> str:
    return plain(f"{name}: {len(scores)} items")


def passing(scores: Floats, metric: str, direction: str, ax: "Axes | None") -> "Axes":
    """The share of items that reach each threshold, with the quartiles."""
    axes = new_axes(ax, _HEIGHT)
    levels, counts = np.unique(scores, return_counts=True)
    behind = np.cumsum(counts) if direction == "lower" else np.cumsum(counts[::-1])[::-1]
    axes.plot(levels, behind / len(scores), drawstyle="steps-pre", color=style(0)["color"], linewidth=1.8)
    for name, quartile in zip(("25 %", "median", "75 %"), np.percentile(scores, [25, 50, 75]), strict=True):
        axes.axvline(float(quartile), color="#767676", linestyle=":", linewidth=1)
        axes.annotate(name, (float(quartile), 1.02), xycoords=axes.get_xaxis_transform(), ha="center", size=8)
    axes.set_xlabel(f"threshold of {plain(display_name(metric))}")
    axes.set_ylabel(f"share of items {'up to' if direction == 'lower' else 'from'} it on")
    axes.set_ylim(0, 1.0)
    return tidy(axes, "both")


def operating(scored: ScoredLabels, metric: str, ax: "Axes | None") -> "Axes":
    """Precision, recall and F1 at every threshold; the best F1 is marked."""
    axes = new_axes(ax, _HEIGHT)
    points = scored.points()
    finite = np.flatnonzero(np.isfinite(points.thresholds))
    kept = finite[np.unique(np.linspace(0, len(finite) - 1, min(len(finite), _POINTS)).astype(int))]
    f1 = points.f_beta()
    curves = {"precision": points.precision, "recall": points.recall, "F1": f1}
    for number, (name, curve) in enumerate(curves.items()):
        axes.plot(points.thresholds[kept], curve[kept], **style(number), linewidth=1.8, label=name)
    if len(finite) and not np.isnan(f1[finite]).all():
        best = finite[int(np.nanargmax(f1[finite]))]
        told = f"best F1 {f1[best]:.3g} at {points.thresholds[best]:.3g}"
        axes.plot([points.thresholds[best]], [f1[best]], "o", color=style(2)["color"], label=told)
    axes.set_xlabel(f"threshold of {plain(display_name(metric))}")
    axes.set_ylim(0, 1.02)
    axes.legend(frameon=False, fontsize=8)
    return tidy(axes, "both")
