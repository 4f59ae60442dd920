"""Tables, curves and confusion matrices as the dictionaries that Valor's documentation shows.

A breakdown is identified by its `kind` and read from its stored form, because the classes themselves are in
`thresher.kernels`, a layer above.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

from thresher.results.breakdown import Breakdown, Detail
from thresher.results.measure import Measure

Entries = list[dict[str, Any]]
_UNDEFINED = -1
_EXAMPLES = ("curve_examples", "detection_examples")
_OBSERVATIONS = {
    "tp": ("tp", "all"),
    "fp_misclassifications": ("fp", "misclassifications"),
    "fp_hallucinations": ("fp", "hallucinations"),
    "fn_misclassifications": ("fn", "misclassifications"),
    "fn_no_predictions": ("fn", "no_predictions"),
    "tn": ("tn", "all"),
}
"""Column of a detailed curve -> Valor's kind of count and observation."""


@dataclass(frozen=True)
class Naming:
    """How Valor's dictionaries name items and labels.

    Attributes:
        label_key: key of plain labels.
        ids: names of the items, for examples; default: their positions.
        dataset: name of the data set, for examples.
    """

    label_key: str = ""
    ids: Sequence[str] | None = None
    dataset: str = "dataset"

    def rows(self, detail: Detail) -> Entries:
        """Rows of a detail, with the key of plain labels filled in."""
        rows = list(detail.rows())
        return [row | {"key": row["key"] or self.label_key} if "key" in row else row for row in rows]

    def example(self, row: dict[str, Any]) -> tuple[Any, ...]:
        """Data set, item and (for detections) outline of an example."""
        item = row["item"] if self.ids is None else self.ids[row["item"]]
        return (self.dataset, item, row["geometry"]) if "geometry" in row else (self.dataset, item)


@dataclass(frozen=True)
class BreakdownRows:
    """One breakdown, ready to be written.

    Attributes:
        measure: the headline measure of its result.
        fields: the stored form of the breakdown.
        rows: the rows of its detail.
        examples: rows of the result's examples, for detailed curves.
        naming: of items and labels.
    """

    measure: Measure
    fields: dict[str, Any]
    rows: Entries
    examples: Entries
    naming: Naming


def valor_tables(
    measure: Measure, breakdowns: Sequence[Breakdown], detail: Callable[[str], Detail], naming: Naming
) -> Entries:
    """Write every breakdown that Valor has too.

    An undefined value (0/0) is -1, as Valor writes it. Labels that no item has are left out.

    Args:
        measure: the headline measure of a result of labels, detections or pixels.
        breakdowns: of that result.
        detail: returns the detail of a breakdown by its name.
        naming: of items and labels.
    """
    entries: Entries = []
    examples = [breakdown.name for breakdown in breakdowns if breakdown.kind in _EXAMPLES]
    for breakdown in breakdowns:
        write = _WRITERS.get(breakdown.kind)
        if write is not None:
            rows = naming.rows(detail(breakdown.name))
            shown = (
                [row for name in examples for row in naming.rows(detail(name))] if write is _detailed else []
            )
            entries += write(BreakdownRows(measure, breakdown.to_dict(), rows, shown, naming))
    return entries


def _labels(table: BreakdownRows) -> Entries:
    """Precision, Recall or F1, by the evaluator's quantity."""
    reduction = _reduction(table)
    if reduction["kind"] != "label_average":
        return []
    quantity = reduction["quantity"]
    return [
        {"type": quantity.capitalize(), "label": _label(row), "value": _or(row[quantity], 0.0)}
        for row in table.rows
    ]


def _accuracy(table: BreakdownRows) -> Entries:
    if _reduction(table)["kind"] != "accuracy":
        return []
    return [_of_key("Accuracy", row, row["accuracy"]) for row in table.rows]


def _roc_auc(table: BreakdownRows) -> Entries:
    areas: dict[str, list[float]] = {}
    for row in table.rows:
        areas.setdefault(row["key"], []).extend([] if row["undefined"] else [row["roc_auc"]])
    return [
        _of_key("ROCAUC", {"key": key}, sum(values) / len(values) if values else _UNDEFINED)
        for key, values in areas.items()
    ]


def _confusion(table: BreakdownRows) -> Entries:
    entries: dict[str, Entries] = {}
    for row in table.rows:
        entry = {"prediction": row["predicted"], "groundtruth": row["truth"], "count": int(row["count"])}
        entries.setdefault(row["key"], []).append(entry)
    return [{"type": "ConfusionMatrix", "label_key": key, "entries": rows} for key, rows in entries.items()]


