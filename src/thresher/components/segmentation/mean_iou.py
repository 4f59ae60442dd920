"""Intersection over union of the pixels of labels."""

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal, NamedTuple, Self

import numpy as np

from thresher.components.segmentation._maps import PixelLabels, compare
from thresher.errors import InputError
from thresher.kernels.classification.decisions import ConfusionMatrix
from thresher.kernels.segmentation.iou import (
    FrequencyWeightedIou,
    LabelMean,
    LabelPixels,
    PixelTable,
)
from thresher.kernels.segmentation.pixels import NOTHING, Ints, PixelCounts
from thresher.metrics import Items, metric, outputs, settings
from thresher.native.threads import threads_for
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


class _Image(NamedTuple):
    """What is stored of an image, without the pairs of labels that have no pixels."""

    values: tuple[Any, ...]
    overlap: Ints
    truth: Ints
    predicted: Ints
    agreed: int
    pixels: int
    score: float
    decisions: tuple[Ints, Ints, Ints]

    @classmethod
    def of(cls, counts: PixelCounts, averaged: str, confusion: bool) -> Self:
        """Copy what is used, so that the table of all pairs is freed."""
        pairs = counts.pairs if confusion else counts.pairs[:0]
        rows, columns = np.nonzero(pairs)
        return cls(
            counts.values,
            counts.overlap.copy(),
            counts.truth,
            counts.predicted,
            counts.agreed,
            counts.pixels,
            _own_mean(counts, averaged),
            (rows, columns, pairs[rows, columns]),
        )


@metric
class SegmentationMeanIouEvaluator:
    """Mean intersection over union of labels, with pixel precision, recall, F1 and accuracy.

    Pixels are pooled over all images before the division. Each thread reads one image at a time, so a list of
    files needs only the memory of the largest ones.

    Formula: IoU = TP / (TP + FP + FN), precision TP / (TP + FP), recall TP / (TP + FN), F1 2 TP / (2 TP + FP
        + FN) of a label's pixels; the mean over labels, 0 for a label that is 0/0. Accuracy is the share of
        pixels whose labels agree, including pixels without a label; mean accuracy is the mean recall.
        Frequency-weighted IoU is the mean of the labels' IoU, weighted by their true pixels.
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
            so on for `precision`, `recall`, `f1` and `frequency_weighted`.

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
        images = self._images(items, list(zip(ground_truths, predictions, strict=True)))
        statistics = _statistics(images, self.confusion)
        shown: list[Breakdown] = [
            PixelTable("by_label", self.averaged_over),
            PixelTable("by_key", self.averaged_over, by_key=True),
        ]
        shown += [ConfusionMatrix()] if self.confusion else []
        status = items.status, items.reasons
        return outputs(MetricResult(self._measures(), statistics, *status, breakdowns=shown))

    def _images(self, items: Items, pairs: list[tuple[Any, Any]]) -> list[_Image]:
        """The pixels of each image, which threads read and count, mostly without the interpreter's lock."""
        present = set(items.present)

        def read(image: int) -> _Image:
            if image not in present:
                return _Image.of(NOTHING, self.averaged_over, self.confusion)
            try:
                counts = compare(*pairs[image], self.ignore, self.background)
            except InputError as error:
                raise InputError(f"ground_truths[{image}] against its prediction: {error}") from error
            return _Image.of(counts, self.averaged_over, self.confusion)

        names: dict[tuple[Any, ...], tuple[Label, ...]] = {}
        images: list[_Image] = []
        with ThreadPoolExecutor(threads_for(len(pairs), 1)) as threads:
            for image, read_image in enumerate(threads.map(read, range(len(pairs)))):
                values = read_image.values
                if values not in names:  # most images have the same values
                    names[values] = self._labels(image, values)
                images.append(read_image._replace(values=names[values]))
        return images

    def _labels(self, image: int, values: tuple[Any, ...]) -> tuple[Label, ...]:
        try:
            return tuple(map(self._label, values))
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
        weighted = Signature.of(f"{self.name}_frequency_weighted", signed)
        return [*measures, Measure(weighted, FrequencyWeightedIou(), item_score=None)]


def _pairs(labels: Sequence[Any] | Mapping[Any, Any]) -> list[tuple[Any, Any]]:
    return list(labels.items()) if isinstance(labels, Mapping) else list(enumerate(labels))


def _statistics(images: list[_Image], confusion: bool) -> Statistics:
    distinct = dict.fromkeys(image.values for image in images)
    labels = vocabulary_of(label for values in distinct for label in values)
    encoded = {values: encode(values, labels) for values in distinct}
    codes = [encoded[image.values] for image in images]
    columns = {
        "label": np.concatenate([encode((), labels), *codes]),
        "overlap": _joined([image.overlap for image in images]),
        "truth": _joined([image.truth for image in images]),
        "predicted": _joined([image.predicted for image in images]),
    }
    ragged = {"labels": Ragged(list(map(len, codes)), columns)}
    coded = {"labels.label"}
    if confusion:
        ragged["decisions"] = _decisions(images, codes)
        coded |= {"decisions.truth", "decisions.predicted"}
    dense = {
        "agreed": np.array([image.agreed for image in images], np.int64),
        "pixels": np.array([image.pixels for image in images], np.int64),
        "score": np.array([image.score for image in images], np.float64),
    }
    return Statistics(dense, ragged, labels, coded)


def _joined(parts: list[Any]) -> Any:
    return np.concatenate([np.zeros(0, np.int64), *parts])


def _decisions(images: list[_Image], codes: list[Codes]) -> Ragged:
    """The pairs of labels of each image that have pixels."""
    places = [image.decisions for image in images]
    known = [np.append(code, np.int8(-1)).astype(code.dtype) for code in codes]
    none = codes[0][:0] if codes else np.zeros(0, np.int8)
    columns = {
        "truth": np.concatenate([none, *(code[at[0]] for code, at in zip(known, places, strict=True))]),
        "predicted": np.concatenate([none, *(code[at[1]] for code, at in zip(known, places, strict=True))]),
        "count": _joined([at[2] for at in places]),
    }
    return Ragged([len(at[0]) for at in places], columns)


def _own_mean(counts: PixelCounts, averaged: str) -> float:
    """Mean IoU of one image."""
    pixels = LabelPixels(
        *(np.asarray(column, np.float64) for column in (counts.overlap, counts.truth, counts.predicted))
    )
    values = np.nan_to_num(pixels.quantity("iou")[pixels.counted(averaged)])
    return float(values.mean()) if len(values) else float("nan")
