"""Which items thresholds are chosen on: random parts, folds, or those that a column names."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference import SEED
from thresher.kernels.thresholds.splits import HALVINGS, SplitPlan
from thresher.reports.runs.grouping import Grouping, column_of
from thresher.reports.runs.run_data import RunData
from thresher.surface import given

Mask = npt.NDArray[np.bool_]
SPLIT = 0.5
_SELECTION = re.compile(r"\s*[^\s=][^=]*=.*", re.DOTALL)


@dataclass(frozen=True)
class ChoiceOfItems:
    """How the items are divided.

    Attributes:
        choose_on: `column=value`: the items to choose on; None for random parts.
        folds: number of folds; None for random parts.
        split: share of the items to choose on, of random parts (default: 0.5); 1 chooses and reports on all.
        seed: seed of the parts.
    """

    choose_on: str | None = None
    folds: int | None = None
    split: float | None = None
    seed: int = SEED

    def __post_init__(self) -> None:
        divisions = {"choose_on": self.choose_on, "folds": self.folds, "split": self.split}
        chosen = [given(name, value) for name, value in divisions.items() if value is not None]
        if len(chosen) > 1:
            raise InputError(f"{' and '.join(chosen)} exclude each other; give one of them")
        if self.choose_on is not None and not _SELECTION.fullmatch(self.choose_on):
            asked = given("choose_on", self.choose_on)
            raise InputError(f"{asked}: give COLUMN=VALUE, for example split=val")
        if self.share != 1 or self.folds is not None:
            self._plan()

    @property
    def share(self) -> float:
        """The share of the items to choose on, of random parts."""
        return SPLIT if self.split is None else self.split

    @property
    def same_items(self) -> bool:
        """Whether thresholds are reported on the items that they are chosen on."""
        return self.choose_on is None and self.folds is None and self.share == 1

    def named(self, run: RunData) -> Mask | None:
        """Mask of the items that `choose_on` names; None without it.

        Raises:
            InputError: for an unknown column, or a value that no item or every item has.
        """
        if self.choose_on is None:
            return None
        column, _, value = self.choose_on.partition("=")
        asked = given("choose_on", self.choose_on)
        try:
            entries = [str(entry) for entry in column_of(run, column.strip())]
        except InputError as error:
            raise InputError(f"{asked}: {error}") from error
        mask = np.array([entry == value.strip() for entry in entries], np.bool_)
        if not mask.any():
            known = ", ".join(map(repr, sorted(set(entries))[:5]))
            raise InputError(f"{asked}: no item has that value; {column} holds {known}")
        if mask.all():
            raise InputError(f"{asked}: every item has that value, none is left to report on")
        return mask

    def parts(self, run: RunData, counted: Mask, grouping: Grouping) -> Iterator[tuple[Mask, Mask]]:
        """Yield masks of the items to choose on, and of those to report on."""
        named = self.named(run)
        if named is not None:
            yield counted & named, counted & ~named
        elif self.same_items:
            yield counted, counted
        else:
            groups = grouping.clusters if grouping.clusters is not None else grouping.repeated
            yield from self._plan().parts(counted, None if groups is None else groups.tolist())

    def sentence(self, noun: str = "items") -> str:
        """How the items were divided, in one sentence."""
        if self.choose_on is not None:
            column, _, value = self.choose_on.partition("=")
            where = f"{noun} where {column.strip()} is {value.strip()}"
            return f"Chosen on the {where}, reported on the others."
        if self.folds is not None:
            return (
                f"Chosen on all {noun}. Values on others: from {counted(self.folds, 'fold')} (seed "
                f"{self.seed})."
            )
        if self.same_items:
            return f"Chosen and reported on the same {noun}, which flatters."
        parts = "halves" if self.share == 0.5 else f"parts of {self.share:.0%}"  # noqa: PLR2004
        return (
            f"Chosen on all {noun}. Values on others: thresholds chosen on random {parts} and applied to the "
            f"rest, {HALVINGS} times (seed {self.seed})."
        )

    def _plan(self) -> SplitPlan:
        return SplitPlan(0.5 if self.folds is not None else self.share, folds=self.folds, seed=self.seed)
