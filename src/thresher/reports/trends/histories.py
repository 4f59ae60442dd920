"""What each item did over comparable runs, and one item over the runs of a project."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.flaky import Stability, stability
from thresher.kernels.inference.histories import History, histories
from thresher.kernels.inference.interval import finite
from thresher.reports.leaderboards.entrants import Runs, named_runs
from thresher.reports.rendering.numbers import number, percent, significant
from thresher.reports.report import TableReport
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.trends.stretch import Stretch, by_age, names_of, started_text
from thresher.results import Status
from thresher.results.column_roles import columns_for
from thresher.results.measure import Measure

Floats = npt.NDArray[np.float64]
ORDER = ("fails since", "flaky", "new", "passes since", "steady fail", "steady pass", "unscored")
_SIGNS = {1.0: "p", 0.0: "F"}
"""Neither + nor -, which spreadsheets read as formulas."""
_IN_WORDS = {"fails since": "fail since a run", "passes since": "pass since a run"}
_LEGEND = "One sign per run, the oldest first: p passed, F failed, . without a score."
_LISTED, _LONGEST = 20, 60


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


def item_history(runs: Runs, item: str, metrics: Sequence[str] | None = None) -> TableReport[Table]:
    """Return the scores and answers of one item in each run, the oldest run first.

    Args:
        runs: two or more runs, or name -> run.
        item: its id, or its question; one row per item if several items have the question.
        metrics: names of metrics; default: the primary measures of the runs that score items, or else all
            metrics that do.

    Raises:
        InputError: if no run has the item, or for a metric that no run has.
    """
    whole = by_age(named_runs(runs, "a history"))
    places = {name: _places(run, item) for name, run in whole.items()}
    known = {name: run for name, run in whole.items() if places[name]}
    if not known:
        raise InputError(f"no run has the item {item!r}: give its id or its question")
    names = _metrics(known, metrics)
    rows = [
        [
            name,
            started_text(run),
            *(_score(run, metric, place) for metric in names),
            _text(run, "predicted_answers", place),
        ]
        for name, run in known.items()
        for place in places[name]
    ]
    without = [name for name in whole if name not in known]
    notes = [f"Without {item}: {', '.join(without)}."] if without else []
    return _report(item, names, rows, [*notes, *_questions(known, places)])


def _report(
    item: str, metrics: Sequence[str], rows: Sequence[Sequence[Any]], notes: Sequence[str]
) -> TableReport[Table]:
    changed = [None, *(_changed(before[-1], row[-1]) for before, row in pairwise(rows))]
    columns = ("run", "started", *metrics, "changed", "answer")
    changes = sum(entry is True for entry in changed)
    often = "once" if changes == 1 else counted(changes, "time")
    reading = [f"{item}: the answer changed {often} in {counted(len(rows), 'run')}."] if _any(rows) else []
    sentences = {"notes": notes, "reading": reading}
    whole = [[*row[:-1], change, row[-1]] for row, change in zip(rows, changed, strict=True)]
    shown = [[*map(_cell, row[:-2]), "yes" if row[-2] else "", _short(row[-1])] for row in whole]
    table = Table(columns, whole, **sentences)
    data = {"item": item, "metrics": list(metrics), "changes": changes, **sentences, "runs": list(table)}
    report = TableReport(table, table, summary=Table(columns, shown, **sentences), data=data)
    report.title = f"History of {item}"
    return report


def _questions(runs: Mapping[str, RunData], places: Mapping[str, Sequence[int]]) -> list[str]:
    """A sentence on runs with different questions under the same id; none if the questions are equal."""
    questions: dict[str, list[str]] = {}
    for name, run in runs.items():
        question = _text(run, "questions", places[name][0])
        if question is not None:
            questions.setdefault(question, []).append(name)
    if len(questions) < 2:  # noqa: PLR2004
        return []
    asked = "; ".join(f"{_short(question)!r} in {names_of(names)}" for question, names in questions.items())
    return [f"The runs ask different questions under this id: {asked}."]


def _places(run: RunData, item: str) -> list[int]:
    try:
        return run.find([item])
    except InputError:
        return []


def _metrics(runs: Mapping[str, RunData], metrics: Sequence[str] | None) -> list[str]:
    latest = list(runs.values())[::-1]
    if metrics is None:
        names = [name for run in latest for name in run.primary]
    else:
        names = [
            next((run for run in latest if name in run.metrics), latest[0]).metric(name).name
            for name in metrics
        ]
    scoring = [name for name in names if any(_scores(run, name) for run in latest)]
    if not scoring and metrics is None:  # pooled measures, such as a macro F1
        scoring = [name for run in latest for name in run.metrics if _scores(run, name)]
    if not scoring:
        raise InputError("the metrics of the runs have no scores per item")
    return list(dict.fromkeys(scoring))


def _scores(run: RunData, metric: str) -> bool:
    return metric in run.metrics and run.metrics[metric].measure.item_score is not None


def _score(run: RunData, name: str, place: int) -> float | str | None:
    """The score; the status of an item without one; None without the metric."""
    if not _scores(run, name):
        return None
    metric = run.metrics[name]
    score = finite(float(metric.scores[place]))
    return Status(int(metric.result.status[place])).label if score is None else score


def _text(run: RunData, kind: str, place: int) -> str | None:
    for column in columns_for(kind, run.inputs):
        entry = run.inputs[column][place]
        return None if entry is None else str(entry)
    return None


def _changed(before: str | None, answer: str | None) -> bool | None:
    return None if before is None or answer is None else before != answer


def _any(rows: Sequence[Sequence[Any]]) -> bool:
    return any(row[-1] is not None for row in rows)


def _cell(entry: Any) -> str:
    return number(entry) if isinstance(entry, float) else entry or "-"


def _short(answer: str | None) -> str:
    if answer is None:
        return "-"
    line = " ".join(answer.split())
    return line if len(line) <= _LONGEST else f"{line[: _LONGEST - 1]}…"
