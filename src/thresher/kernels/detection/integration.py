"""How the precision of detections is averaged over recalls."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
POINTS = 101
"""COCO's number of recalls."""
RECALLS = np.linspace(0.0, 1.0, POINTS)  # COCO's points, written as pycocotools writes them, to the last bit
_TOLERANCE = 1e-9  # recalls that differ by rounding only


@dataclass(frozen=True)
class Integration:
    """Mean of the interpolated precision at evenly spaced recalls, or the area below it.

    Attributes:
        points: number of evenly spaced recalls from 0 to 1, or rising recalls; 0 for the area.
        exact: compare recalls to the last bit, as the tools of COCO and Pascal VOC do. Otherwise a recall is
            reached within a billionth, so that 29 of 100 reach 0.29. The area needs no comparison.
    """

    points: int | tuple[float, ...] = POINTS
    exact: bool = False

    @property
    def recalls(self) -> Floats:
        """The recalls at which precision is averaged, as they are compared.

        Eleven are those of Pascal VOC's kit to the last bit: 6 of 10 objects miss the seventh, which is
        0.6000000000000001.

        >>> Integration(11, exact=True).recalls[[0, 6, 10]].tolist()
        [0.0, 0.6000000000000001, 1.0]
        """
        if isinstance(self.points, tuple):
            points = np.array(self.points, dtype=np.float64)
        else:
            points = np.linspace(0.0, 1.0, self.points or POINTS)
        return points if self.exact else points * (1 - _TOLERANCE)
