"""One item over the runs of a project, as a report."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.inference.interval import finite
from thresher.reports.leaderboards.entrants import Runs, named_runs
from thresher.reports.rendering.numbers import number
from thresher.reports.report import TableReport
from thresher.reports.runs.run_data import RunData
from thresher.reports.table import Table
from thresher.reports.trends.stretch import by_age, names_of, started_text
from thresher.results import Status
from thresher.results.column_roles import columns_for

_LONGEST = 60


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
