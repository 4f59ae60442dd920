"""Notes on a pair of runs: first, what makes them incomparable."""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.inference import Comparison, Target
from thresher.reports.comparisons.run_pair import RunPair
from thresher.reports.runs.looks import UNFINISHED, is_partial


def pair_notes(pair: RunPair) -> list[str]:
    """Return whole sentences about one pair of runs, the gravest first."""
    joined = pair.joined.note(pair.names)
    notes = [*pair.other_data, *_settings(pair), *_changed_plugins(pair), *([joined] if joined else [])]
    return [*notes, *_noise(pair), *_coverage(pair), *_lacking(pair)]


def _noise(pair: RunPair) -> list[str]:
    """By how much a judge scores the same answers differently, which is the noise of all its comparisons."""
    if not pair.same_answers:
        return []
    notes = []
    for metric in pair.shared:
        noise = pair.noise(metric) if pair.is_judged(metric) else 0.0
        if 0 < noise < math.inf:
            notes.append(
                f"{metric}: the judge scored the same answers differently in {' and '.join(pair.names)} (root mean "
                f"square {noise:.2g}); differences of single items of that size are its noise."
            )
    return notes


def _settings(pair: RunPair) -> list[str]:
    """Return a sentence for each difference of settings, with all measures that it concerns."""
    measures: dict[str, list[str]] = {}
    for metric in pair.shared:
        if settings := pair.other_settings(metric):
            measures.setdefault(settings, []).append(metric)
    return [
        f"{', '.join(names)} {'was' if len(names) == 1 else 'were'} computed with other settings "
        f"in {pair.names[1]} than in {pair.names[0]}: {settings}."
        for settings, names in measures.items()
    ]


def notes_of(pairs: Sequence[RunPair]) -> list[str]:
    """Return the notes of pairs with the same first run; what holds for every pair is one sentence."""
    notes = [(pair, note) for pair in pairs for note in pair_notes(pair)]
    shared = [_of_every_pair(note, pair) for pair, note in notes]
    often = {text for text, count in Counter(shared).items() if count == len(pairs) > 1}
    own = [text if text in often else note for text, (_, note) in zip(shared, notes, strict=True)]
    return list(dict.fromkeys(own))


def _of_every_pair(note: str, pair: RunPair) -> str:
    """A note in words that do not name the second run, if it can be said without it."""
    return note.replace(_both(pair), f"{pair.names[0]} and each other run scored")


def _both(pair: RunPair) -> str:
    return f"both {' and '.join(pair.names)} scored"


def unfinished(pair: RunPair) -> str | None:
    """Return `unfinished` if a run of the pair is, and no looks were planned; else None."""
    return UNFINISHED if is_partial(pair.first) or is_partial(pair.second) else None


def withheld(pair: RunPair, metric: str) -> str | None:
    """Return why a metric of both runs gets no verdict; None if it gets one."""
    if pair.other_data:
        return "other data"
    return "other settings" if pair.other_settings(metric) else None


def not_compared(
    pair: RunPair, metric: str, comparison: Comparison, over: npt.NDArray[np.bool_] | None = None
) -> str | None:
    """Return why a metric has no difference; None if it has one.

    Args:
        pair: the two runs.
        metric: a metric of both.
        comparison: their comparison in that metric.
        over: mask of the common items that were compared; None for all of them.
    """
    if comparison.items == 0:
        return unscored(pair, metric, over)
    if not math.isnan(comparison.difference):
        return None
    values = (comparison.first_value, comparison.second_value)
    lacking = [name for name, value in zip(pair.names, values, strict=True) if math.isnan(value)]
    known = pair.first.metrics[metric]
    lacks = known.measure.reduction.lacking(known.result.statistics)
    if len(lacking) == len(pair.names):
        return f"neither has a value: {lacks}"
    where = f"on the {counted(comparison.items, 'item')} that both scored"
    return f"{' and '.join(lacking)} without a value {where}: {lacks}"


def has_value(target: Target) -> bool:
    """Whether the measure has a value over the items that count."""
    return bool(target.mask.any()) and not math.isnan(target.result.value(target.name, target.mask))


def unscored(pair: RunPair, metric: str, over: npt.NDArray[np.bool_] | None = None) -> str:
    """Return which run has no scored item in a metric, for metrics that no item has in both runs."""
    scored = [target.result.scored for target in pair.targets(metric)]
    if over is not None:
        scored = [of_run & over for of_run in scored]
    first, second = pair.names
    lacking = [name for name, of_run in zip(pair.names, scored, strict=True) if not of_run.any()]
    if len(lacking) == 1:
        return f"{lacking[0]} has no scored item"
    return f"neither {first} nor {second} has a scored item" if lacking else "no item is scored in both runs"


def _changed_plugins(pair: RunPair) -> list[str]:
    """Modules of metrics whose file changed. Most edits change no number, so verdicts are given."""
    first, second = (run.provenance.get("code", {}) for run in (pair.first, pair.second))
    changed = [module for module in first if second.get(module, first[module]) != first[module]]
    names = " and ".join(pair.names)
    return [
        f"The plugin {module} was changed between {names}: differences in its metrics may come from that."
        for module in changed
    ]


def _coverage(pair: RunPair) -> list[str]:
    """Which metrics are compared over fewer items than the runs have in common, or not at all."""
    items = len(pair.joined.here)
    by_count: dict[int, list[str]] = {}
    for metric in pair.shared:
        both = int(pair.targets(metric)[0].mask.sum())
        if both < items:
            by_count.setdefault(both, []).append(metric)
    without = [f"{metric} is not compared: {unscored(pair, metric)}." for metric in by_count.pop(0, [])]
    partly = [
        f"{_listed(metrics)} compared over the {counted(both, 'item')} that {_both(pair)}, of {items}."
        for both, metrics in by_count.items()
    ]
    return [*without, *partly]


def _lacking(pair: RunPair) -> list[str]:
    notes = []
    for only, other, where in (
        (pair.first, pair.second, pair.names[0]),
        (pair.second, pair.first, pair.names[1]),
    ):
        lacking = [metric for metric in pair.requested(only) if metric not in other.metrics]
        notes += [f"Only {where} has {', '.join(lacking)}."] if lacking else []
    return notes


def _listed(metrics: Sequence[str]) -> str:
    return f"{', '.join(metrics)} {'is' if len(metrics) == 1 else 'are'}"
