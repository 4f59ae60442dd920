"""Rules that pool the votes of several judges on one subject."""

import math
from collections.abc import Callable, Mapping, Sequence
from statistics import median
from typing import Literal, get_args

from thresher.errors import InputError

Vote = str | float
"""A label, or a number on a scale."""
Rule = Literal["majority", "plurality", "unanimous", "any", "weighted", "mean", "median", "min", "max"]
RULES: tuple[str, ...] = get_args(Rule)
_DISSENT = {"unanimous": "no", "any": "yes"}
_OF_NUMBERS: Mapping[str, Callable[[Sequence[float]], float]] = {"median": median, "min": min, "max": max}


def pooled(votes: Sequence[Vote], rule: Rule, weights: Sequence[float]) -> Vote | None:
    """Pool votes; None for a tie.

    | rule | labels | numbers |
    |---|---|---|
    | `majority` | more than half of the votes | mean |
    | `plurality` | most votes | mean |
    | `unanimous` | all votes; yes and no that differ give no | mean |
    | `any` | all votes; yes and no that differ give yes | mean |
    | `weighted` | the highest sum of weights | weighted mean |
    | `mean`, `median`, `min`, `max` | more than half of the votes | that number |

    Args:
        votes: at least one vote, without missing ones; all labels or all numbers.
        rule: the rule.
        weights: one weight per vote, used by `weighted`.

    >>> pooled(["yes", "yes", "no"], "majority", [1, 1, 1]), pooled(["A", "B"], "majority", [1, 1])
    ('yes', None)
    >>> pooled([1, 5, 4], "median", [1, 1, 1]), pooled([1, 5], "majority", [1, 1])
    (4.0, 3.0)
    """
    if any(isinstance(vote, str) for vote in votes):
        return _label([str(vote) for vote in votes], rule, weights)
    numbers = [float(vote) for vote in votes]
    function = _OF_NUMBERS.get(rule)
    if function is not None:
        return function(numbers)
    return _weighted_mean(numbers, weights if rule == "weighted" else [1.0] * len(numbers))


def _label(votes: Sequence[str], rule: str, weights: Sequence[float]) -> str | None:
    if len(set(votes)) == 1:
        return votes[0]
    if rule in _DISSENT:
        return _DISSENT[rule] if set(votes) == {"yes", "no"} else None
    shares = weights if rule == "weighted" else [1.0] * len(votes)
    totals: dict[str, float] = {}
    for vote, share in zip(votes, shares, strict=True):
        totals[vote] = totals.get(vote, 0.0) + share
    first, second = sorted(totals, key=totals.__getitem__, reverse=True)[:2]
    if math.isclose(totals[first], totals[second], rel_tol=1e-9):
        return None
    most = rule in ("plurality", "weighted") or 2 * totals[first] > len(votes)
    return first if most else None


def _weighted_mean(numbers: Sequence[float], weights: Sequence[float]) -> float | None:
    total = math.fsum(weights)
    if not total:
        return None
    return math.fsum(weight * number for weight, number in zip(weights, numbers, strict=True)) / total


def check_rule(rule: object) -> None:
    """Raise unless a rule is known.

    Raises:
        InputError: lists the rules.
    """
    if rule not in RULES:
        raise InputError(f"pool={rule!r} must be one of {', '.join(RULES)}")
