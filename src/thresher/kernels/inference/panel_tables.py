"""Tables of a panel of judges: score, bias and coverage of each judge, and their agreement."""

import math
from dataclasses import dataclass
from itertools import combinations
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from thresher.kernels.inference.agreement import cohen_kappa, fleiss_kappa
from thresher.kernels.inference.krippendorff import krippendorff_alpha
from thresher.kernels.inference.panels import LABELS, NUMBERS, SCORES, VOTES, judge_biases
from thresher.kernels.inference.spread import FEWEST
from thresher.results import Breakdown, Detail, Statistics

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class PanelJudges(Breakdown):
    """Score, bias and coverage of each judge of a panel."""

    kind: ClassVar[str] = "panel_judges"
    judges: tuple[str, ...]
    name: str = "judges"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per judge."""
        rows = _rows(weights)
        scores = statistics[SCORES][rows].astype(np.float64)
        cast, asked = _cast(statistics, weights)
        number = (~np.isnan(scores)).sum(axis=0)
        totals = np.nansum(scores, axis=0)
        means = np.where(number > 0, totals / np.maximum(number, 1), np.nan)
        columns: dict[str, list[Any]] = {"judge": list(self.judges)}
        columns |= {"mean": means.tolist(), "bias": judge_biases(scores).tolist(), "items": number.tolist()}
        columns["votes"] = (cast if asked else number).tolist()
        columns["coverage"] = ((cast if asked else number) / max(1, asked or len(rows))).tolist()
        return Detail(self.name, "table", ("judge",), columns)


@dataclass(frozen=True)
class PanelAgreement(Breakdown):
    """Agreement of the judges of a panel on the subjects that they voted on."""

    kind: ClassVar[str] = "panel_agreement"
    judges: tuple[str, ...]
    name: str = "agreement_of_judges"

    def __call__(self, statistics: Statistics, weights: Floats) -> Detail:
        """One row per coefficient, and per pair of judges."""
        labels = _votes(statistics, LABELS, weights)
        numbers = _votes(statistics, NUMBERS, weights)
        if not len(labels) + len(
            numbers
        ):  # judges answered in words of their own: their scores are the votes
            numbers = statistics[SCORES][_rows(weights)].astype(np.float64)
        rows = [*self._of_labels(labels), *_of_numbers(numbers)]
        names = ("coefficient", "judges", "value", "subjects")
        columns = {name: [row[place] for row in rows] for place, name in enumerate(names)}
        return Detail(self.name, "table", ("coefficient", "judges"), columns)

    def _of_labels(self, votes: Floats) -> list[tuple[Any, ...]]:
        if not len(votes):
            return []
        by_judge = _by_judge(votes)
        whole = [fleiss_kappa(by_judge), krippendorff_alpha(by_judge)]
        pairs = [
            ("cohen_kappa", f"{self.judges[one]}, {self.judges[other]}", kappa.value, kappa.items)
            for one, other in combinations(range(len(by_judge)), 2)
            for kappa in [cohen_kappa(by_judge[one], by_judge[other])]
        ]
        return [_unanimous(votes), *((it.coefficient, "all", it.value, it.items) for it in whole), *pairs]


def _of_numbers(votes: Floats) -> list[tuple[Any, ...]]:
    if not len(votes):
        return []
    by_judge = _by_judge(votes)
    alphas = [krippendorff_alpha(by_judge, "ordinal"), krippendorff_alpha(by_judge, "interval")]
    return [_unanimous(votes), *((alpha.coefficient, "all", alpha.value, alpha.items) for alpha in alphas)]


def _unanimous(votes: Floats) -> tuple[Any, ...]:
    """The share of subjects with equal votes, among those with at least two."""
    several = votes[(~np.isnan(votes)).sum(axis=1) >= FEWEST]
    share = (
        float((np.nanmax(several, axis=1) == np.nanmin(several, axis=1)).mean()) if len(several) else math.nan
    )
    return "unanimous", "all", share, len(several)


def _by_judge(votes: Floats) -> list[list[float | None]]:
    return [[None if math.isnan(vote) else vote for vote in column] for column in votes.T.tolist()]


def _rows(weights: Floats) -> npt.NDArray[np.int64]:
    """Positions of the items that count, repeated where a whole weight is above 1."""
    counted = np.flatnonzero(weights > 0)
    whole = (weights == np.floor(weights)).all()
    return np.repeat(counted, weights[counted].astype(np.int64)) if whole else counted


def _votes(statistics: Statistics, name: str, weights: Floats) -> Floats:
    """Subjects x judges of the items that count; codes of labels or numbers, NaN for lost votes."""
    entries = statistics.ragged[name].take(_rows(weights))
    votes = entries[VOTES].astype(np.float64)
    return np.where(votes < 0, np.nan, votes) if name == LABELS else votes


def _cast(statistics: Statistics, weights: Floats) -> tuple[npt.NDArray[np.int64], int]:
    """Number of votes of each judge, and of subjects."""
    tables = [_votes(statistics, name, weights) for name in (LABELS, NUMBERS)]
    cast = sum((~np.isnan(table)).sum(axis=0) for table in tables)
    return np.asarray(cast, dtype=np.int64), sum(map(len, tables))
