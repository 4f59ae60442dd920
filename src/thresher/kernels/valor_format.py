"""Results as the dictionaries that Valor's documentation shows."""

from collections.abc import Callable, Sequence
from math import isnan
from typing import Any

from thresher.errors import InputError
from thresher.kernels.classification.curves import PrecisionRecallCurve
from thresher.kernels.classification.decisions import (
    Accuracy,
    ConfusionMatrix,
    KeyTable,
    LabelAverage,
    LabelTable,
)
from thresher.kernels.classification.detailed_curve import CurveExamples, DetailedPrecisionRecallCurve
from thresher.kernels.classification.roc_auc import RocAucTable
from thresher.kernels.detection.average_precision import LabelPrecisionTable, LabelRecallTable, threshold_name
from thresher.kernels.detection.curves import DetectionExamples
from thresher.kernels.segmentation.iou import PixelTable
from thresher.results import Breakdown, Detail, MetricResult

Metrics = list[dict[str, Any]]
_UNDEFINED = -1
_KINDS = {
    "tp": ("tp", "all"),
    "fp_misclassifications": ("fp", "misclassifications"),
    "fp_hallucinations": ("fp", "hallucinations"),
    "fn_misclassifications": ("fn", "misclassifications"),
    "fn_no_predictions": ("fn", "no_predictions"),
    "tn": ("tn", "all"),
}


def to_valor(result: MetricResult, ids: Sequence[str] | None = None, dataset: str = "dataset") -> Metrics:
    """The metrics of a result as Valor's dictionaries: `type`, `parameters`, `value` and `label`.

    An undefined value (0/0) is -1, as Valor writes it. Where no item has a label there is no metric, either.

    Args:
        result: of an evaluator of labels, detections or pixels.
        ids: names of the items, for examples; their positions without.
        dataset: name of the data set, for examples.

    Raises:
        InputError: if the result is of a metric that Valor does not have.
    """
    if not any(type(each) in (*_WRITERS, DetailedPrecisionRecallCurve) for each in result.breakdowns):
        raise InputError(f"{result.name} is no metric of Valor's")
    found: Metrics = []
    for breakdown in result.breakdowns:
        write = _WRITERS.get(type(breakdown))
        if write is not None:
            found += write(result, breakdown)
        elif isinstance(breakdown, DetailedPrecisionRecallCurve):
            found += _detailed(result, breakdown, _Names(ids, dataset))
    return found


class _Names:
    """How examples name their items."""

    def __init__(self, ids: Sequence[str] | None, dataset: str) -> None:
        self.ids = ids
        self.dataset = dataset

    def example(self, row: dict[str, Any]) -> tuple[Any, ...]:
        item = row["item"] if self.ids is None else self.ids[row["item"]]
        return (self.dataset, item, row["geometry"]) if "geometry" in row else (self.dataset, item)


def _labels(result: MetricResult, breakdown: Breakdown) -> Metrics:
    """Precision, Recall or F1, whichever the evaluator is of."""
    reduction = result.measures[0].reduction
    if not isinstance(reduction, LabelAverage):
        return []
    kind = reduction.quantity.capitalize()
    return [
        {"type": kind, "label": _label(row), "value": _or(row[reduction.quantity], 0.0)}
        for row in result.detail(breakdown.name).rows()
    ]


def _accuracy(result: MetricResult, breakdown: Breakdown) -> Metrics:
    if not isinstance(result.measures[0].reduction, Accuracy):
        return []
    return [_of_key("Accuracy", row, row["accuracy"]) for row in result.detail(breakdown.name).rows()]


def _roc_auc(result: MetricResult, breakdown: Breakdown) -> Metrics:
    areas: dict[str, list[float]] = {}
    for row in result.detail(breakdown.name).rows():
        areas.setdefault(row["key"], []).extend([] if row["undefined"] else [row["roc_auc"]])
    return [
        _of_key("ROCAUC", {"key": key}, sum(each) / len(each) if each else _UNDEFINED)
        for key, each in areas.items()
    ]


def _confusion(result: MetricResult, breakdown: Breakdown) -> Metrics:
    entries: dict[str, Metrics] = {}
    for row in result.detail(breakdown.name).rows():
        entry = {"prediction": row["predicted"], "groundtruth": row["truth"], "count": int(row["count"])}
        entries.setdefault(row["key"], []).append(entry)
    return [{"type": "ConfusionMatrix", "label_key": key, "entries": each} for key, each in entries.items()]


