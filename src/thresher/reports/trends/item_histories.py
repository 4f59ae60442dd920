"""What each item did over comparable runs."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.flaky import Stability, stability
from thresher.kernels.inference.histories import History, histories
from thresher.reports.rendering.numbers import percent, significant
from thresher.reports.table import Table
from thresher.reports.trends.stretch import Stretch, names_of
from thresher.results.measure import Measure

Floats = npt.NDArray[np.float64]
ORDER = ("fails since", "flaky", "new", "passes since", "steady fail", "steady pass", "unscored")
_SIGNS = {1.0: "p", 0.0: "F"}
"""Neither + nor -, which spreadsheets read as formulas."""
_IN_WORDS = {"fails since": "fail since a run", "passes since": "pass since a run"}
_LEGEND = "One sign per run, the oldest first: p passed, F failed, . without a score."
_LISTED = 20


@dataclass(frozen=True, eq=False)
class ItemHistories:
    """Histories of the items of one stretch of runs.

    Attributes:
        names: items; items that changed come first.
        kinds: what each did.
        signs: per item one sign per run: `p` passed, `F` failed, `.` without a score.
        runs: names of the runs.
        chance: how much scores of unchanged items vary between runs.
        bar: lowest score with which an item passes; the highest one if lower is better.
    """

    names: tuple[str, ...]
    kinds: tuple[History, ...]
    signs: tuple[str, ...]
    runs: tuple[str, ...]
    chance: Stability
    bar: float

    @classmethod
    def of(cls, stretch: Stretch, bars: Mapping[str, float]) -> Self | None:
        """Classify the items; None if scores are not 0 and 1 and there is no bar, or items have no scores."""
        scores, measure = stretch.item_scores, stretch.targets[0].measure
        bar = bars.get(stretch.measure)
        if scores is None:
            if bar is not None:
                raise InputError(f"{stretch.measure} has no scores per item, so no item passes a bar")
            return None
        if bar is None and not np.isin(scores[np.isfinite(scores)], (0.0, 1.0)).all():
            return None
        limit = (1.0 if measure.direction == "higher" else 0.0) if bar is None else float(bar)
        passed = _passed(scores, measure, limit)
        kinds = histories(passed)
        order = sorted(range(len(kinds)), key=lambda item: _rank(kinds[item]))
        settled = [kind.since is None for kind in kinds]
        return cls(
            tuple(stretch.item_names[item] for item in order),
            tuple(kinds[item] for item in order),
            tuple(_signs(passed[item]) for item in order),
            stretch.names,
            stability(passed[settled]),
            limit,
        )

    @property
    def counts(self) -> dict[str, int]:
        """Number of items of each kind."""
        numbers: Counter[str] = Counter(kind.kind for kind in self.kinds)
        return {kind: numbers[kind] for kind in ORDER if numbers[kind]}

    def table(self) -> Table:
        """Return one row per item."""
        columns = ("item", "history", "since", "passed", "runs", "pattern")
        rows = [
            (name, kind.kind, self._since(kind), kind.passes, kind.runs, signs)
            for name, kind, signs in zip(self.names, self.kinds, self.signs, strict=True)
        ]
        return Table(columns, rows, reading=[_LEGEND])

    def summary(self, most: int = _LISTED) -> Table:
        """Return the items that did not always pass or fail, in one row each."""
        shown = [place for place, kind in enumerate(self.kinds) if not kind.kind.startswith("steady")]
        rows = [
            (
                self.names[place],
                f"{self.kinds[place].kind} {self._since(self.kinds[place]) or ''}".strip(),
                f"{self.kinds[place].passes} of {self.kinds[place].runs}",
                self.signs[place],
            )
            for place in shown[:most]
        ]
        left_out = len(shown) - len(rows)
        reading = (
            [f"{counted(left_out, 'more item')} changed: thresher history lists all."] if left_out else []
        )
        return Table(
            ("item", "history", "passed", "pattern"),
            rows,
            notes=["What each item did:"],
            reading=[*reading, *([_LEGEND] if rows else [])],
        )

    def reading(self, *, changed: bool = False) -> list[str]:
        """Return sentences: how many items did what, and how much is chance.

        Args:
            changed: whether the system changed over the runs: then items flip not only by chance.
        """
        counts = ", ".join(f"{count} {_IN_WORDS.get(kind, kind)}" for kind, count in self.counts.items())
        lines = [f"Items: {counts}."]
        falls: dict[str, list[str]] = {}
        for name, kind in zip(self.names, self.kinds, strict=True):
            if kind.kind == "fails since":
                falls.setdefault(self._since(kind) or "", []).append(name)
        lines += [f"Fail since {since}: {names_of(items)}." for since, items in falls.items()]
        known = self.chance
        if known.repeated and known.one_try > 0 and not changed:
            lines.append(
                f"{percent(round(known.flips, 3))} of the items flip between two runs; this alone gives the "
                f"pass rate of a run a standard error of {significant(known.one_try, 2)}."
            )
        return lines

    def data(self) -> dict[str, Any]:
        """JSON data."""
        return {
            "bar": self.bar,
            "counts": self.counts,
            "chance": self.chance.to_dict(),
            "items": [dict(row) for row in self.table()],
        }

    def _since(self, kind: History) -> str | None:
        return None if kind.since is None else self.runs[kind.since]


def _passed(scores: Floats, measure: Measure, limit: float) -> Floats:
    passes = scores >= limit if measure.direction == "higher" else scores <= limit
    return np.where(np.isfinite(scores), passes.astype(np.float64), np.nan)


def _signs(passed: Floats) -> str:
    return "".join(_SIGNS.get(float(entry), ".") for entry in passed)


def _rank(kind: History) -> tuple[int, int, float]:
    flips = abs(kind.passes / kind.runs - 0.5) if kind.runs else 0.0
    return ORDER.index(kind.kind), kind.since or 0, flips
