"""Results of metrics without a judge, from one row per item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.metrics import Items, outputs, settings
from thresher.results import Measure, Signature, Status


@dataclass(frozen=True)
class Row:
    """Score of an item.

    Attributes:
        score: the item's score.
        counts: the numbers behind the score.
        evidence: details, as plain data.
    """

    score: float
    counts: Mapping[str, float]
    evidence: Mapping[str, Any]


def row_outputs(
    component: Any, items: Items, rows: Sequence[Row | str], counts: Sequence[str]
) -> dict[str, Any]:
    """Return the outputs of a component.

    Args:
        component: the metric.
        items: its items.
        rows: one per present item; a text is the reason why the item is undefined.
        counts: names of the counts.
    """
    for item, row in zip(items.present, rows, strict=True):
        if isinstance(row, str):
            items.leave_out(item, Status.UNDEFINED, row)
    scored = [row for row in rows if not isinstance(row, str)]
    columns = {"score": [row.score for row in scored]}
    columns |= {name: [float(row.counts[name]) for row in scored] for name in counts}
    measure = Measure(Signature.of(component.name, settings(component)))
    return outputs(items.result([measure], columns, [dict(row.evidence) for row in scored]))