def _average_precision(result: MetricResult, breakdown: Breakdown) -> Metrics:
    assert isinstance(breakdown, LabelPrecisionTable)  # noqa: S101  # said by the table of writers
    stem = "map" if breakdown.by_key else "ap"
    name = "mAP" if breakdown.by_key else "AP"
    found: Metrics = []
    for row in result.detail(breakdown.name).rows():
        base = _parameters(row, breakdown.by_key)
        for iou in breakdown.shown:
            found.append(_with(base, name, {"iou": iou}, row[threshold_name(stem, iou)]))
        found.append(
            _with(base, f"{name}AveragedOverIOUs", {"ious": list(breakdown.iou_thresholds)}, row[stem])
        )
    return found


def _average_recall(result: MetricResult, breakdown: Breakdown) -> Metrics:
    assert isinstance(breakdown, LabelRecallTable)  # noqa: S101  # said by the table of writers
    stem, name = ("mar", "mAR") if breakdown.by_key else ("ar", "AR")
    return [
        _with(_parameters(row, breakdown.by_key), name, {"ious": list(breakdown.iou_thresholds)}, row[stem])
        for row in result.detail(breakdown.name).rows()
    ]


def _pixels(result: MetricResult, breakdown: Breakdown) -> Metrics:
    assert isinstance(breakdown, PixelTable)  # noqa: S101  # said by the table of writers
    rows = result.detail(breakdown.name).rows()
    if breakdown.by_key:
        return [_of_key("mIOU", row, row["mean_iou"]) for row in rows]
    return [{"type": "IOU", "label": _label(row), "value": _or(row["iou"], 0.0)} for row in rows]


def _curve(result: MetricResult, breakdown: Breakdown) -> Metrics:
    names = {"tp": "tp", "fp": "fp", "tn": "tn", "fn": "fn", "precision": "precision", "recall": "recall"}
    names |= {"f1": "f1_score", "accuracy": "accuracy"}
    values: dict[str, Any] = {}
    detail = result.detail(breakdown.name)
    for row in detail.rows():
        point = {new: _point(row[old]) for old, new in names.items() if old in row}
        values.setdefault(row["key"], {}).setdefault(row["label"], {})[_text(row["threshold"])] = point
    return [_curve_of(result, "PrecisionRecallCurve", key, each) for key, each in values.items()]


def _detailed(result: MetricResult, breakdown: DetailedPrecisionRecallCurve, names: _Names) -> Metrics:
    examples: dict[Any, list[Any]] = {}
    for row in _examples(result).rows():
        place = row["key"], row["label"], row["threshold"], row["observation"]
        examples.setdefault(place, []).append(names.example(row))
    values: dict[str, Any] = {}
    for row in result.detail(breakdown.name).rows():
        point: dict[str, Any] = {}
        for column, (kind, observation) in _KINDS.items():
            if column not in row:
                continue
            told = point.setdefault(kind, {"total": 0, "observations": {}})
            told["total"] += int(row[column])
            place = row["key"], row["label"], row["threshold"], column
            seen = {"count": int(row[column]), "examples": examples.get(place, [])}
            told["observations"][observation] = seen
        values.setdefault(row["key"], {}).setdefault(row["label"], {})[_text(row["threshold"])] = point
    return [_curve_of(result, "DetailedPrecisionRecallCurve", key, each) for key, each in values.items()]


def _examples(result: MetricResult) -> Detail:
    names = [each.name for each in result.breakdowns if isinstance(each, CurveExamples | DetectionExamples)]
    return result.detail(names[0])


def _curve_of(result: MetricResult, kind: str, key: str, value: Any) -> dict[str, Any]:
    told = dict(result.measures[0].signature.settings).get("pr_curve_iou_threshold")
    parameters = {"label_key": key, "pr_curve_iou_threshold": None if told is None else float(told)}
    return {"type": kind, "parameters": parameters, "value": value}


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
    found = _or(value, _UNDEFINED)
    return int(found) if found == int(found) else found


def _text(threshold: float) -> str:
    return f"{threshold:g}"


_WRITERS: dict[type[Breakdown], Callable[[MetricResult, Breakdown], Metrics]] = {
    ConfusionMatrix: _confusion,
    KeyTable: _accuracy,
    LabelPrecisionTable: _average_precision,
    LabelRecallTable: _average_recall,
    LabelTable: _labels,
    PixelTable: _pixels,
    PrecisionRecallCurve: _curve,
    RocAucTable: _roc_auc,
}
