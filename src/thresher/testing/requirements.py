"""What a law requires: a condition, or two results or values that agree."""

from typing import Any

import numpy as np

from thresher.results import MetricResult

_PRECISION = 1e-12


def require(holds: Any, sentence: str) -> None:
    """Raise an AssertionError with the sentence unless the condition holds."""
    if not holds:
        raise AssertionError(sentence)


def equal(actual: Any, expected: Any, precision: float = 0.0) -> bool:
    """Whether numbers are equal up to a relative precision; NaN is equal to NaN."""
    return bool(np.allclose(actual, expected, rtol=precision, atol=0.0, equal_nan=True))


def require_same(actual: MetricResult, expected: MetricResult, what: str) -> None:
    """Require two equal results; the sentence names the first difference."""
    require(actual.measures == expected.measures, f"{what} has other measures, or other settings of them")
    for name in (measure.name for measure in expected.measures):
        values = actual.value(name), expected.value(name)
        require(equal(*values), f"{what} gives {values[0]:g} for {name} instead of {values[1]:g}")
    require(actual.status.tolist() == expected.status.tolist(), f"{what} has other statuses")
    require(
        actual.to_dict() == expected.to_dict(),
        f"{what} has other statistics, reasons, evidence or breakdowns",
    )


def measure_names(result: MetricResult) -> list[str]:
    """Names of the measures of a result."""
    return [measure.name for measure in result.measures]


def require_value(actual: float, expected: float, name: str, where: str) -> None:
    """Require a measure's value to be that computed from the same items."""
    same = equal(actual, expected, _PRECISION)
    require(same, f"{name} is {actual:g} {where}, but {expected:g} computed from these items")
