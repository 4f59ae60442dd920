"""Scores that a run lacks, in whole sentences: those never requested, those that failed, and why."""

import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.errors import IncompleteWarning
from thresher.reports.runs.card_texts import cards_sentence
from thresher.reports.runs.looks import looks_sentence
from thresher.reports.runs.run_data import RunData
from thresher.results import MetricResult, Status
from thresher.results.parted_columns import reasons_at
from thresher.results.planted import items_with_planted_verdicts
from thresher.results.reasons import names_output, short_cause
from thresher.results.status import LOST

UNFINISHED_SHARDS = "unfinished_shards"
"""Entry of a run's provenance: the shards with unfinished chunks, as `--shard` takes them."""
_SHOWN = 3
_SHOWN_SHARDS = 10
_BLOCK = 10_000
"""Reasons in memory at a time."""
_WORDS = {Status.FAILED: "failed", Status.UNREADABLE: "could not be read"}


def shortfall_notes(run: RunData, metrics: Sequence[str] | None = None) -> list[str]:
    """What to know before the numbers: whether the run is unfinished, its judges' cards, failures and causes.

    Args:
        run: the run.
        metrics: names of the metrics that are shown; all without.
    """
    start = [said for sentence in _SENTENCES if (said := sentence(run))]
    return [*start, *failure_notes(run, metrics), *planted_notes(run, metrics)]


def shortfall_notes_of(runs: Mapping[str, RunData], metrics: Sequence[Sequence[str] | None]) -> list[str]:
    """The same of several runs: which are unfinished, then the notes of each, all with their names.

    Args:
        runs: name -> run.
        metrics: for each run the names of the metrics that are shown; None for all.
    """
    start = [
        f"{name}: {note}" for sentence in _SENTENCES for name, run in runs.items() if (note := sentence(run))
    ]
    notes = [
        f"{name}: {note}"
        for (name, run), chosen in zip(runs.items(), metrics, strict=True)
        for note in (*failure_notes(run, chosen), *planted_notes(run, chosen))
    ]
    return [*start, *notes]


def unfinished_sentence(run: RunData) -> str:
    """How many items lack which scores, why, and how to continue; empty if the run is complete."""
    if run.complete:
        return ""
    remedy = how_to_continue(run.provenance, "run again to continue")
    return f"Unfinished: {why_unfinished(run)}. {remedy[0].upper()}{remedy[1:]}."


def why_unfinished(run: RunData) -> str:
    """How many items of an unfinished run lack which scores and why."""
    items = int(run.provenance.get("items", len(run)))
    lacking: dict[int, list[str]] = {}
    for result in run.results:
        lacking.setdefault(_count(result, LOST), []).append(result.name)
    done = [f"{len(run)} of {counted(items, 'item')} are done"] if len(run) < items else []
    done += [
        f"{count} of {counted(len(run), 'item')} lack {_listed(names)}"
        for count, names in lacking.items()
        if count
    ]
    why = run.provenance.get("unfinished", "")
    because = f", because {why}" if why else ""
    return f"{', '.join(done) or 'the end was not reached'}{because}"


def how_to_continue(provenance: Mapping[str, Any], again: str) -> str:
    """Name the options that complete the run; without unfinished shards, return the other remedy.

    Args:
        provenance: provenance or manifest of the run, with its unfinished shards if it has any.
        again: the remedy for a run without shards.
    """
    if not (shards := provenance.get(UNFINISHED_SHARDS)):
        return again
    named = ", ".join(f"--shard {shard}" for shard in shards[:_SHOWN_SHARDS])
    more = f" and {len(shards) - _SHOWN_SHARDS} more" if len(shards) > _SHOWN_SHARDS else ""
    options = f"each of {named}{more}" if len(shards) > 1 else named
    return f"repeat the command of the run with {options}, unless that shard is still running"


def sample_sentence(run: RunData) -> str:
    """Say that the items are a sample, and what intervals describe; empty for all items."""
    if (size := run.provenance.get("sampled_from")) is None:
        return ""
    drawn = (
        f"A sample of {run.provenance['items']:,} of {counted(size, 'item', form=',')}, drawn by the digests "
        "of their ids"
    )
    return f"{drawn}: intervals describe the items from which it was drawn."


_SENTENCES = (unfinished_sentence, looks_sentence, sample_sentence, cards_sentence)