def _average_precision(table: BreakdownRows) -> Entries:
    fields = table.fields
    if not {"matching", "iou_thresholds"} <= {*dict(table.measure.signature.settings)}:
        return []  # metrics of one protocol, such as COCO's twelve numbers
    stem, name = ("map", "mAP") if fields["by_key"] else ("ap", "AP")
    entries: Entries = []
    for row in table.rows:
        base = _parameters(row, fields["by_key"])
        columns = [column for column in row if column.startswith(f"{stem}_")]
        for iou, column in zip(fields["shown"], columns, strict=True):
            entries.append(_with(base, name, {"iou": iou}, row[column]))
        ious = {"ious": list(fields["iou_thresholds"])}
        entries.append(_with(base, f"{name}AveragedOverIOUs", ious, row[stem]))
    return entries


def _average_recall(table: BreakdownRows) -> Entries:
    fields = table.fields
    stem, name = ("mar", "mAR") if fields["by_key"] else ("ar", "AR")
    ious = {"ious": list(fields["iou_thresholds"])}
    return [_with(_parameters(row, fields["by_key"]), name, ious, row[stem]) for row in table.rows]


def _pixels(table: BreakdownRows) -> Entries:
    if table.fields["by_key"]:
        return [_of_key("mIOU", row, row["mean_iou"]) for row in table.rows]
    return [{"type": "IOU", "label": _label(row), "value": _or(row["iou"], 0.0)} for row in table.rows]


def _curve(table: BreakdownRows) -> Entries:
    names = {"tp": "tp", "fp": "fp", "tn": "tn", "fn": "fn", "precision": "precision", "recall": "recall"}
    names |= {"f1": "f1_score", "accuracy": "accuracy"}
    values: dict[str, Any] = {}
    for row in table.rows:
        point = {new: _point(row[old]) for old, new in names.items() if old in row}
        values.setdefault(row["key"], {}).setdefault(row["label"], {})[_text(row["threshold"])] = point
    return [_curve_of(table, "PrecisionRecallCurve", key, value) for key, value in values.items()]


def _detailed(table: BreakdownRows) -> Entries:
    examples: dict[Any, list[Any]] = {}
    for row in table.examples:
        place = row["key"], row["label"], row["threshold"], row["observation"]
        examples.setdefault(place, []).append(table.naming.example(row))
    values: dict[str, Any] = {}
    for row in table.rows:
        point: dict[str, Any] = {}
        for column, (kind, observation) in _OBSERVATIONS.items():
            if column not in row:
                continue
            counted = point.setdefault(kind, {"total": 0, "observations": {}})
            counted["total"] += int(row[column])
            place = row["key"], row["label"], row["threshold"], column
            shown = {"count": int(row[column]), "examples": examples.get(place, [])}
            counted["observations"][observation] = shown
        values.setdefault(row["key"], {}).setdefault(row["label"], {})[_text(row["threshold"])] = point
    return [_curve_of(table, "DetailedPrecisionRecallCurve", key, value) for key, value in values.items()]


def _curve_of(table: BreakdownRows, kind: str, key: str, value: Any) -> dict[str, Any]:
    iou = dict(table.measure.signature.settings).get("iou_threshold")
    parameters = {"label_key": key, "pr_curve_iou_threshold": None if iou is None else float(iou)}
    return {"type": kind, "parameters": parameters, "value": value}


def _reduction(table: BreakdownRows) -> dict[str, Any]:
    return table.measure.reduction.to_dict()


def _parameters(row: dict[str, Any], by_key: bool) -> dict[str, Any]:
    return {"parameters": {"label_key": row["key"]}} if by_key else {"parameters": {}, "label": _label(row)}


def _with(base: dict[str, Any], kind: str, parameters: dict[str, Any], value: float) -> dict[str, Any]:
    return {**base, "type": kind, "parameters": {**base["parameters"], **parameters}, "value": value}


def _of_key(kind: str, row: dict[str, Any], value: float) -> dict[str, Any]:
    return {"type": kind, "parameters": {"label_key": row["key"]}, "value": value}


def _label(row: dict[str, Any]) -> dict[str, str]:
    return {"key": row["key"], "value": row["label"]}


def _or(value: float, undefined: float) -> float:
    return undefined if isnan(value) else value


def _point(value: float) -> float:
    number = _or(value, _UNDEFINED)
    return int(number) if number == int(number) else number


def _text(threshold: float) -> str:
    return f"{threshold:g}"


_WRITERS: dict[str, Callable[[BreakdownRows], Entries]] = {
    "confusion_matrix": _confusion,
    "detailed_precision_recall_curve": _detailed,
    "key_accuracy": _accuracy,
    "label_precision_table": _average_precision,
    "label_recall_table": _average_recall,
    "label_table": _labels,
    "pixel_table": _pixels,
    "precision_recall_curve": _curve,
    "roc_auc_table": _roc_auc,
}
"""Kind of a breakdown -> the function that writes it."""
