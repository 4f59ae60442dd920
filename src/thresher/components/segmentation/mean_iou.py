"""Intersection over union of the pixels of labels."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal

import numpy as np

from thresher.components._renamed import formerly
from thresher.components.segmentation._maps import PixelLabels, compare
from thresher.errors import InputError
from thresher.kernels.classification.decisions import ConfusionMatrix
from thresher.kernels.segmentation.iou import LabelMean, LabelPixels, PixelTable
from thresher.kernels.segmentation.pixels import NOTHING, PixelCounts
from thresher.metrics import Items, metric, outputs, settings
from thresher.results import (
    Breakdown,
    Label,
    Measure,
    MetricResult,
    Ragged,
    RatioOfSums,
    Signature,
    Statistics,
)
from thresher.results.labels import Codes, encode, vocabulary_of

_AGREED = RatioOfSums((("agreed", 1.0),), (("pixels", 1.0),))


@formerly("MeanIouEvaluator", "miou")
@metric
class SegmentationMeanIouEvaluator:
    """Mean intersection over union of labels, with pixel precision, recall, F1 and accuracy.

    Pixels are pooled over all images before the division. Images are read one after the other, so a list of
    files needs only the memory of the largest one.

    Formula: IoU = TP / (TP + FP + FN), precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP
        + FN) of a label's pixels; the mean over labels, 0 for a label that is 0/0. Accuracy is the share of
        pixels whose labels agree, including pixels without a label.
    Source: the documentation of Valor (IOU, mIOU), accuracy as in valor-lite.

    Args:
        averaged_over: means are over the labels of the `truth` (Valor), or over `all` labels, so that a label
            that is only predicted counts 0 (valor-lite, torchmetrics).
        labels: for label maps: labels of the values 0, 1, ..., or a dict value -> label; default: the value
            is the label.
        ignore: for label maps: pixels with this true value do not count, e.g. 255.
        background: for label maps: the value of pixels without a label.
        confusion: whether to compute the confusion matrix, which needs memory per pair of labels.
        name: stem of the measures' names: `segmentation_mean_iou`, `segmentation_mean_iou_accuracy` and
            so on for `precision`, `recall` and `f1`.

    ```python
    evaluator = SegmentationMeanIouEvaluator(labels={1: "road", 2: "sky"})
    evaluator.run(ground_truths=[[[1, 1, 2]]], predictions=[[[1, 2, 2]]])["score"]  # 0.5
    ```
    """

    averaged_over: Literal["truth", "all"] = "truth"
    labels: Sequence[Any] | Mapping[Any, Any] | None = None
    ignore: int | None = None
    background: int | None = None
    confusion: bool = False
    name: str = "segmentation_mean_iou"

    def __post_init__(self) -> None:
        named = None if self.labels is None else dict(_pairs(self.labels))
        self.labels = None if named is None else {str(value): label for value, label in named.items()}

    def run(self, ground_truths: PixelLabels, predictions: PixelLabels) -> dict[str, Any]:
        """Compare the labels of pixels.

        Args:
            ground_truths: per image a label map (height x width whole numbers), a PNG file of one, or masks:
                `Detections` of rasters, or a dict with `labels`, `geometries` (run lengths or GeoJSON) and,
                if all are polygons, `size` (height, width). None leaves the image out.
            predictions: the same for the predicted labels.

        Returns:
            `score`: mean IoU; `individual_scores`: mean IoU of each image over the labels of its truth;
            `result` with the tables `by_label` and `by_key`, and `confusion_matrix` with `confusion`.
        """
        items = Items(ground_truths=ground_truths, predictions=predictions)
        present = set(items.present)
        names: dict[Any, Label] = {}
        counts = [
            self._compared(image, pair, names) if image in present else NOTHING
            for image, pair in enumerate(zip(ground_truths, predictions, strict=True))
        ]
        statistics = _statistics(counts, self.averaged_over, self.confusion)
        shown: list[Breakdown] = [
            PixelTable("by_label", self.averaged_over),
            PixelTable("by_key", self.averaged_over, by_key=True),
        ]
        shown += [ConfusionMatrix()] if self.confusion else []
        status = items.status, items.reasons
        return outputs(MetricResult(self._measures(), statistics, *status, breakdowns=shown))

    def _compared(self, image: int, pair: tuple[Any, Any], names: dict[Any, Label]) -> PixelCounts:
        """The pixels of one image by label; `names` caches the label of each value."""
        try:
            counts = compare(*pair, self.ignore, self.background)
            for value in counts.values:
                if value not in names:
                    names[value] = self._label(value)
            return replace(counts, values=tuple(names[value] for value in counts.values))
        except InputError as error:
            raise InputError(f"ground_truths[{image}] against its prediction: {error}") from error

    def _label(self, value: Any) -> Label:
        if isinstance(value, Label) or self.labels is None:
            return Label.of(value)
        labels = dict(_pairs(self.labels))
        if str(value) not in labels:
            raise InputError(
                f"value {value} has no label; add it to labels, or pass it as ignore or background"
            )
        return Label.of(labels[str(value)])

    def _measures(self) -> list[Measure]:
        signed = settings(self, "confusion") | {"labels": None if self.labels is None else str(self.labels)}
        measures = [Measure(Signature.of(self.name, signed), LabelMean("iou", self.averaged_over))]
        measures.append(Measure(Signature.of(f"{self.name}_accuracy", signed), _AGREED, item_score=None))
        for quantity in ("precision", "recall", "f1"):
            mean = LabelMean(quantity, self.averaged_over)
            measures.append(Measure(Signature.of(f"{self.name}_{quantity}", signed), mean, item_score=None))
        return measures


def _pairs(labels: Sequence[Any] | Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return list(labels.items()) if isinstance(labels, Mapping) else list(enumerate(labels))


def _statistics(counts: list[PixelCounts], averaged: str, confusion: bool) -> Statistics:
    labels = vocabulary_of(label for pixels in counts for label in pixels.values)
    codes = [encode(pixels.values, labels) for pixels in counts]
    columns = {
        "label": np.concatenate([encode((), labels), *codes]),
        "overlap": _joined([pixels.overlap for pixels in counts]),
        "truth": _joined([pixels.truth for pixels in counts]),
        "predicted": _joined([pixels.predicted for pixels in counts]),
    }
    ragged = {"labels": Ragged(list(map(len, codes)), columns)}
    coded = {"labels.label"}
    if confusion:
        ragged["decisions"] = _decisions(counts, codes)
        coded |= {"decisions.truth", "decisions.predicted"}
    dense = {
        "agreed": np.array([pixels.agreed for pixels in counts], np.int64),
        "pixels": np.array([pixels.pixels for pixels in counts], np.int64),
        "score": np.array([_own_mean(pixels, averaged) for pixels in counts], np.float64),
    }
    return Statistics(dense, ragged, labels, coded)


def _joined(parts: list[Any]) -> Any:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _decisions(counts: list[PixelCounts], codes: list[Codes]) -> Ragged:
    """The pairs of labels of each image that have pixels."""
    places = [np.nonzero(pixels.pairs) for pixels in counts]
    known = [np.append(code, np.int8(-1)).astype(code.dtype) for code in codes]
    none = codes[0][:0] if codes else np.zeros(0, np.int8)
    columns = {
        "truth": np.concatenate([none, *(code[at[0]] for code, at in zip(known, places, strict=True))]),
        "predicted": np.concatenate([none, *(code[at[1]] for code, at in zip(known, places, strict=True))]),
        "count": _joined([pixels.pairs[at] for pixels, at in zip(counts, places, strict=True)]),
    }
    return Ragged([len(at[0]) for at in places], columns)


def _own_mean(counts: PixelCounts, averaged: str) -> float:
    """Mean IoU of one image."""
    pixels = LabelPixels(
        *(np.asarray(column, np.float64) for column in (counts.overlap, counts.truth, counts.predicted))
    )
    values = np.nan_to_num(pixels.quantity("iou")[pixels.counted(averaged)])
    return float(values.mean()) if len(values) else float("nan")
