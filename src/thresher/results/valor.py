"""Measures in the shape that Valor's users know: `type`, `parameters` and `value`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self


@dataclass(frozen=True)
class ValorMetric:
    """Valor's name for a measure; `Measure.valor` holds one where Valor defines the same quantity.

    Attributes:
        type: Valor's metric type, e.g. `ROUGE`.
        parameters: parameter name and value, in Valor's order; lists are tuples.
        floor: values below it are reported as 0, as Valor does for BLEU.
        part: the parameter that distinguishes measures which are one metric in Valor, e.g. `rouge_type`;
            empty if the measure is a metric by itself.

    >>> ValorMetric("BLEU", (("weights", (0.5, 0.5)),), floor=1e-9).entry(1e-78)
    {'type': 'BLEU', 'parameters': {'weights': [0.5, 0.5]}, 'value': 0.0}
    """

    type: str
    parameters: tuple[tuple[str, Any], ...] = ()
    floor: float = 0.0
    part: str = ""

    def entry(self, value: float) -> dict[str, Any]:
        """Valor's dictionary for a value; NaN (no value) becomes None."""
        parameters = {name: _listed(parameter) for name, parameter in self.parameters}
        return {"type": self.type, "parameters": parameters, "value": self.plain_value(value)}

    def plain_value(self, value: float) -> float | None:
        """The value as Valor writes it."""
        undefined = value != value  # noqa: PLR0124 (NaN)
        return None if undefined else 0.0 if value < self.floor else value

    @property
    def shared(self) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """What the parts of one metric have in common: its type and the other parameters."""
        return self.type, tuple(pair for pair in self.parameters if pair[0] != self.part)

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files."""
        parameters = [[name, _listed(value)] for name, value in self.parameters]
        return {"type": self.type, "parameters": parameters, "floor": self.floor, "part": self.part}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        parameters = tuple((name, _tupled(value)) for name, value in data["parameters"])
        return cls(data["type"], parameters, data["floor"], data.get("part", ""))


def valor_entries(values: Sequence[tuple[ValorMetric, float]]) -> list[dict[str, Any]]:
    """One dictionary per metric of Valor's; the value of a metric with parts is a dictionary of them."""
    entries: dict[Any, dict[str, Any]] = {}
    for position, (metric, value) in enumerate(values):
        if not metric.part:
            entries[position] = metric.entry(value)
            continue
        name = dict(metric.parameters)[metric.part]
        shared = {key: _listed(parameter) for key, parameter in metric.shared[1]}
        blank = {"type": metric.type, "parameters": {f"{metric.part}s": [], **shared}, "value": {}}
        entry = entries.setdefault(metric.shared, blank)
        entry["parameters"][f"{metric.part}s"].append(name)
        entry["value"][name] = metric.plain_value(value)
    return list(entries.values())


def _listed(value: Any) -> Any:
    return [_listed(entry) for entry in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(entry) for entry in value) if isinstance(value, list) else value
