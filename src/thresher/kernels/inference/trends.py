"""Change of one measure over a series of runs: slope and step, item by item."""

from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.inference.interval import LEVEL, SEED, finite
from thresher.kernels.inference.many_systems.contrasts import Contrasts, contrasts
from thresher.kernels.inference.many_systems.signs import SIGN_DRAWS
from thresher.kernels.inference.many_systems.system_scores import SystemScores

Floats = npt.NDArray[np.float64]
Kind = Literal["slope", "step"]
FEWEST_RUNS = 3
"""Fewest runs of a slope; two runs are a comparison."""


@dataclass(frozen=True)
class Change:
    """A change over runs.

    Attributes:
        kind: `slope` per run, or `step` between the last runs and those before.
        estimate: mean over the items; NaN if unknown.
        standard_error: of the estimate.
        low: lower limit of the interval, which holds for all changes of the series together.
        high: upper limit.
        p_value: two-sided, for all changes of the series together.
        runs: number of runs that it covers.
        width: runs on each side of a step; 0 for a slope.
        alarm: whether the whole interval is on the worse side of 0.
    """

    kind: Kind
    estimate: float
    standard_error: float
    low: float
    high: float
    p_value: float
    runs: int
    width: int
    alarm: bool

    def to_dict(self) -> dict[str, float | int | str | bool | None]:
        """JSON data."""
        numbers = ("estimate", "standard_error", "low", "high", "p_value")
        known = {name: finite(float(getattr(self, name))) for name in numbers}
        return {"kind": self.kind, **known, "runs": self.runs, "width": self.width, "alarm": self.alarm}


def slope_row(runs: int) -> Floats:
    """The contrast of runs that is the least-squares slope per run.

    Formula: (t - mean(t)) / sum (t - mean(t))^2 for t = 0, ..., runs - 1

    >>> slope_row(3).tolist()
    [-0.5, 0.0, 0.5]
    """
    times = np.arange(runs) - (runs - 1) / 2
    return np.asarray(times / (times @ times))


def step_row(runs: int, width: int) -> Floats:
    """The contrast of the last `width` runs minus the `width` runs before.

    >>> step_row(5, 2).tolist()
    [0.0, -0.5, -0.5, 0.5, 0.5]
    """
    row = np.zeros(runs)
    row[runs - width :] = 1 / width
    row[runs - 2 * width : runs - width] = -1 / width
    return row


def changes(
    scores: SystemScores,
    *,
    step: int | None = None,
    level: float = LEVEL,
    draws: int = SIGN_DRAWS,
    seed: int = SEED,
) -> list[Change]:
    """Test whether a measure changed over runs of the same items.

    Each change is the mean over items of the item's own change, so that a run is never compared with the best
    of the runs before, which is the best by chance as well: in a series of 20 unchanged runs, a run is
    "significantly worse than the best so far" in 80 % of series, while a slope alarms in 2 to 3 %
    (`benchmarks/trends.py`).

    Formula: contrasts of the runs with rows `slope_row` and `step_row`; for a mean over complete items, t is
        that of a t test on the slopes of the items
    Source: Matthews et al. (1990), Analysis of Serial Measurements in Medical Research (summary measures);
        see `contrasts` for the joint distribution.

    Args:
        scores: one measure of the runs, the oldest first.
        step: width of a step, chosen before the scores are known; None for the slope alone.
        level: nominal coverage of all intervals together. An unchanged series alarms with probability
            (1 - level) / 2.
        draws: number of sign vectors.
        seed: seed of the signs.

    Returns:
        The slope if there are at least 3 runs, and the step if there are at least `2 * step`.

    Raises:
        InputError: for a step that is not a whole number of at least 1.
    """
    if step is not None and (type(step) is not int or step < 1):
        raise InputError(f"step={step!r} must be a whole number of runs, at least 1")
    runs = len(scores)
    rows: list[tuple[Kind, int, Floats]] = []
    if runs >= FEWEST_RUNS:
        rows.append(("slope", 0, slope_row(runs)))
    if step is not None and runs >= 2 * step:
        rows.append(("step", step, step_row(runs, step)))
    if not rows:
        return []
    matrix = np.stack([row for _, _, row in rows])
    tested = contrasts(scores, matrix, level=level, draws=draws, seed=seed)
    return [_change(tested, place, kind, width, scores) for place, (kind, width, _) in enumerate(rows)]


def _change(tested: Contrasts, place: int, kind: Kind, width: int, scores: SystemScores) -> Change:
    low, high = float(tested.low[place]), float(tested.high[place])
    return Change(
        kind,
        float(tested.estimate[place]),
        float(tested.standard_error[place]),
        low,
        high,
        float(tested.p_adjusted[place]),
        runs=2 * width or len(scores),
        width=width,
        alarm=high < 0 if scores.sign > 0 else low > 0,
    )
