"""Metrics with several averages over labels; one is the headline."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

from thresher.errors import InputError
from thresher.metrics import Measure, Reduction, Signature


class HeadlineAverage:
    """A metric with the options `average`, the headline, and `report`, the averages that are measures."""

    name: str
    average: Any
    report: Sequence[Any] | None

    def __post_init__(self) -> None:
        if self.report is not None and self.average not in self.report:
            raise InputError(
                f"report={self.report} lacks the headline {self.average!r}; add it, or choose another average"
            )

    def _averages(self, averages: Sequence[Any], settings: Mapping[str, Any]) -> list[Measure]:
        """The measures of the reported averages, the headline first."""
        return [
            Measure(
                Signature.of(f"{self.name}_{average}", settings), self._reduction(average), item_score=None
            )
            for average in sorted(self.report or averages, key=lambda average: average != self.average)
        ]

    @abstractmethod
    def _reduction(self, average: Any) -> Reduction:
        """The reduction of one average."""
