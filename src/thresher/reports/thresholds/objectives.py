"""Objectives of a threshold by name."""

import math

from thresher.errors import InputError
from thresher.kernels.inference import BestF, LeastCost, PrecisionAtRecall, RecallAtPrecision, Youden
from thresher.kernels.inference.objectives import Objective
from thresher.results.choices import unknown_choice

_FLOORS: dict[str, type[PrecisionAtRecall] | type[RecallAtPrecision]] = {
    "precision-at-recall": PrecisionAtRecall,
    "recall-at-precision": RecallAtPrecision,
}
OBJECTIVES = (
    "f1",
    "f2",
    "f0.5",
    "precision-at-recall=0.9",
    "recall-at-precision=0.9",
    "youden",
    "cost=FP,FN",
    "cost=FP,FN,TP,TN",
)


def objective_of(text: str | Objective) -> Objective:
    """Return what a threshold optimises.

    `f1` (or any F-beta), the highest precision at a recall floor, the highest recall at a precision floor,
    Youden's index, or the least cost, given what a false positive and a false negative cost, and what a true
    positive and a true negative do where they are not free.

    Raises:
        InputError: for anything else.

    >>> objective_of("precision-at-recall=0.9"), objective_of("f0.5"), objective_of("cost=1,5").name
    (PrecisionAtRecall(recall=0.9), BestF(beta=0.5), 'cost_fp_1_fn_5')
    >>> objective_of("cost=1,5,-2,0").name
    'cost_fp_1_fn_5_tp_-2'
    """
    if not isinstance(text, str):
        return _with_costs_of_errors(text)
    name, _, value = text.strip().lower().partition("=")
    try:
        objective = _numbered(name, [float(part) for part in value.split(",")] if value else [])
    except InputError:
        raise
    except ValueError:  # not a number
        objective = None
    if objective is None:
        raise unknown_choice(f"objective {text!r}", text, OBJECTIVES)
    return _with_costs_of_errors(objective)


def _with_costs_of_errors(objective: Objective) -> Objective:
    """The objective; raise if an error is a gain, for which the best threshold is at an end."""
    if isinstance(objective, LeastCost):
        for name in ("false_positive", "false_negative"):
            if (cost := getattr(objective, name)) < 0:
                raise InputError(
                    f"objective cost: a {name.replace('_', ' ')} costs {cost:g}; give 0 or more (only true "
                    "ones may be gains, the third and fourth number)"
                )
    return objective


def _numbered(name: str, numbers: list[float]) -> Objective | None:
    if name == "youden" and not numbers:
        return Youden()
    if name == "cost" and len(numbers) in (2, 4) and all(map(math.isfinite, numbers)):
        return LeastCost(*numbers)
    if name in _FLOORS and len(numbers) == 1:
        if not 0 <= numbers[0] <= 1:
            raise InputError(f"objective {name}={numbers[0]:g}: the floor is a share; give 0 to 1, e.g. 0.9")
        return _FLOORS[name](numbers[0])
    if name.startswith("f") and not numbers and float(name[1:]) > 0:
        return BestF(float(name[1:]))
    return None
