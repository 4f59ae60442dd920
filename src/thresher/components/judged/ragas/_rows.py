"""Results of metrics that ask nobody, from one row an item."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from thresher.metrics import Items, outputs, settings
from thresher.results import Measure, Signature, Status


@dataclass(frozen=True)
class Row:
    """One item.

    Attributes:
        score: the item's score.
        counts: what it was computed from.
        evidence: what else there is to tell, as plain data.
    """

    score: float
    counts: Mapping[str, float]
    evidence: Mapping[str, Any]


def outputs_of(
    component: Any, items: Items, rows: Sequence[Row | str], counts: Sequence[str]
) -> dict[str, Any]:
    """The outputs of a component.

    Args:
        component: the metric.
        items: its items.
        rows: one for each present item; a text tells why the item is undefined.
        counts: names of the counts.
    """
    for item, row in zip(items.present, rows, strict=True):
        if isinstance(row, str):
            items.leave_out(item, Status.UNDEFINED, row)
    kept = [row for row in rows if not isinstance(row, str)]
    columns = {"score": [row.score for row in kept]}
    columns |= {name: [float(row.counts[name]) for row in kept] for name in counts}
    measure = Measure(Signature.of(component.name, settings(component)))
    return outputs(items.result([measure], columns, [dict(row.evidence) for row in kept]))
