"""The printed lines of `COCOeval.summarize`, and their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Line:
    """One line: a mean of precision or of recall.

    Attributes:
        array: whose mean it is, `precision` or `recall`.
        threshold: the only overlap; None for all.
        area: label of the range of areas.
        cap: position of the number of predictions in `maxDets`; None for `usual`.
        usual: number of predictions that the line is about.
    """

    array: Literal["precision", "recall"]
    threshold: float | None = None
    area: str = "all"
    cap: int | None = 2
    usual: int = 100


_ARRAYS: tuple[Literal["precision", "recall"], ...] = ("precision", "recall")
_SIZES = ("small", "medium", "large")
OBJECTS: tuple[Line, ...] = (
    Line("precision", cap=None),
    *(Line("precision", at) for at in (0.5, 0.75)),
    *(Line("precision", area=size) for size in _SIZES),
    *(Line("recall", cap=cap) for cap in range(3)),
    *(Line("recall", area=size) for size in _SIZES),
)
PEOPLE: tuple[Line, ...] = tuple(
    Line(array, threshold, area, None, 20)
    for array in _ARRAYS
    for threshold, area in ((None, "all"), (0.5, "all"), (0.75, "all"), (None, "medium"), (None, "large"))
)


def cap_of(line: Line, caps: Sequence[int], *, strict: bool) -> int | None:
    """The number of predictions of a line; None if `maxDets` does not have it.

    Unless strict, precision at the largest number replaces that at the usual one.

    Raises:
        IndexError: if strict, and `maxDets` has too few numbers.
    """
    if line.cap is None:
        return line.usual if strict or line.usual in caps else caps[-1]
    if strict or line.cap < len(caps):
        return caps[line.cap]
    return caps[-1] if line.array == "precision" or line.area != "all" else None


def mean_of(line: Line, cap: int, params: Any, arrays: Any, *, strict: bool) -> float:
    """The mean over what is not -1; -1 if nothing is left."""
    values = arrays[line.array]
    if line.threshold is not None:
        values = values[_threshold_rows(params.iouThrs, line.threshold, strict=strict)]
    areas = [at for at, label in enumerate(params.areaRngLbl) if label == line.area]
    caps = [at for at, most in enumerate(params.maxDets) if most == cap]
    values = values[..., areas, caps]
    counted = values[values > -1]
    return float(np.mean(counted)) if len(counted) else -1


def _threshold_rows(thresholds: Any, wanted: float, *, strict: bool) -> npt.NDArray[np.intp]:
    if strict:
        return np.flatnonzero(thresholds == wanted)
    return np.flatnonzero(np.isclose(np.asarray(thresholds, np.float64), wanted, rtol=0, atol=1e-9))


def text_of(line: Line, cap: int, thresholds: Any, value: float) -> str:
    """The line as the reference prints it."""
    name = f"Average {line.array.title()}"
    ends = (thresholds[0], thresholds[-1]) if line.threshold is None else (line.threshold,)
    overlap = ":".join(f"{end:0.2f}" for end in ends)
    place = f"IoU={overlap:<9} | area={line.area:>6s} | maxDets={cap:>3d}"
    return f" {name:<18} (A{line.array[0].upper()}) @[ {place} ] = {value:0.3f}"
