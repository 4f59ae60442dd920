"""Breakdowns of a metric: tables, curves, confusion matrices and examples.

Like a reduction, a breakdown is a pure function of statistics and weights. It is stored with the statistics,
so that tables of slices and later reports can be computed from a stored run.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from thresher.results.registry import Registry
from thresher.results.statistics import Statistics

Floats = npt.NDArray[np.float64]
Form = Literal["table", "curve", "confusion", "examples"]
_REGISTRY: Registry["Breakdown"] = Registry("breakdown")


@dataclass(frozen=True)
class Detail:
    """The content of a breakdown as columns of equal length; reports choose the drawing by `form`.

    Attributes:
        name: name of the breakdown.
        form: `table`; `curve` (the last key is the horizontal axis, the keys before it name the line);
            `confusion` (keys are truth and prediction); `examples` (one row per example).
        keys: the columns that identify a row; the other columns are its values.
        columns: column name -> entries: numbers, strings or None. A column `item` holds item positions.
    """

    name: str
    form: Form
    keys: tuple[str, ...]
    columns: Mapping[str, list[Any]]

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def rows(self) -> Iterator[dict[str, Any]]:
        """Iterate over the rows: column name -> entry."""
        for entries in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, entries, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """Strict JSON data; NaN (0/0) becomes None."""
        columns = {name: [_plain(entry) for entry in entries] for name, entries in self.columns.items()}
        return {"name": self.name, "form": self.form, "keys": list(self.keys), "columns": columns}


class Breakdown(ABC):
    """Base class; subclasses are frozen dataclasses with a `name` that set `kind`, their name in files."""

    kind: ClassVar[str]
    name: str

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        _REGISTRY.add(cls)

    @abstractmethod
    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """Return the detail under `weights` (one per item)."""

    def item_texts(self, statistics: Statistics) -> list[str] | None:  # noqa: ARG002  # of few breakdowns
        """What happened in each item, for tables of items; None for breakdowns that do not say it."""
        return None

    def to_dict(self) -> dict[str, Any]:
        """Kind and fields as plain data."""
        return _REGISTRY.to_dict(self)

    @staticmethod
    def from_dict(data: Mapping[str, Any]) -> "Breakdown":
        """The inverse of `to_dict`.

        Raises:
            InputError: if no imported module defines a breakdown of that kind.
        """
        return _REGISTRY.from_dict(data)


def _plain(entry: Any) -> Any:
    if isinstance(entry, np.generic):
        entry = entry.item()
    return None if isinstance(entry, float) and entry != entry else entry  # noqa: PLR0124 (NaN)
