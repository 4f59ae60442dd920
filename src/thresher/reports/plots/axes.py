"""Axes to draw on: new ones without touching anything global, or those that were given."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from thresher.errors import MissingDependencyError

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000")
"""Told apart with any kind of colour vision (Okabe and Ito 2008); without their yellow, which is pale."""
GREY = "#767676"
MARKERS = ("o", "s", "^", "D", "v", "P", "X")
LINES = ("-", "--", "-.", ":")
WIDTH = 7.0
"""Inches."""


def new_axes(ax: "Axes | None", height: float) -> "Axes":
    """Axes of a new figure, so many inches high; `ax` if there is one.

    The figure is made without pyplot: no window, no backend is chosen, no style or current figure changes.

    Raises:
        MissingDependencyError: without matplotlib.
    """
    if ax is not None:
        return ax
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise MissingDependencyError("matplotlib", "plot") from error
    return Figure(figsize=(WIDTH, height), layout="constrained").add_subplot()


def tidy(ax: "Axes", grid: str | None = "x") -> "Axes":
    """Fewer lines: no frame above and right, and a light grid along one axis."""
    for side in ("top", "right"):
        ax.spines[side].set_visible(False)
    if grid is not None:
        ax.grid(visible=True, axis="x" if grid == "x" else "y" if grid == "y" else "both", color="#DDDDDD")
        ax.set_axisbelow(True)
    return ax


def plain(text: str) -> str:
    r"""Text in which no dollar sign starts a formula.

    >>> print(plain("cost in $"))
    cost in \$
    """
    return text.replace("$", r"\$")


def label_rows(ax: "Axes", names: Sequence[str]) -> None:
    """One row per name, the first on top."""
    ax.set_yticks(range(len(names)), [plain(name) for name in names])
    ax.set_ylim(len(names) - 0.5, -0.5)
    ax.tick_params(axis="y", length=0)


def style(number: int) -> dict[str, Any]:
    """Colour and line of the series of that number: told apart without colours, too."""
    return {"color": COLOURS[number % len(COLOURS)], "linestyle": LINES[number % len(LINES)]}
