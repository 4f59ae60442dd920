"""A list of a COCO file: checks of its entries, and their names in messages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from sys import float_info
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.errors import InputError

_REMEDIES = {
    ("id", "segments_info"): "; it is a panoptic file: run panoptic_segmentation, or read_coco_panoptic",
    ("isthing", "name"): "; a panoptic file has it, an instances file is for instance_segmentation",
    ("bbox", "segmentation"): "; read masks instead with geometries='masks' (--geometries masks)",
    ("bbox", "poly"): "; it is a rotated box: read it with geometries='polygons' (--geometries polygons)",
    ("segmentation", "bbox"): (
        "; read boxes instead with geometries='boxes' (--geometries boxes); their recipe is object_detection"
    ),
    ("bbox", "keypoints"): "; it has keypoints alone, which are for the recipe keypoint_detection",
    ("keypoints", "bbox"): "; the recipe of boxes is object_detection, that of masks instance_segmentation",
}
"""What to do if an entry lacks the first field and has the second."""
_NO_SCORE = "; each prediction has one, or attributes.score: give what the detector found, not true objects"
_BOX = 4
MOST = float_info.max
"""The largest finite score; whole numbers of JSON may be larger."""


@dataclass(frozen=True)
class CocoList:
    """A list of a COCO file.

    Attributes:
        path: the file.
        part: key of the list in the file.
        rows: its entries, not checked yet, or some of them.
        positions: position of each entry in the list of the file; default: all entries are given.
    """

    path: Path
    part: str
    rows: list[Any]
    positions: Sequence[int] | None = None

    def position(self, at: int) -> int:
        """Position of an entry in the list of the file."""
        return at if self.positions is None else self.positions[at]

    def where(self, at: int) -> str:
        """Name of an entry in messages."""
        row = self.rows[at]
        key = f" (id {row['id']})" if isinstance(row, Mapping) and "id" in row else ""
        return f"{self.path}: {self.part}[{self.position(at)}]{key}"

    def column(self, name: str) -> list[Any]:
        """One field of all entries.

        Raises:
            InputError: naming the first entry that lacks it.
        """
        try:
            return [row[name] for row in self.rows]
        except (TypeError, KeyError):
            return [self._field(at, name) for at in range(len(self.rows))]

    def keys(self, name: str) -> list[Any]:
        """A field of ids, whole numbers or texts.

        Raises:
            InputError: for anything else.
        """
        keys = self.column(name)
        if {*map(type, keys)} <= {int, str}:
            return keys
        for at, key in enumerate(keys):
            if isinstance(key, bool) or not (isinstance(key, str | int) or _is_whole(key)):
                raise InputError(f"{self.where(at)}: {name} is {key!r}; give a whole number or a text")
        return [key if isinstance(key, str) else int(key) for key in keys]

    def places_of_ids(self) -> dict[Any, int]:
        """Id -> position.

        Raises:
            InputError: if two entries share an id, or if some ids are texts and some numbers.
        """
        places: dict[Any, int] = {}
        for at, key in enumerate(self.keys("id")):
            if places.setdefault(key, at) != at:
                raise InputError(f"{self.where(at)} has an id that {self.part}[{places[key]}] has too")
            if type(key) is not type(next(iter(places))):
                raise InputError(f"{self.where(at)}: ids of {self.part} are numbers and texts; give one kind")
        return places

    def places(
        self, name: str, known: Mapping[Any, int], part: str, remedy: Callable[[Any], str] | None = None
    ) -> list[int]:
        """Positions in `part` of the ids in field `name`.

        Args:
            name: the field.
            known: id -> position.
            part: name of the list that has the ids.
            remedy: id -> end of the message about an unknown one.

        Raises:
            InputError: for an id that `part` lacks.
        """
        keys = self.keys(name)
        for at, key in enumerate(keys):
            if key not in known:
                more = "" if remedy is None else remedy(key)
                raise InputError(f"{self.where(at)}: {name} {key!r} is none of the {part}{more}")
        return [known[key] for key in keys]

    def shapes(self) -> list[Any]:
        """The `segmentation` of each entry, or the four corners of a rotated box that Ultralytics writes.

        Raises:
            InputError: naming the first entry that lacks both.
        """
        if not any(isinstance(row, Mapping) and "poly" in row for row in self.rows):
            return self.column("segmentation")
        return [
            [row["poly"]] if "poly" in row and "segmentation" not in row else self._field(at, "segmentation")
            for at, row in enumerate(self.rows)
        ]

    def scores(self) -> list[float]:
        """The `score` of each result, or `attributes.score`, as CVAT writes it.

        Raises:
            InputError: unless it is a finite number.
        """
        scores = [self._score(at) for at in range(len(self.rows))]
        for at, score in enumerate(scores):
            if isinstance(score, bool) or not isinstance(score, int | float) or not abs(score) <= MOST:
                raise InputError(f"{self.where(at)}: score is {score!r:.80}; give a finite number")
        return scores

    def _score(self, at: int) -> Any:
        row = self.rows[at]
        attributes = row.get("attributes") if isinstance(row, Mapping) and "score" not in row else None
        return (
            attributes["score"]
            if isinstance(attributes, Mapping) and "score" in attributes
            else self._field(at, "score")
        )

    def crowd(self, *names: str) -> list[bool]:
        """Which annotations are crowd regions.

        Args:
            names: fields that say so, the first that an annotation has; default: `iscrowd`.

        Raises:
            InputError: for values other than 0 and 1.
        """
        fields = names or ("iscrowd",)
        flags = []
        for at, row in enumerate(self.rows):
            name = next((name for name in fields if row.get(name) is not None), fields[-1])
            flag = row.get(name) or 0
            if flag not in (0, 1):
                raise InputError(f"{self.where(at)}: {name} is {flag!r}; give 0 or 1")
            flags.append(bool(flag))
        return flags

    def boxes(self) -> npt.NDArray[np.float64]:
        """The box of each entry: x, y, width, height.

        Raises:
            InputError: naming the first entry whose box is malformed.
        """
        column = self.column("bbox")
        try:
            boxes = np.array(column, dtype=np.float64).reshape(len(column), -1)
        except (TypeError, ValueError):
            boxes = np.zeros((0, 0))
        if boxes.shape == (len(column), _BOX) and np.isfinite(boxes).all() and (boxes[:, 2:] >= 0).all():
            return boxes
        for at, box in enumerate(column):
            check_box(self.where(at), box)
        return np.zeros((0, _BOX))

    def area(self, at: int, otherwise: float) -> float:
        """The `area` of an annotation, or `otherwise` if it has none.

        Raises:
            InputError: unless the area is a finite number of at least 0.
        """
        area = self.rows[at].get("area")
        if area is None:
            return otherwise
        if isinstance(area, bool) or not isinstance(area, int | float) or not 0 <= area < np.inf:
            raise InputError(
                f"{self.where(at)}: area is {area!r}; give a number of at least 0, or leave it out"
            )
        return float(area)

    def _field(self, at: int, name: str) -> Any:
        row = self.rows[at]
        if not isinstance(row, Mapping) or name not in row:
            fields = row if isinstance(row, Mapping) else ()
            remedies = [text for (gap, other), text in _REMEDIES.items() if gap == name and other in fields]
            remedies += [_NO_SCORE] if name == "score" else []
            raise InputError(f"{self.where(at)} has no {name!r}{''.join(remedies)}")
        return row[name]


def check_box(where: str, box: Any) -> None:
    """Raise InputError unless `box` is four finite numbers x, y, width >= 0, height >= 0."""
    if (
        not isinstance(box, list)
        or len(box) != _BOX
        or not all(isinstance(side, int | float) for side in box)
    ):
        raise InputError(f"{where}: bbox is {box!r}; give [x, y, width, height]")
    if not all(map(isfinite, box)) or box[2] < 0 or box[3] < 0:
        raise InputError(f"{where}: bbox is {box}; give finite numbers, width and height of at least 0")


def _is_whole(key: Any) -> bool:
    return isinstance(key, float) and key.is_integer()
