"""The target of an estimate: one measure of one result, over the items that count."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.results import Measure, MetricResult, Statistics
from thresher.results.masks import both


@dataclass(frozen=True)
class Target:
    """One measure of one result.

    Attributes:
        result: the result.
        name: name of the measure.
        counted: mask of the items to count; unscored items never count. Default: all scored items.
    """

    result: MetricResult
    name: str
    counted: npt.NDArray[np.bool_] | None = None

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """The items that count."""
        return self.result.scored if self.counted is None else both(self.result.scored, self.counted)

    def mask_in(self, rows: slice) -> npt.NDArray[np.bool_]:
        """The items that count among consecutive ones."""
        scored = self.result.scored_in(rows)
        return scored if self.counted is None else scored & self.counted[rows]

    @property
    def measure(self) -> Measure:
        """The measure itself."""
        return self.result.measure(self.name)

    def blocks(self, mask: npt.NDArray[np.bool_]) -> Iterator[Statistics]:
        """The statistics of the items of `mask`, block by block."""
        for _, _, block in self.result.blocks_within(mask):
            yield block

    def over(self, mask: npt.NDArray[np.bool_]) -> "Target":
        """The same measure over the items of `mask` only."""
        return Target(self.result, self.name, both(self.mask, mask))
