"""The value of a metric: `valor_faithfulness>=0.8`."""

from dataclasses import dataclass
from typing import Self

from thresher.reports.gates.grammar import RequirementReader
from thresher.reports.gates.quantities.base import Quantity


@dataclass(frozen=True)
class MetricValue(Quantity):
    """The value of a metric. It is not registered: the parser takes it where no keyword matches."""

    @classmethod
    def parse(cls, reader: RequirementReader) -> Self:
        """Read `name [slice]`."""
        return cls((reader.name(),), reader.slice())
