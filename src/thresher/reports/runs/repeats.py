"""Repeats of items within one run: scores as items x tries, and how much of a value is chance."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.kernels.inference.flaky import stability
from thresher.reports.rendering.numbers import percent, significant
from thresher.reports.runs.grouping import Grouping
from thresher.reports.runs.run_data import RunData

Floats = npt.NDArray[np.float64]


def repeated_scores(scores: Floats, repeated: npt.NDArray[np.int64]) -> Floats:
    """Scores as items x tries, NaN where an item has fewer tries.

    Args:
        scores: one per row.
        repeated: per row the number of its item, 0, 1, ...
    """
    items = int(repeated.max(initial=-1)) + 1
    counts = np.bincount(repeated, minlength=items)
    table = np.full((items, int(counts.max(initial=0))), np.nan)
    order = np.argsort(repeated, kind="stable")
    tries = np.arange(len(repeated)) - (np.cumsum(counts) - counts)[repeated[order]]
    table[repeated[order], tries] = scores[order]
    return table


def repeat_notes(run: RunData, metrics: Sequence[str], grouping: Grouping) -> list[str]:
    """Return one sentence per primary measure: how many items are flaky, and what this does to the value."""
    if grouping.repeated is None:
        return []
    shown = [run.metrics[name] for name in metrics if run.metrics[name].is_primary]
    notes = []
    for metric in shown:
        if metric.measure.item_score is None:
            continue
        known = stability(repeated_scores(metric.scores, grouping.repeated))
        flaky = int(np.count_nonzero(known.flaky))
        if flaky:
            flaky_items = f"{metric.name}: {flaky} of {counted(known.repeated, 'item')} with several tries"
            changes = f"{percent(round(known.flips, 3))} flip between two tries"
            varying = "have different scores" if known.passes is None else f"are flaky; {changes}"
            notes.append(
                f"{flaky_items} {varying}. Chance between tries alone gives the mean of one try a standard "
                f"error of {significant(known.one_try, 2)}, that of all tries "
                f"{significant(known.all_tries, 2)}."
            )
    return notes
