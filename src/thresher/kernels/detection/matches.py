"""Predicted and true objects with their overlaps, the input of all detection metrics."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Self, TypeVar, overload

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError
from thresher.kernels.detection.boundaries import with_boundaries
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.keypoint_similarity import Skeletons, similar
from thresher.kernels.detection.ordering import LabelOrder, by_score, label_order
from thresher.kernels.detection.overlaps import KINDS, Pairs, overlapping
from thresher.kernels.detection.predicted_scores import scores_of
from thresher.kernels.detection.probiou import with_probiou
from thresher.results import Status
from thresher.results.labels import merge_vocabularies
from thresher.results.ragged import Int64s

_Built = TypeVar("_Built")


class DetectionMatches(Sequence["DetectionMatches"]):
    """Predicted and true objects per image; reads as a list with one entry per image.

    Data that metrics share, such as overlaps, are computed once and cached.

    Args:
        predictions: predicted objects.
        truths: true objects of the same images.
        settings: the matcher's options, which all metrics include in their signatures.
        status: per image a `Status`; None if all images can be scored.
        reasons: image position -> why it cannot be scored.
    """

    __slots__ = ("_cache", "predictions", "reasons", "settings", "status", "truths")

    def __init__(
        self,
        predictions: DetectionColumns,
        truths: DetectionColumns,
        settings: Mapping[str, Any],
        status: npt.ArrayLike | None = None,
        reasons: Mapping[int, str] | None = None,
    ) -> None:
        labels, (mine, theirs) = merge_vocabularies([predictions.labels, truths.labels])
        self.predictions = predictions.with_labels(labels, mine)
        self.truths = truths.with_labels(labels, theirs)
        self.settings = MappingProxyType(dict(settings))
        self.status = np.zeros(len(truths), np.uint8) if status is None else np.array(status, np.uint8)
        self.reasons = MappingProxyType(dict(reasons or {}))
        self._cache: dict[Any, Any] = {}

    def __len__(self) -> int:
        return len(self.truths)

    @overload
    def __getitem__(self, index: int) -> Self: ...
    @overload
    def __getitem__(self, index: slice) -> Self: ...
    def __getitem__(self, index: int | slice) -> Self:
        return self.take(np.arange(len(self))[index if isinstance(index, slice) else [index]])

    def __iter__(self) -> Iterator[Self]:
        return (self[at] for at in range(len(self)))

    def __contains__(self, entry: object) -> bool:
        return entry is not None and any(entry is image for image in self)

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.predictions, self.truths, dict(self.settings)
        return type(self), (*parts, self.status, dict(self.reasons))

    def take(self, images: npt.ArrayLike) -> Self:
        """The images at these positions, in that order."""
        places = np.asarray(images, dtype=np.int64)
        reasons = {new: self.reasons[old] for new, old in enumerate(places.tolist()) if old in self.reasons}
        parts = self.predictions.take(places), self.truths.take(places)
        return type(self)(*parts, self.settings, self.status[places], reasons)

    @classmethod
    def concatenate(cls, parts: Sequence[Any]) -> Self:
        """Join the images of several matches; None is an image without an entry.

        Raises:
            InputError: if the parts were matched with different settings, or are not matches.
        """
        known = [part for part in parts if part is not None]
        for part in known:
            if not isinstance(part, cls):
                raise InputError(
                    f"matches has a {type(part).__name__}; connect the output of a DetectionMatcher"
                )
            if part.settings != known[0].settings:
                raise InputError("these matches have different settings of the DetectionMatcher")
        settings = known[0].settings if known else {}
        gap = cls(DetectionColumns.of([None]), DetectionColumns.of([None]), settings, [Status.MISSING])
        whole = [gap if part is None else part for part in parts]
        starts = np.cumsum([0, *map(len, whole)]).tolist()
        reasons = {at: "no entry in matches" for at, part in zip(starts, parts, strict=False) if part is None}
        reasons |= {
            at + image: reason
            for at, part in zip(starts, whole, strict=False)
            for image, reason in part.reasons.items()
        }
        return cls(
            DetectionColumns.concatenate([part.predictions for part in whole]),
            DetectionColumns.concatenate([part.truths for part in whole]),
            settings,
            np.concatenate([np.zeros(0, np.uint8), *(part.status for part in whole)]),
            reasons,
        )

    def memo(self, key: Any, build: Callable[[], _Built]) -> _Built:
        """Return `build()`, computed at the first call for a key and cached with the matches."""
        if key not in self._cache:
            self._cache[key] = build()
        result: _Built = self._cache[key]
        return result

    @property
    def compares_keypoints(self) -> bool:
        """Whether overlaps are similarities of keypoints."""
        return bool(self.settings.get("compare_as") == "keypoints")

    @property
    def skeletons(self) -> Skeletons:
        """The keypoints of both sides."""
        sigmas = self.settings.get("sigmas")
        return self.memo("skeletons", lambda: Skeletons.of(self.predictions, self.truths, sigmas))

    @property
    def exempt(self) -> npt.NDArray[np.bool_] | None:
        """True objects that may be missed, and that one prediction may take without being an error.

        COCO's persons without a labelled keypoint, and what LVIS ignores. None if there are none.
        """
        points, federated = self.truths.keypoints, self.truths.federated
        if self.compares_keypoints and points is not None:
            return np.asarray(points.counts == 0)
        return None if federated is None else federated.ignored

    @property
    def score_order(self) -> Int64s:
        """The predictions by falling score, ties in their order."""
        order: Int64s = self.memo("score order", lambda: by_score(scores_of(self.predictions)))
        return order

    @property
    def label_order(self) -> LabelOrder:
        """The predictions by label and falling score."""
        every = self.predictions
        return self.memo(
            "label order",
            lambda: label_order(
                *(every.label, scores_of(every), every.offsets, len(every.labels)), lambda: self.score_order
            ),
        )

    def pairs(self, same_label: bool = True) -> Pairs:
        """The overlapping pairs of each image, of the same label or of any."""

        def build() -> Pairs:
            if self.compares_keypoints:
                return similar(self.skeletons, self.predictions, self.truths, same_label)
            sides, compare_as = (self.predictions, self.truths), self.settings.get("compare_as")
            pairs = overlapping(
                *sides,
                same_label=same_label,
                lowest_kind=KINDS[compare_as or "raster"],
                raster_to_polygon=self.settings.get("raster_to_polygon", "outline"),
            )
            if compare_as == "boundary":
                return with_boundaries(pairs, *sides, self.settings["dilation_ratio"])
            return with_probiou(pairs, *sides) if compare_as == "probiou" else pairs

        return self.memo(("pairs", same_label), build)
