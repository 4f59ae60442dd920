"""A list of runs as a report."""

import os
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from string import ascii_uppercase
from typing import Any

from thresher.counted import counted
from thresher.errors import InputError
from thresher.reports.rendering.numbers import number, significant
from thresher.reports.report import Report
from thresher.reports.run_lists.listed_run import ListedRun, ListedValue
from thresher.reports.runs.names import ARROWS
from thresher.reports.table import Table
from thresher.results.suggestions import suggest

_FACTS = ("name", "started", "state", "data", "items", "scored", "cost", "commit", "path")


class RunList(Report["RunList"]):
    """Runs of a project, the oldest first.

    Args:
        runs: the runs.
        skipped: one sentence per entry of a folder that is not a run.
        sort: column to sort by: a fact (`started`, `name`, `items`, `scored`, `cost`, `state`) or a measure.
        reverse: whether the largest value comes first.

    Raises:
        InputError: for an unknown column.
    """

    def __init__(
        self,
        runs: Sequence[ListedRun],
        *,
        skipped: Sequence[str] = (),
        sort: str = "started",
        reverse: bool = False,
    ) -> None:
        self.title = "Runs"
        self.skipped = tuple(skipped)
        self.measures = list(dict.fromkeys(name for run in runs for name in run.measures))
        columns = (*_FACTS, *self.measures)
        if sort not in columns:
            raise InputError(f"no column {sort!r}{suggest(sort, columns)}; there are {', '.join(columns)}")
        by_age = sorted(runs, key=lambda run: (run.started, run.path))
        self._letters = _letters([run.data for run in by_age])
        known = [run for run in by_age if _sorting(run, sort) is not None]
        unknown = [run for run in by_age if _sorting(run, sort) is None]
        known.sort(key=lambda run: _sorting(run, sort), reverse=reverse)  # type: ignore[arg-type, return-value]
        self.runs = (*known, *unknown)

    def __len__(self) -> int:
        """Number of runs."""
        return len(self.runs)

    def data_letter(self, run: ListedRun) -> str:
        """A letter per data set: runs of the same ids and questions share it; empty without them."""
        return self._letters.get(run.data, "")

    def table(self) -> Table:
        """Return one row per run with every column, unrounded."""
        ends = ("", "_low", "_high", "_scored")
        settings = list(dict.fromkeys(key for run in self.runs for key in run.settings))
        columns = [*_FACTS, "fingerprint", "why", *(f"{name}{end}" for name in self.measures for end in ends)]
        rows = []
        for run in self.runs:
            facts = {
                **vars(run),
                "scored": run.scored,
                "data": self.data_letter(run),
                "fingerprint": run.data,
            }
            cells = [facts[name] for name in (*_FACTS, "fingerprint", "why")]
            for name in self.measures:
                measure = run.measures.get(name)
                numbers = ("value", "low", "high", "scored")
                cells += [None if measure is None else getattr(measure, number) for number in numbers]
            rows.append([*cells, *(run.settings.get(key) for key in settings)])
        return Table([*columns, *(f"settings.{key}" for key in settings)], rows, notes=self.skipped)

    def summary(self) -> Table:
        """Return one row per run, rounded."""
        return next(self.layouts())

    def layouts(self) -> Iterator[Table]:
        """Yield tables from the widest to the narrowest."""
        for left_out in ((), ("cost", "scored", "data"), ("cost", "scored", "data", "settings", "items")):
            yield self._layout(left_out)

    def _layout(self, left_out: Sequence[str]) -> Table:
        columns: dict[str, list[str]] = {
            "run": self._names,
            "started": [run.started[:16].replace("T", " ") or "-" for run in self.runs],
            "data": [self.data_letter(run) or "-" for run in self.runs],
            "items": ["-" if run.items is None else str(run.items) for run in self.runs],
            "scored": ["-" if run.scored is None else str(run.scored) for run in self.runs],
        }
        for name in self.measures:
            direction = next(run.measures[name].direction for run in self.runs if name in run.measures)
            arrow = ARROWS.get(direction, "")
            columns[f"{name} {arrow}".strip()] = [_shown(run.measures.get(name)) for run in self.runs]
        if any(run.cost is not None for run in self.runs):
            columns["cost"] = ["-" if run.cost is None else significant(run.cost) for run in self.runs]
        columns["state"] = [run.state for run in self.runs]
        if any(run.settings for run in self.runs):
            columns["settings"] = [_settings(run) for run in self.runs]
        shown = {name: cells for name, cells in columns.items() if name not in left_out}
        reading = self._reading(letters="data" in shown)
        return Table(shown, zip(*shown.values(), strict=True), notes=self.skipped, reading=reading)

    @property
    def _names(self) -> list[str]:
        """Names of the runs; where several have one name, their paths in the folder that holds all runs."""
        counts = Counter(run.name for run in self.runs)
        top = os.path.commonpath([Path(run.path).parent for run in self.runs]) if self.runs else ""
        paths = [os.path.relpath(run.path, top or ".") for run in self.runs]
        return [
            path if counts[run.name] > 1 else run.name for path, run in zip(paths, self.runs, strict=True)
        ]

    def _reading(self, *, letters: bool) -> list[str]:
        lines = [f"{name}: {run.why}." for name, run in zip(self._names, self.runs, strict=True) if run.why]
        lines += [] if self.runs else ["There are no runs in this folder."]
        if letters and len(set(self._letters.values())) > 1:
            lines.append("Values of runs with different letters under `data` are of different items.")
        return lines

    def data(self) -> dict[str, Any]:
        """Return the list as JSON data."""
        return {"runs": [self._facts(run) for run in self.runs], "skipped": list(self.skipped)}

    def _facts(self, run: ListedRun) -> dict[str, Any]:
        facts = {name: getattr(run, name) for name in _FACTS}
        return {
            **facts,
            "data": {"letter": self.data_letter(run), "fingerprint": run.data},
            "why": run.why,
            "measures": {name: dict(vars(measure)) for name, measure in run.measures.items()},
            "settings": dict(run.settings),
        }

    def default(self) -> "RunList":
        """Return the report itself."""
        return self

    def __str__(self) -> str:
        return self.render("table")

    def __repr__(self) -> str:
        return f"RunList({counted(len(self.runs), 'run')})"

    def _repr_html_(self) -> str:
        """Return the table for a notebook."""
        return self.summary()._repr_html_()


def _letters(fingerprints: Sequence[str]) -> dict[str, str]:
    """Fingerprint -> A, B, ..., Z, A2, B2, ... in the order of first occurrence."""
    distinct = [fingerprint for fingerprint in dict.fromkeys(fingerprints) if fingerprint]
    return {
        fingerprint: ascii_uppercase[place % 26] + ("" if place < 26 else str(place // 26 + 1))  # noqa: PLR2004
        for place, fingerprint in enumerate(distinct)
    }


def _sorting(run: ListedRun, column: str) -> str | float | None:
    if column in run.measures:
        return run.measures[column].value
    value: str | float | None = getattr(run, column, None)
    return value if value != "" else None


def _shown(measure: ListedValue | None) -> str:
    if measure is None or measure.value is None:
        return "-"
    if measure.low is None or measure.high is None:
        return number(measure.value, 3)
    # Not the half width: an interval such as 1.000 [0.610, 1.000] is not symmetric.
    return f"{number(measure.value, 3)} [{number(measure.low, 3)}, {number(measure.high, 3)}]"


def _settings(run: ListedRun) -> str:
    return ", ".join(f"{path.rpartition('.')[2]}={value}" for path, value in run.settings.items())
