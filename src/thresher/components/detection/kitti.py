"""Average precision of KITTI's object benchmark."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import numpy as np

from thresher.counted import counted
from thresher.errors import InputError
from thresher.kernels.detection.kitti_matching import LEVELS, kitti_statistics, levels_by_height
from thresher.kernels.detection.kitti_precision import KittiAveragePrecision, KittiTable
from thresher.kernels.detection.matches import DetectionMatches
from thresher.metrics import TextListColumn, detection_measure, detection_outputs, metric, read_matches

_OVERLAPS = {"Car": 0.7, "Pedestrian": 0.5, "Cyclist": 0.5}
_NEIGHBOURS = {"Car": ("Van",), "Pedestrian": ("Person_sitting",)}
_NONE = "none"


@metric
class DetectionKittiEvaluator:
    """Average precision of boxes by the rules of KITTI's object benchmark, at its three levels.

    The measures are `detection_kitti_map_moderate` (primary: the benchmark ranks by it), `_map_easy` and
    `_map_hard`, means over the labels; `by_label` has those of each label. A level includes the easier ones.
    At a score threshold every true object takes the prediction that it overlaps most. True objects beyond the
    level, and those of a neighbouring label, are ignored with the predictions that they take; so are
    predictions that are lower than 40 pixels (easy) or 25, and predictions in regions without labels (crowd
    regions, which `read_kitti` makes of `DontCare`).

    The kit takes precision at scores chosen so that recall is near 1/40, 2/40, ..., and precision 0 where
    fewer objects than that are recalled: 20 objects, all found, give 0.475. So the means are undefined if a
    label has fewer than 40 objects of the level, unless `precision_at="exact"`; `by_label` has the kit's
    values.

    Formula: AP = mean over recalls r in {1/40, 2/40, ..., 1} of the highest precision at a recall of at least
        r.
    Source: the development kit of KITTI's object benchmark (2D boxes), with 40 recalls since 2019.

    Args:
        overlaps: label -> overlap (IoU) that a match exceeds; other labels are not evaluated. Default: `Car`
            0.7, `Pedestrian` and `Cyclist` 0.5. Upper and lower case are the same.
        neighbours: label -> labels of true objects that may be predicted as it; default: `Van` for `Car`,
            `Person_sitting` for `Pedestrian`.
        recalls: `40`, or `11` (0, 0.1, ..., 1) as before 2019.
        precision_at: `kit` takes precision at the scores that the kit chooses; `exact` at the recalls
            themselves, for small sets.
        name: stem of the measures' names.

    ```python
    matches = DetectionMatcher().run(predictions=predictions, ground_truths=ground_truths)["matches"]
    DetectionKittiEvaluator().run(matches=matches)["result"].detail("by_label")
    ```
    """

    overlaps: Mapping[str, float] | None = None
    neighbours: Mapping[str, Sequence[str]] | None = None
    recalls: Literal["40", "11"] = "40"
    precision_at: Literal["kit", "exact"] = "kit"
    name: str = "detection_kitti"

    def __post_init__(self) -> None:
        self._overlaps = dict(_OVERLAPS if self.overlaps is None else self.overlaps)
        for label, overlap in self._overlaps.items():
            if not 0 < overlap < 1:
                raise InputError(f"overlaps: {label} is {overlap!r}; give a number above 0 and below 1")
        if not self._overlaps:
            raise InputError("overlaps is empty; give at least one label")
        neighbours = _NEIGHBOURS if self.neighbours is None else self.neighbours
        self._neighbours = {label: list(others) for label, others in neighbours.items()}
        self.overlaps, self.neighbours = self._overlaps, self._neighbours

    def run(
        self, matches: list[DetectionMatches], difficulty_levels: TextListColumn | None = None
    ) -> dict[str, Any]:
        """Match the boxes at every score.

        Args:
            difficulty_levels: per image and true object the easiest level that includes it: `easy`,
                `moderate`, `hard` or `none`, a column of `read_kitti`; default: the level of its height, as
                if nothing were occluded or truncated.

        Returns:
            `score`: the mean average precision at the moderate level; `individual_scores`: NaN, since one
            image has none; `result` with the table `by_label`.
        """
        read = read_matches(matches)
        if difficulty_levels is None:
            codes = levels_by_height(read.truths)
        else:
            read = _without_gaps(read, difficulty_levels)
            codes = _codes(read, difficulty_levels)
        statistics = kitti_statistics(read, codes, self._overlaps, self._neighbours)
        points = int(self.recalls)
        measures = [
            detection_measure(
                self,
                read,
                f"{self.name}_map_{LEVELS[level]}",
                KittiAveragePrecision(level, points, self.precision_at),
                rule=self._rule,
            )
            for level in (1, 0, 2)
        ]
        return detection_outputs(
            read, measures, statistics, [KittiTable("by_label", points, self.precision_at)]
        )

    @property
    def _rule(self) -> str:
        """The rule in the names of rows. The signature has the overlap of each label."""
        lowest, highest = min(self._overlaps.values()), max(self._overlaps.values())
        exact = "exact " if self.precision_at == "exact" else ""
        overlap = f"{lowest:g}" if lowest == highest else f"{lowest:g}-{highest:g} by label"
        return f"KITTI, {self.recalls} {exact}points, IoU {overlap}"


def _without_gaps(matches: DetectionMatches, levels: Sequence[Any]) -> DetectionMatches:
    """The matches; an image without levels is missing.

    Raises:
        InputError: for other numbers of images.
    """
    if len(levels) != len(matches):
        raise InputError(
            f"difficulty_levels has {counted(len(levels), 'entry', 'entries')}, but there are "
            f"{counted(len(matches), 'image')}"
        )
    gaps = [at for at, entry in enumerate(levels) if entry is None and not matches.status[at]]
    if not gaps:
        return matches
    known = DetectionMatches.concatenate(
        [None if at in set(gaps) else image for at, image in enumerate(matches)]
    )
    reasons = {**known.reasons, **dict.fromkeys(gaps, "no entry in difficulty_levels")}
    return DetectionMatches(known.predictions, known.truths, known.settings, known.status, reasons)


def _codes(matches: DetectionMatches, levels: Sequence[Sequence[str] | None]) -> Any:
    """Positions of the levels of all true objects.

    Raises:
        InputError: for an unknown level, or other numbers of images or objects.
    """
    known = {name: code for code, name in enumerate((*LEVELS, _NONE))}
    codes = []
    for image, (entry, size) in enumerate(zip(levels, matches.truths.lengths.tolist(), strict=True)):
        names = [_NONE] * size if entry is None or matches.status[image] else list(entry)
        if len(names) != size:
            raise InputError(
                f"difficulty_levels[{image}] has {counted(len(names), 'entry', 'entries')}, but the image "
                f"has {counted(size, 'true object')}"
            )
        unknown = next((name for name in names if name not in known), None)
        if unknown is not None:
            raise InputError(f"difficulty_levels[{image}] has {unknown!r}; give {', '.join(known)}")
        codes += [known[name] for name in names]
    return np.array(codes, np.int8)
