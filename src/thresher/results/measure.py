"""A measure: one number computed from a metric's statistics."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from numbers import Real
from typing import Any, Literal, Self, get_args

from thresher.errors import InputError
from thresher.results.reductions import Mean, Reduction
from thresher.results.signature import Signature
from thresher.results.valor import ValorMetric

Direction = Literal["higher", "lower"]


def check_scale(direction: Any, bounds: Any) -> None:
    """Raise unless a direction and bounds can describe scores.

    Raises:
        InputError: naming the value and what it must be.
    """
    if direction not in get_args(Direction):
        raise InputError(
            f"direction={direction!r} is unknown; choose one of {', '.join(get_args(Direction))}"
        )
    if not (_is_pair(bounds) and bounds[0] <= bounds[1]):
        raise InputError(
            f"bounds={bounds!r} must be the lowest and the highest possible score, e.g. (0, 100)"
        )


def _is_pair(bounds: Any) -> bool:
    both = isinstance(bounds, Sequence) and len(bounds) == 2  # noqa: PLR2004
    return both and all(isinstance(bound, Real) for bound in bounds)


@dataclass(frozen=True)
class Measure:
    """One reported quantity: its name, how it is computed from the statistics and how to read it.

    Attributes:
        signature: names the measure and every setting that changes its value.
        reduction: the pure function from statistics and weights to the value.
        item_score: the statistic that is an item's own score; None if items have none.
        direction: whether higher or lower is better.
        bounds: smallest and largest possible value, inclusive; may be infinite.
        valor: Valor's name for the same quantity; None if Valor does not have it.
        rule: what the name leaves open: the published rule that the value follows, if rules differ in it;
            reports show it after the name.
    """

    signature: Signature
    reduction: Reduction = field(default_factory=Mean)
    item_score: str | None = "score"
    direction: Direction = "higher"
    bounds: tuple[float, float] = (0.0, 1.0)
    valor: ValorMetric | None = None
    rule: str = field(default="", compare=False)  # a text for people

    def __post_init__(self) -> None:
        check_scale(self.direction, self.bounds)

    @property
    def name(self) -> str:
        """The measure's name in reports and files, e.g. `rouge1`."""
        return self.signature.metric

    @property
    def is_item_mean(self) -> bool:
        """Whether the value is the plain mean of the items' own scores."""
        return isinstance(self.reduction, Mean) and self.reduction.column == self.item_score

    def to_dict(self) -> dict[str, Any]:
        """Plain data for files; an infinite bound is None."""
        named = {"rule": self.rule} if self.rule else {}
        return {
            "signature": self.signature.to_dict(),
            "reduction": self.reduction.to_dict(),
            "item_score": self.item_score,
            "direction": self.direction,
            "bounds": [bound if abs(bound) != float("inf") else None for bound in self.bounds],
            "valor": None if self.valor is None else self.valor.to_dict(),
            **named,
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Self:
        """The inverse of `to_dict`."""
        low, high = data["bounds"]
        valor = data.get("valor")
        return cls(
            signature=Signature.from_dict(data["signature"]),
            reduction=Reduction.from_dict(data["reduction"]),
            item_score=data["item_score"],
            direction=data["direction"],
            bounds=(float("-inf") if low is None else low, float("inf") if high is None else high),
            valor=None if valor is None else ValorMetric.from_dict(valor),
            rule=data.get("rule", ""),
        )
