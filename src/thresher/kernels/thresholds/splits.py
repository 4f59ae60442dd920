"""Divisions of items into a part to choose a threshold on, and a part to report on."""

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import SEED
from thresher.kernels.inference.units import codes_of
from thresher.surface import given

Mask = npt.NDArray[np.bool_]
HALVINGS = 20
"""Random divisions, each used in both directions where the parts are halves. The values of other seeds then
vary by 0.07 to 0.12 standard errors (samples of 40 and of 150 simulated images)."""
_FEWEST = 2


@dataclass(frozen=True)
class SplitPlan:
    """How items are divided.

    Attributes:
        share: share of the items to choose on, in random divisions.
        times: number of random divisions.
        folds: number of folds, each reported on once; None for random divisions.
        seed: seed of the divisions.
    """

    share: float = 0.5
    times: int = HALVINGS
    folds: int | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        if not 0 < self.share < 1:
            raise InputError(f"{given('split', self.share)} must lie between 0 and 1")
        if self.folds is not None and self.folds < _FEWEST:
            raise InputError(f"{given('folds', self.folds)} must be at least 2")

    def parts(self, scored: Mask, groups: Sequence[Hashable] | None = None) -> Iterator[tuple[Mask, Mask]]:
        """Yield masks of the items to choose on, and of those to report on.

        Args:
            scored: the items that count.
            groups: per item its group, such as a video or a patient; groups are not divided.

        Raises:
            InputError: if there are fewer groups than parts.

        >>> [(int(mine.sum()), int(rest.sum())) for mine, rest in SplitPlan(folds=3).parts(np.ones(6, bool))]
        [(4, 2), (4, 2), (4, 2)]
        """
        codes, number = _codes(scored, groups)
        needed = self.folds or _FEWEST
        if number < needed:
            raise InputError(
                f"{counted(number, 'item')} or clusters cannot be divided into {counted(needed, 'part')}; "
                f"evaluate more, or choose and report on the same with {given('split', 1)}"
            )
        for chosen, reported in self._divisions(number):
            masks = [np.zeros(len(scored), np.bool_) for _ in range(2)]
            for mask, units in zip(masks, (chosen, reported), strict=True):
                mask[scored] = units[codes]
            yield masks[0], masks[1]

    def _divisions(self, number: int) -> Iterator[tuple[Mask, Mask]]:
        generator = np.random.default_rng(self.seed)
        if self.folds is not None:
            fold = generator.permutation(np.arange(number) % self.folds)
            for at in range(self.folds):
                yield fold != at, fold == at
            return
        size = min(max(1, round(self.share * number)), number - 1)
        for _ in range(self.times):
            chosen = generator.permutation(number) < size
            yield chosen, ~chosen
            if 2 * size == number or self.share == 0.5:  # noqa: PLR2004 (halves can be swapped)
                yield ~chosen, chosen


def _codes(scored: Mask, groups: Sequence[Hashable] | None) -> tuple[npt.NDArray[np.int64], int]:
    """Number of the group of each counted item, and the number of groups."""
    if groups is None:
        number = int(np.count_nonzero(scored))
        return np.arange(number), number
    codes, number = codes_of(np.asarray(groups)[scored].tolist())
    return np.asarray(codes, dtype=np.int64), number
