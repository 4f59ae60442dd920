"""The earlier gates of a folder of runs: looks at a baseline, reruns of a commit, and margins spent from pin to pin.

Gates against a baseline leave a line each in `gates.jsonl`: which runs, of which commit, and what was measured. It
stays when a run is replaced.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from hashlib import sha256
from pathlib import Path
from typing import Self

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.files.writing import append_text
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.evaluation_results import EvaluationResults
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.rendering.numbers import percent, significant
from thresher.reports.runs.run_data import RunData
from thresher.results import Mean, MetricResult, Statistics, Status
from thresher.results.redaction import redacted_strings

GATES = "gates.jsonl"
"""Name of the file, next to the runs."""
COMMITS = 250
"""Working days of a year, with one commit each."""

_WHOLE = 2
"""More alarms than that are stated in whole numbers."""


@dataclass(frozen=True)
class GateRecord:
    """One gate against a baseline.

    Attributes:
        run: what identifies the run; see `run_key`.
        place: name of its folder.
        identity: what its data, metrics and answering pipeline have in common with its reruns; may be empty.
        commit: the commit of the working folder; may be empty.
        baseline: what identifies the baseline.
        baseline_name: its name.
        outcome: the outcome of the gate.
        gains: metric -> how much better the run was.
        margins: metric -> how much worse it might be.
    """

    run: str
    place: str
    identity: str
    commit: str
    baseline: str
    baseline_name: str
    outcome: str
    gains: Mapping[str, float] = field(default_factory=dict)
    margins: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, run: RunData, baseline: RunData, place: str, outcome: GateOutcome) -> Self:
        """The record of an outcome; `run` is the run itself, not its average with others."""
        gains, margins = {}, {}
        for decision in outcome.decisions:
            known = run.metrics.get(decision.subject)
            if known is not None and decision.difference is not None and decision.bar is not None:
                sign = 1 if known.measure.direction == "higher" else -1
                gains[known.name], margins[known.name] = sign * decision.difference, abs(float(decision.bar))
        git = (run.provenance.get("provenance") or {}).get("git") or {}
        identity, commit = str(run.provenance.get("identity", "")), str(git.get("commit", ""))
        return cls(
            *(run_key(run), place, identity, commit, run_key(baseline), baseline.name or "the baseline"),
            *(outcome.outcome.value, gains, margins),
        )


def run_key(run: RunData) -> str:
    """What identifies a run wherever it is stored: its data, metrics, start and values."""
    values = {name: repr(metric.value) for name, metric in run.metrics.items()}
    facts = [run.provenance.get("identity"), run.provenance.get("started"), len(run), values]
    return sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


@dataclass(frozen=True)
class GateHistory:
    """The records of a folder of runs.

    Attributes:
        folder: the folder.
        records: in the order of time.
    """

    folder: Path
    records: tuple[GateRecord, ...]

    @classmethod
    def of(cls, folder: Path) -> Self:
        """Read the records; lines of other forms are skipped."""
        try:
            lines = (folder / GATES).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            lines = []
        return cls(folder, tuple(filter(None, map(_record, lines))))

    def reruns(self, record: GateRecord) -> list[GateRecord]:
        """The last record of each other run of the same commit, data and settings against the same baseline."""
        if not (record.commit and record.identity):
            return []
        facts = record.commit, record.identity, record.baseline
        alike = {one.run: one for one in self.records if (one.commit, one.identity, one.baseline) == facts}
        return [one for one in alike.values() if one.run != record.run]

    def add(self, record: GateRecord) -> None:
        """Append a record, unless there is an equal one.

        Raises:
            InputError: if the file cannot be written.
            DiskFullError: if the disk is full.
        """
        if record not in self.records:
            append_text(self.folder / GATES, f"{json.dumps(redacted_strings(asdict(record)))}\n")

    def notes(self, record: GateRecord, level: float, commits: int = COMMITS) -> list[str]:
        """Sentences on the looks at a baseline, on tries of a commit, and on the margins spent since older pins.

        Args:
            record: the gate.
            level: its level, of all planned looks together.
            commits: gated commits a year.
        """
        others = {
            one.run: one for one in self.records if one.baseline == record.baseline and one.run != record.run
        }
        notes = []
        if others:
            share = (1 - level) / 2
            price = f"about 1 unchanged commit in {round(1 / share):,} is called worse"
            often = commits * share
            year = f"{round(often) if often > _WHOLE else significant(often, 2)} a year at {commits} commits"
            notes.append(
                f"Look {len(others) + 1} at {record.baseline_name}: at {percent(level)} {price}, {year} "
                "(--false-alarms-per-year)."
            )
        tries = [one for one in others.values() if record.commit and one.commit == record.commit]
        if other := [one for one in tries if one.identity != record.identity]:
            named = ", ".join(f"{one.place} {one.outcome}" for one in other)
            notes.append(
                f"This commit was gated with other answers before ({named}): the best of several tries of one system "
                "passes too often; average them with --rerun RUN."
            )
        return [*notes, *self._spent(record)]

    def _spent(self, record: GateRecord) -> list[str]:
        """What the run and the pins before it lost together, against the margin."""
        by_run = {one.run: one for one in self.records}
        chain, seen = [record], {record.run}
        while (pin := by_run.get(chain[-1].baseline)) is not None and pin.run not in seen:
            chain.append(pin)
            seen.add(pin.run)
        notes = []
        for metric, margin in record.margins.items():
            steps = [one for one in chain if metric in one.gains]
            if len(steps) == 1 or not margin:
                continue
            loss = max(0.0, -sum(one.gains[metric] for one in steps))
            since = f"spent since {steps[-1].baseline_name}, over {len(steps)} pins"
            advice = f"; gate against {steps[-1].baseline_name} itself" if loss > margin else ""
            notes.append(f"{metric}: {significant(loss, 2)} of {significant(margin)} {since}{advice}.")
        return notes


def _record(line: str) -> GateRecord | None:
    try:
        record = GateRecord(**json.loads(line))
        numbers = [*record.gains.values(), *record.margins.values()]
    except (ValueError, TypeError, AttributeError, RecursionError):
        return None
    texts = [value for name, value in vars(record).items() if name not in ("gains", "margins")]
    whole = all(isinstance(one, str) for one in texts) and all(isinstance(one, float) for one in numbers)
    return record if whole else None


def averaged(
    run: EvaluationResults, others: Sequence[EvaluationResults]
) -> tuple[EvaluationResults, list[str]]:
    """The run with item scores averaged over further runs of the same system, and what to know of it.

    Measures that are not means of item scores stay those of the run.

    Raises:
        InputError: if another run has other data, settings or items.
    """
    if not others:
        return run, []
    pairs = [RunPair.of(run, other, ("the run", other.name or "a rerun")) for other in others]
    for pair in pairs:
        different = [metric for metric in pair.shared if pair.other_settings(metric)]
        whole = len(pair.joined.here) == len(run)
        if pair.other_data or different or not whole or pair.shared != list(run.metrics):
            raise InputError(
                f"{pair.names[1]} is no rerun of {run.name or 'the run'}: items, data or settings differ"
            )
    results = [_averaged(result, pairs) for result in run.results]
    kept = [result.name for result, new in zip(run.results, results, strict=True) if new is result]
    average = type(run)(
        run.inputs, results, name=run.name, ids=run.ids, ids_given=run.ids_given, provenance=run.provenance
    )
    average.input_folder = run.input_folder
    notes = [f"Item scores are averaged over {counted(len(others) + 1, 'run')} of one system."]
    return average, [
        *notes,
        *([f"Not averaged, because they are no means: {', '.join(kept)}."] if kept else []),
    ]


def _averaged(result: MetricResult, pairs: Sequence[RunPair]) -> MetricResult:
    """The mean of the scores of each item over the runs that scored it."""
    columns = set()
    for measure in result.measures:
        if type(measure.reduction) is not Mean:  # a panel's mean has the votes of its judges
            return result
        columns |= {measure.reduction.column, measure.item_score or measure.reduction.column}
    runs = [result, *(pair.targets(result.name)[1].result for pair in pairs)]
    scored = np.stack([one.scored for one in runs])
    counts = np.maximum(1, scored.sum(axis=0))
    means = {
        name: np.where(scored, np.stack([one.statistics.column(name) for one in runs]), 0.0).sum(axis=0)
        / counts
        for name in columns
    }
    status = np.where(scored.any(axis=0), Status.SCORED, result.status)
    parts = (result.measures, Statistics(means), status, result.reasons, result.evidence)
    return MetricResult(*parts, primary=result.primary)
