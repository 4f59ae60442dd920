"""Results in the shape that users of Valor read: `type`, `parameters`, `value` and `label`."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

from thresher.results.valor_tables import Naming, valor_tables

if TYPE_CHECKING:
    from thresher.results.metric_result import MetricResult


@dataclass(frozen=True)
class ValorMetric:
    """Valor's name for a measure; `Measure.valor` holds one where Valor defines the same quantity.

    Attributes:
        type: Valor's metric type, e.g. `ROUGE`.
        parameters: parameter name and value, in Valor's order; lists are tuples.
        floor: values below it are reported as 0, as Valor does for BLEU.
        part: the parameter by which several measures are parts of one metric of Valor's, e.g. `rouge_type`;
            empty where the measure is a metric of its own.

    >>> ValorMetric("BLEU", (("weights", (0.5, 0.5)),), floor=1e-9).entry(1e-78)
    {'type': 'BLEU', 'parameters': {'weights': [0.5, 0.5]}, 'value': 0.0}
    """

    type: str
    parameters: tuple[tuple[str, Any], ...] = ()
    floor: float = 0.0
    part: str = ""

    def entry(self, value: float) -> dict[str, Any]:
        """A value in Valor's shape; NaN, which stands for no value, is None."""
        parameters = {name: _listed(parameter) for name, parameter in self.parameters}
        return {"type": self.type, "parameters": parameters, "value": self.shown(value)}

    def shown(self, value: float) -> float | None:
        """The value as Valor writes it."""
        undefined = value != value  # noqa: PLR0124 (NaN)
        return None if undefined else 0.0 if value < self.floor else value

    @property
    def whole(self) -> tuple[str, tuple[tuple[str, Any], ...]]:
        """What the parts of one metric share: its type and the other parameters."""
        return self.type, tuple(pair for pair in self.parameters if pair[0] != self.part)

    def to_dict(self) -> dict[str, Any]:
        """Plain data, as files keep it."""
        parameters = [[name, _listed(value)] for name, value in self.parameters]
        return {"type": self.type, "parameters": parameters, "floor": self.floor, "part": self.part}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        parameters = tuple((name, _tupled(value)) for name, value in data["parameters"])
        return cls(data["type"], parameters, data["floor"], data.get("part", ""))


def to_valor(
    result: "MetricResult", item: int | None = None, naming: Naming | None = None, *, parts: bool = False
) -> list[dict[str, Any]]:
    """All that a result says in Valor's dictionaries; see `MetricResult.to_valor`."""
    shared = [(measure.valor, measure.name) for measure in result.measures if measure.valor is not None]
    if item is None:
        weights, values = None, [result.value(name) for _, name in shared]
    else:
        position = range(len(result))[item]
        weights = [float(each == position) for each in range(len(result))]
        values = [float(result.item_scores(name)[position]) for _, name in shared]
    metrics = list(zip((metric for metric, _ in shared), values, strict=True))
    entries = [metric.entry(value) for metric, value in metrics] if parts else _wholes(metrics)
    return entries + valor_tables(result, naming or Naming(), weights)


def _wholes(metrics: Sequence[tuple[ValorMetric, float]]) -> list[dict[str, Any]]:
    """One entry per metric of Valor's; one of several parts has a dictionary as its value."""
    entries: dict[Any, dict[str, Any]] = {}
    for place, (metric, value) in enumerate(metrics):
        if not metric.part:
            entries[place] = metric.entry(value)
            continue
        name = dict(metric.parameters)[metric.part]
        shared = {key: _listed(parameter) for key, parameter in metric.whole[1]}
        blank = {"type": metric.type, "parameters": {f"{metric.part}s": [], **shared}, "value": {}}
        entry = entries.setdefault(metric.whole, blank)
        entry["parameters"][f"{metric.part}s"].append(name)
        entry["value"][name] = metric.shown(value)
    return list(entries.values())


def _listed(value: Any) -> Any:
    return [_listed(entry) for entry in value] if isinstance(value, tuple) else value


def _tupled(value: Any) -> Any:
    return tuple(_tupled(entry) for entry in value) if isinstance(value, list) else value
