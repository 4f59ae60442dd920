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


@dataclass(frozen=True)
class Failed:
    """An item that could not be checked.

    Attributes:
        reason: why.
    """

    reason: str


def row_outputs(
    component: Any,
    items: Items,
    rows: Sequence[Row | Failed | str],
    counts: Sequence[str],
    *measures: Measure,
) -> dict[str, Any]:
    """Return the outputs of a component.

    Args:
        component: the metric.
        items: its items.
        rows: one per present item; a text is the reason why the item is undefined.
        counts: names of the counts.
        measures: further measures, reductions of counts.
    """
    for item, row in zip(items.present, rows, strict=True):
        if isinstance(row, Failed):
            items.leave_out(item, Status.FAILED, row.reason)
        elif isinstance(row, str):
            items.leave_out(item, Status.UNDEFINED, row)
    scored = [row for row in rows if isinstance(row, Row)]
    columns = {"score": [row.score for row in scored]}
    columns |= {name: [float(row.counts[name]) for row in scored] for name in counts}
    measure = Measure(Signature.of(component.name, settings(component)))
    return outputs(items.result([measure, *measures], columns, [dict(row.evidence) for row in scored]))
