"""What a shipped recipe is: the metrics, and why its options are as they are."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

PRIMARY = "collector.primary"
"""The option that names the measures that comparisons test."""


@dataclass(frozen=True)
class Recipe:
    """One shipped recipe.

    Attributes:
        purpose: one line for help texts.
        needs: columns that its data must have: the mandatory inputs of its pipeline.
        metrics: creates the argument for `build`.
        primary: names of the measures that comparisons test; all others are secondary.
        data: the options that name its data on the command line.
        reasons: `component.option` -> why the recipe's value differs from the component's default. All
            other options have their defaults, so that a metric gives the same number in every recipe.
        judged: names of the metrics that are added if a judge is named; the recipe's file lacks them.
    """

    purpose: str
    needs: tuple[str, ...]
    metrics: Callable[[], list[Any] | dict[str, Any]]
    primary: tuple[str, ...]
    data: str = "--data answers.jsonl"
    reasons: Mapping[str, str] = field(default_factory=dict)
    judged: tuple[str, ...] = ()
