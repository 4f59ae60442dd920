"""What Valor calls a measure, for results in the shape that its users read."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class ValorMetric:
    """Valor's name for a measure; `Measure.valor` holds one where Valor defines the same quantity.

    Attributes:
        type: Valor's metric type, e.g. `ROUGE`.
        parameters: parameter name and value, in Valor's order; lists are tuples.
        floor: values below it are told as 0, as Valor does for BLEU.

    >>> ValorMetric("BLEU", (("weights", (0.5, 0.5)),), floor=1e-9).told(1e-78)
    {'type': 'BLEU', 'parameters': {'weights': [0.5, 0.5]}, 'value': 0.0}
    """

    type: str
    parameters: tuple[tuple[str, Any], ...] = ()
    floor: float = 0.0

    def told(self, value: float) -> dict[str, Any]:
        """A value in Valor's shape; NaN, which stands for no value, is None."""
        undefined = value != value  # noqa: PLR0124 (NaN)
        return {
            "type": self.type,
            "parameters": {name: _listed(parameter) for name, parameter in self.parameters},
            "value": None if undefined else 0.0 if value < self.floor else value,
        }

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as files keep it."""
        parameters = [[name, _listed(value)] for name, value in self.parameters]
        return {"type": self.type, "parameters": parameters, "floor": self.floor}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        parameters = tuple((name, _tupled(value)) for name, value in data["parameters"])
        return cls(data["type"], parameters, data["floor"])


def _listed(value: Any) -> Any:
    return [_listed(entry) for entry in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(entry) for entry in value) if isinstance(value, list) else value
