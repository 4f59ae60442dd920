"""Panoptic quality of segments."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Literal

import numpy as np

from thresher.components.segmentation._panoptic import PanopticMaps, label_kinds
from thresher.errors import InputError
from thresher.kernels.segmentation.panoptic_entries import Entry, read_pair
from thresher.kernels.segmentation.panoptic_quality import (
    KindTable,
    LabelSegments,
    PanopticMean,
    SegmentExamples,
    SegmentTable,
)
from thresher.kernels.segmentation.segment_matching import NOTHING, SegmentCounts, match_segments
from thresher.metrics import Items, PositiveCount, metric, outputs, settings
from thresher.native.threads import threads_for
from thresher.results import Label, Measure, MetricResult, Ragged, Signature, Statistics, Status
from thresher.results.labels import encode, vocabulary_of
from thresher.surface import metric_option

_RULE = "COCO panoptic, IoU > 0.5"


@metric
class SegmentationPanopticQualityEvaluator:
    """Panoptic quality (PQ): how well segments of things and stuff are found and outlined.

    A predicted and a true segment of one label are a pair if they overlap by more than half. Crowds and
    pixels without a true label are treated as panopticapi does. Each thread reads one image at a time, so
    a list of files needs only the memory of the largest ones.

    Formula: PQ = sum of IoU over pairs / (TP + FP / 2 + FN / 2) per label; SQ = sum of IoU / TP, 0 without
        TP; RQ = TP / (TP + FP / 2 + FN / 2); the means over the labels that have segments
    Source: Kirillov et al. 2019, "Panoptic Segmentation"; panopticapi
    Differs: equal for consistent files; true segments have the pixels of their map, where panopticapi takes
        the `area` of the JSON file, and a true id that only one of map and list has is an error

    Args:
        things: labels of countable objects; all others are stuff. Default: what `isthing` of the segments
            says.
        stuff: `segments` counts each segment of stuff; `merged` joins those of one label in an image, as
            TorchMetrics does.
        area: pixels of a true segment: those of the map (`pixels`), or its `area` in the annotation (`json`).
        crowds: crowds of a label that excuse predictions on them: the `last` of an image, as in panopticapi,
            or `all`; COCO's files have at most one.
        max_examples: number of images that `examples` names for each label, those with the most errors.
        name: stem of the measures' names: `segmentation_panoptic_quality` (PQ), and with `_sq`, `_rq`,
            `_things` and `_stuff` SQ, RQ, and PQ over the labels of things and of stuff.

    ```python
    truth = PanopticMap.of([[1, 1, 1, 2]], {1: "cat", 2: "sky"})
    predicted = PanopticMap.of([[5, 5, 6, 6]], {5: "cat", 6: "sky"})
    evaluator = SegmentationPanopticQualityEvaluator(things=["cat"])
    evaluator.run(ground_truths=[truth], predictions=[predicted])["score"]  # (2 / 3 + 0) / 2
    ```
    """

    things: Sequence[str | int] | None = None
    stuff: Literal["segments", "merged"] = "segments"
    area: Literal["pixels", "json"] = "pixels"
    crowds: Literal["last", "all"] = "last"
    max_examples: PositiveCount = 1
    name: str = "segmentation_panoptic_quality"

    def run(self, ground_truths: PanopticMaps, predictions: PanopticMaps) -> dict[str, Any]:
        """Match the segments of each image.

        Args:
            ground_truths: per image a `PanopticMap`, or a dict with `segmentation` (height x width ids of
                segments, or an RGB PNG file of them as COCO defines it) and `segments_info` (per segment
                `id`, and `label`, `label_id` or `category_id`; optionally `isthing`, `iscrowd`, `area`).
                None leaves the image out.
            predictions: the same for the predicted segments; an empty `segments_info` alone means that
                nothing was predicted.

        Returns:
            `score`: PQ; `individual_scores`: PQ of each image over its own labels; `result` with the tables
            `by_label` and `by_kind`, and the images with the most errors of each label in `examples`.
        """
        items = Items(ground_truths=ground_truths, predictions=predictions)
        present = items.present
        columns = [("ground_truths", list(ground_truths)), ("predictions", list(predictions))]
        sides = [[_entry(name, item, column[item]) for item in present] for name, column in columns]
        kinds = label_kinds([entry for side in sides for entry in side], self.things)
        counts = [NOTHING] * items.size
        pairs = zip(present, *sides, strict=True)
        for item, image in zip(present, self._compared(list(pairs), kinds), strict=True):
            counts[item] = image
            if not (image.tp.any() or image.fp.any() or image.fn.any()):
                items.leave_out(item, Status.UNDEFINED, "neither predicted nor true segments that count")
        tables = [SegmentTable(), KindTable(), SegmentExamples(max_examples=self.max_examples)]
        status = items.status, items.reasons
        return outputs(MetricResult(self._measures(), _statistics(counts, kinds), *status, breakdowns=tables))

    def _compared(
        self, pairs: list[tuple[int, Entry, Entry]], kinds: dict[Label, bool | None]
    ) -> list[SegmentCounts]:
        """The counts of each image; threads decode and compare, mostly without the interpreter's lock."""
        merged = self.stuff == "merged"
        if merged and None in kinds.values():
            remedy = f"set {metric_option('things=[...]')}, or add isthing"
            raise InputError(f"stuff='merged' needs to know what is stuff; {remedy}")
        stuff = frozenset(label for label, thing in kinds.items() if merged and not thing)

        def count(pair: tuple[int, Entry, Entry]) -> SegmentCounts:
            item, truth, predicted = pair
            try:
                maps = read_pair(truth, predicted, stuff)
                return match_segments(*maps, area=self.area, crowds=self.crowds).counts()
            except InputError as error:
                raise InputError(f"ground_truths[{item}] against its prediction: {error}") from error

        with ThreadPoolExecutor(threads_for(len(pairs), 1)) as threads:
            return list(threads.map(count, pairs))

    def _measures(self) -> list[Measure]:
        signed = settings(self, "max_examples") | {
            "things": None if self.things is None else [str(label) for label in self.things]
        }
        means = {
            "": PanopticMean("pq"),
            "_sq": PanopticMean("sq"),
            "_rq": PanopticMean("rq"),
            "_things": PanopticMean("pq", "thing"),
            "_stuff": PanopticMean("pq", "stuff"),
        }
        return [
            Measure(
                Signature.of(self.name + ending, signed),
                mean,
                item_score=None if ending else "score",
                rule=_RULE,
            )
            for ending, mean in means.items()
        ]


def _entry(name: str, item: int, entry: Any) -> Entry:
    try:
        return Entry.of(entry)
    except InputError as error:
        raise InputError(f"{name}[{item}]: {error}") from error


def _statistics(images: list[SegmentCounts], kinds: dict[Label, bool | None]) -> Statistics:
    labels = vocabulary_of(label for image in images for label in image.labels)
    known = np.array([-1 if kinds[label] is None else kinds[label] for label in labels], np.int8)
    codes = np.concatenate([encode(image.labels, labels) for image in [NOTHING, *images]])
    names = ("iou", "tp", "fp", "fn")
    columns = {name: np.concatenate([getattr(image, name) for image in [NOTHING, *images]]) for name in names}
    ragged = Ragged(
        [len(image.labels) for image in images], {"label": codes, **columns, "thing": known[codes]}
    )
    scores = [_own_mean(image) for image in images]
    return Statistics({"score": np.array(scores, np.float64)}, {"labels": ragged}, labels, {"labels.label"})


def _own_mean(image: SegmentCounts) -> float:
    """PQ of one image over its labels."""
    values = LabelSegments(*image[1:]).quantity("pq")
    values = values[~np.isnan(values)]
    return float(values.mean()) if len(values) else float("nan")
