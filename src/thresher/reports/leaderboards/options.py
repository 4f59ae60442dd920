"""Options of a leaderboard, checked once."""

from collections.abc import Mapping
from dataclasses import dataclass
from numbers import Real
from typing import TypedDict, get_args

from thresher.errors import InputError
from thresher.kernels.inference import LEVEL
from thresher.kernels.inference.interval import checked_level
from thresher.reports.analysis import Verdicts
from thresher.results.choices import check_choice

MOST_MISSING = 0.1
"""Values cover the items that all ranked runs scored: a run that lacks more would leave out items of all others."""


@dataclass(frozen=True, kw_only=True)
class LeaderboardOptions:
    """Options of a leaderboard.

    Attributes:
        primary: measure that orders the runs; None for the measure that the runs declare.
        baseline: name of the run to which differences are shown; None for the run with the best value.
        pairs: whether to show the differences of all pairs.
        weights: measure -> weight in a weighted score; None for no such score.
        references: measure -> smallest and largest value of its scale in the weighted score, for a measure
            without finite bounds.
        letters: whether the table shows letters; runs that share one are not shown to differ.
        level: nominal coverage of intervals; statements about several runs hold together at this level.
        cluster: input column of clusters; see `thresher.reports.Analysis`.
        repeats: input column of what an item repeats; see `thresher.reports.Analysis`.
        verdicts: `comparable` gives no rank to runs with other settings or data than most; `always` does.
        most_missing: share of the items that a run may lack and still get a rank.

    Raises:
        InputError: for an option out of range.
    """

    primary: str | None = None
    baseline: str | None = None
    pairs: bool = False
    weights: Mapping[str, float] | None = None
    references: Mapping[str, tuple[float, float]] | None = None
    letters: bool = False
    level: float = LEVEL
    cluster: str | None = None
    repeats: str | None = None
    verdicts: Verdicts = "comparable"
    most_missing: float = MOST_MISSING

    def __post_init__(self) -> None:
        checked_level(self.level)
        check_choice("verdicts", self.verdicts, get_args(Verdicts))
        for name in ("primary", "baseline"):
            value = getattr(self, name)
            if not isinstance(value, str | None):
                raise InputError(f"{name}={value!r} must be one name")
        if not isinstance(self.most_missing, Real) or not 0 <= self.most_missing < 1:
            raise InputError(f"most_missing={self.most_missing!r} must be a share from 0 to below 1")
        if self.weights is not None and not (isinstance(self.weights, Mapping) and self.weights):
            raise InputError(f"weights={self.weights!r}: give a dict measure -> weight")
        if self.references and not self.weights:
            raise InputError("references are scales of a weighted score; give weights too")


class LeaderboardKeywords(TypedDict, total=False):
    """Options of `thresher.leaderboard`; `LeaderboardOptions` describes them."""

    primary: str | None
    baseline: str | None
    pairs: bool
    weights: Mapping[str, float] | None
    references: Mapping[str, tuple[float, float]] | None
    letters: bool
    level: float
    cluster: str | None
    repeats: str | None
    verdicts: Verdicts
    most_missing: float