def failure_notes(run: RunData, metrics: Sequence[str] | None = None) -> list[str]:
    """For each way in which items failed, one sentence: the metrics, how many items, and the causes."""
    notes: dict[str, list[str]] = {}
    for result in _shown(run, metrics):
        for status, words in _WORDS.items():
            count = _count(result, (status,))
            if count:
                sentence = (
                    f"{count} of {counted(len(result), 'item')} {words}: {causes_of(result, (status,))}."
                )
                notes.setdefault(sentence, []).append(result.name)
    return [f"{_listed(names)}: {sentence}" for sentence, names in notes.items()]


def planted_notes(run: RunData, metrics: Sequence[str] | None = None) -> list[str]:
    """In how many items a judge repeated verdicts that the data hold, by metrics."""
    notes: dict[str, list[str]] = {}
    for result in _shown(run, metrics):
        count = len(items_with_planted_verdicts(result))
        if count:
            notes.setdefault(f"in {count} of {counted(len(result), 'item')}", []).append(result.name)
    return [
        f"{_listed(names)}: {where} the judge repeated verdicts found in the data, which do not count."
        for where, names in notes.items()
    ]


def failed_share(run: RunData) -> str:
    """How many of all scores failed and why, e.g. `3 of 400 scores failed (0.8 %): HTTP 500`."""
    failed = sum(_count(result, LOST) for result in run.results)
    if not failed:
        return ""
    scores = sum(len(result) for result in run.results)
    causes = _causes((result, LOST) for result in run.results)
    share = float(f"{100 * failed / scores:.2g}")  # formatted as it is, 100 would be 1e+02
    return f"{failed} of {counted(scores, 'score')} failed ({share:g} %): {_most_common(causes)}"


def causes_of(result: MetricResult, statuses: Sequence[Status], items: Sequence[int] | None = None) -> str:
    """The causes for which items of a result have no score, the most frequent first.

    Args:
        result: the result.
        statuses: states of the items that count.
        items: positions of the items that count; all without.
    """
    return _most_common(_causes([(result, statuses)], items))


def warn_of_shortfall(run: RunData) -> None:
    """Warn of results that are not complete.

    Warns:
        IncompleteWarning: with the sentence that reports show first.
    """
    sentence = unfinished_sentence(run)
    if sentence:
        warnings.warn(sentence, IncompleteWarning, stacklevel=4)


def _shown(run: RunData, metrics: Sequence[str] | None) -> list[MetricResult]:
    if metrics is None:
        return list(run.results)
    chosen = [run.metric(name).result for name in metrics]
    return [result for result in run.results if any(result is other for other in chosen)]


def _count(result: MetricResult, statuses: Sequence[Status]) -> int:
    return sum(int(np.count_nonzero(result.status == status)) for status in statuses)


def _causes(
    results: Iterable[tuple[MetricResult, Sequence[Status]]], items: Sequence[int] | None = None
) -> Counter[str]:
    causes: Counter[str] = Counter()
    for result, statuses in results:
        lost = np.flatnonzero(np.isin(result.status, statuses)).tolist()
        places = lost if items is None else sorted(set(lost) & set(items))
        for start in range(0, len(places), _BLOCK):
            reasons = reasons_at(result.reasons, places[start : start + _BLOCK])
            for reason, count in Counter(reasons).items():
                causes[short_cause(reason) or "no reason was recorded"] += count
    return causes


def _most_common(causes: Counter[str]) -> str:
    """One cause alone; of several, how often each of the most frequent ones occurred."""
    if len(causes) == 1:
        return next(iter(causes))
    shown = [
        f"{cause} {'once' if count == 1 else counted(count, 'time')}"
        for cause, count in causes.most_common(_SHOWN)
    ]
    more = len(causes) - len(shown)
    return ", ".join([*shown, *([counted(more, "other cause")] if more else [])])


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def missing_scores(result: MetricResult) -> npt.NDArray[np.bool_]:
    """Mask of the items whose score exists in principle and is not known."""
    missing = np.isin(result.status, LOST)
    without = np.flatnonzero(result.status == Status.MISSING)
    for start in range(0, len(without), _BLOCK):
        items = without[start : start + _BLOCK]
        missing[items] = list(map(names_output, reasons_at(result.reasons, items.tolist())))
    return missing
