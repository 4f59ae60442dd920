"""What a report computes: its options, declared, documented and checked once."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, Literal, ParamSpec, TypedDict, TypeVar, get_args

from thresher.errors import InputError
from thresher.kernels.inference import LEVEL
from thresher.kernels.inference.interval import checked_level
from thresher.reports.comparisons.margins import Margins
from thresher.reports.runs.names import check_metric_names
from thresher.results.choices import check_choice

Verdicts = Literal["comparable", "always"]
BINS = 4
"""Quartiles: the coarsest bins that show whether the middle differs from both ends."""
FEWEST = 10
"""Slices with fewer items are shown without a verdict: their intervals hold nearly every value."""
P = ParamSpec("P")
R = TypeVar("R")


@dataclass(frozen=True, kw_only=True)
class Analysis:
    """Options of a report. Report classes read those that apply to them.

    Attributes:
        metrics: names of the metrics to report; None for all. Comparisons and reports on slices test the
            metrics that are named; for None, the primary ones, which the runs declare. P-values are corrected
            for all tests made.
        cluster: input column of clusters; items with the same entry are not independent. None for the column
            `cluster` if there is one, else `conversation_id` if several items have one conversation; empty
            for none.
        repeats: input column of what an item repeats; repeats are averaged first. None for the column
            `repeat_of` if there is one, empty for none.
        level: nominal coverage of the intervals, 0.5 to 1; verdicts err with a chance of at most 1 - level.
        margins: metric -> difference that does not matter, in units of the metric. A metric is `equivalent`
            only if it has a margin and the interval of level 2 * level - 1 lies within it. A margin for a
            metric asks for its verdict, primary or not.
        margin: the same for all metrics that `margins` does not name.
        verdicts: `comparable` gives no verdict where settings or data differ between the runs; `always` does.
        primary: names of the measures to test instead of those that the runs declare. If they differ, the
            report says that they were chosen afterwards and corrects for all measures compared.
        bins: number of slices of a column with many different numbers; at least 2.
        fewest: slices with fewer scored items have no verdict.

    Raises:
        InputError: for a level, margin, verdict or number of bins out of range, or a name instead of a list.

    >>> Analysis(level=0.9).margin is None
    True
    """

    metrics: Sequence[str] | None = None
    cluster: str | None = None
    repeats: str | None = None
    margins: Mapping[str, float] | None = None
    margin: float | None = None
    verdicts: Verdicts = "comparable"
    bins: int = BINS
    fewest: int = FEWEST
    level: float = LEVEL
    primary: Sequence[str] | None = None

    def __post_init__(self) -> None:
        checked_level(self.level)
        check_metric_names(self.metrics)
        check_choice("verdicts", self.verdicts, get_args(Verdicts))
        if self.bins < 2:  # noqa: PLR2004
            raise InputError(f"bins={self.bins} makes no slices; give 2 or more")
        if isinstance(self.primary, str) or (self.primary is not None and not self.primary):
            raise InputError(f"primary={self.primary!r} must be a list of one or more names of measures")
        self.margins_of(self.margins if isinstance(self.margins, Mapping) else ())

    def margins_of(self, metrics: Sequence[str] | Mapping[str, Any]) -> Margins:
        """Return the margins, checked against the names of the metrics that exist.

        Raises:
            InputError: for a margin of an unknown metric.
        """
        return Margins.checked(self.margins, self.margin, metrics)


DEFAULT = Analysis()


class RunOptions(TypedDict, total=False):
    """Options of a report of one run; `Analysis` describes them."""

    metrics: Sequence[str] | None
    cluster: str | None
    repeats: str | None
    level: float


class ComparisonOptions(RunOptions, total=False):
    """Options of a comparison of runs; `Analysis` describes them."""

    margins: Mapping[str, float] | None
    margin: float | None
    verdicts: Verdicts
    primary: Sequence[str] | None


class SliceOptions(RunOptions, total=False):
    """Options of a report on slices; `Analysis` describes them."""

    bins: int
    fewest: int


class SliceComparisonOptions(ComparisonOptions, SliceOptions, total=False):
    """Options of a comparison on slices; `Analysis` describes them."""


def takes(options: type, target: Callable[..., Any] = Analysis) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Declare the keywords that a method passes on, for `help()` and against misspelt names.

    Args:
        options: TypedDict of the keywords.
        target: what they are passed on to, which knows their defaults.
    """
    known = inspect.signature(target).parameters.values()
    keywords = [
        each.replace(kind=each.KEYWORD_ONLY) for each in known if each.name in options.__annotations__
    ]

    def declare(method: Callable[P, R]) -> Callable[P, R]:
        signature = inspect.signature(method)
        own = [entry for entry in signature.parameters.values() if entry.kind is not entry.VAR_KEYWORD]
        full = signature.replace(parameters=[*own, *keywords])

        @wraps(method)
        def checked(*args: P.args, **kwargs: P.kwargs) -> R:
            try:
                full.bind(*args, **kwargs)
            except TypeError as error:
                raise TypeError(f"{method.__name__}() {error}") from None
            return method(*args, **kwargs)

        checked.__signature__ = full  # type: ignore[attr-defined]
        return checked

    return declare
