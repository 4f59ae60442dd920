"""Items as rows of a data set that `thresher run` accepts, with their scores under a separate key."""

import math
from collections.abc import Sequence
from typing import Any

from thresher.reports.rendering.text import plain
from thresher.reports.runs.item_tables import in_data_order
from thresher.reports.runs.run_data import RunData
from thresher.results import Status
from thresher.results.column_vocabulary import ORIGIN


def export_rows(run: RunData, items: Sequence[int]) -> list[dict[str, Any]]:
    """Return some items as JSON data, which the HTML report's JSONL button writes alike (`export.js`).

    Args:
        run: the run.
        items: positions of the items.

    Returns:
        Per item the input columns, `id` if ids were given without a column, and under `_thresher` the name of
        the run, the score of each metric that scores items (None without one), and of each metric without a
        score its status and reason. Under its own name, a score would collide with that of the next run.
    """
    ids = {} if not run.ids_given or _has_id_column(run) else {"id": run.ids}
    columns = {**ids, **run.inputs}
    metrics = [metric for metric in run.metrics.values() if metric.measure.item_score is not None]
    scores = {metric.name: metric.scores for metric in metrics}
    status = {metric.name: metric.result.status for metric in metrics}
    reasons = {metric.name: metric.result.reasons for metric in metrics}

    def row(item: int) -> dict[str, Any]:
        known = {name: float(entries[item]) for name, entries in scores.items()}
        unscored = {
            name: {"status": Status(int(status[name][item])).label, "reason": reasons[name].get(item, "")}
            for name, score in known.items()
            if math.isnan(score)
        }
        origin = {"run": run.name, "scores": plain(known), **({"unscored": unscored} if unscored else {})}
        return {**{name: plain(column[item]) for name, column in columns.items()}, ORIGIN: origin}

    return in_data_order(items, row)


def _has_id_column(run: RunData) -> bool:
    return any(run.holds_ids(name) for name in run.inputs)
