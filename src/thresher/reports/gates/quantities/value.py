"""The value of a metric: `valor_faithfulness>=0.8`."""

from dataclasses import dataclass
from typing import Self

from thresher.reports.gates.grammar import RequirementReader
from thresher.reports.gates.quantities.base import KINDS, Quantity
from thresher.results.suggestions import suggest


@dataclass(frozen=True)
class MetricValue(Quantity):
    """The value of a metric. It is not registered: the parser takes it where no keyword matches."""

    @classmethod
    def parse(cls, reader: RequirementReader) -> Self:
        """Read `name [slice]`."""
        name = reader.name()
        if reader.rest.startswith("("):
            known = sorted(kind.keyword for kind in KINDS)
            choices = ", ".join(known)
            raise reader.error(f"{name!r} is not a quantity{suggest(name, known)}; choose one of {choices}")
        return cls((name,), reader.slice())
