"""The index of COCO files on disk."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._coco_columns import CocoColumns, check_ignore
from thresher.datasets._coco_geometries import IN_COLUMNS, ReadShapes, kind_of
from thresher.datasets._coco_index import CocoIndex
from thresher.datasets._coco_keys import KeyOptions, ResultKeys, Way
from thresher.datasets._coco_lvis import LvisLists
from thresher.datasets._coco_rows import CocoList
from thresher.datasets.coco import coco_objects
from thresher.datasets.sources.indexed_items import ItemIndex
from thresher.datasets.sources.sorted_entries import positions_of
from thresher.files.building import GrowingFile, Records
from thresher.files.opening import explain_read_errors, open_at
from thresher.files.parsing import parse_json
from thresher.files.typed_json import UnexpectedFormError
from thresher.kernels.detection.columns import DetectionColumns

IMAGES = "images.bin"
"""The entries of the images in the order of the file, with a comma after each."""
_PLACES = "places.bin"
_WIDTH = 6
"""Of each image: the bytes at which its entry begins and ends, and the numbers and bytes of its first true
and its first predicted object. A last record has the ends of both."""
_SIDES = {"annotations": 2, "results": 4}

Int64s = npt.NDArray[np.int64]


@dataclass(frozen=True, kw_only=True)
class StoredCoco(ItemIndex):
    """The index of COCO files: images by position, and the entries of their objects, sorted by image.

    Attributes:
        geometries: as in `read_coco`.
        about: names of the further columns of the images.
        categories: id and label of each category.
        way: which part of a result names its image.
        class_labels: label of each class number; None if class numbers are category ids.
        class_offset: what is added to the category ids of results.
        choices: what the user chose about results, one sentence each.
        notes: what was inferred about results, one sentence each.
        frequencies: that of each category of an LVIS file that is read by LVIS's rules; None for others.
    """

    geometries: ReadShapes
    about: tuple[str, ...] = ()
    categories: tuple[tuple[Any, str], ...] = ()
    way: Way = "id"
    class_labels: tuple[tuple[int, str], ...] | None = None
    class_offset: int = 0
    choices: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    frequencies: tuple[str | None, ...] | None = None

    @property
    def columns(self) -> tuple[str, ...]:
        """Names of the columns."""
        sides = ("ground_truths", "predictions") if self.is_scored else ("ground_truths",)
        return *self.about, *sides

    @property
    def is_scored(self) -> bool:
        """Whether predictions were given."""
        return len(self.files) > 1

    def images(self, start: int, stop: int) -> CocoIndex:
        """The images `[start:stop]`, and all categories.

        Raises:
            InputError: if the index cannot be read.
        """
        content = self._entries(IMAGES, self._places(start, stop)[:-1, :2])
        rows = self._parsed(content, "images")
        places = {key: place for place, (key, _) in enumerate(self.categories)}
        lists = None if self.frequencies is None else LvisLists.of(rows, places, self.frequencies)
        return CocoIndex(
            {key: place for place, key in enumerate(rows.keys("id"))},
            [(row.get("height"), row.get("width")) for row in rows.rows],
            places,
            [label for _, label in self.categories],
            {name: [row.get(name) for row in rows.rows] for name in self.about},
            lvis=lists,
        )

    def objects(self, part: str, images: CocoIndex, start: int, stop: int) -> DetectionColumns:
        """The objects of the images `[start:stop]`.

        Args:
            part: `annotations` or `results`.
            images: these images.
            start: position of the first image.
            stop: position after the last one.

        Raises:
            InputError: naming the entry, for one that `read_coco` refuses; if the index cannot be read.
        """
        side = _SIDES[part]
        ends = self._places(start, stop)[[0, -1], side : side + 2]
        images = images.of_results(self._keys) if part == "results" else images
        content = self._entries(f"{part}.bin", ends[:, 1].reshape(1, 2))
        positions = Records(positions_of(self.folder / f"{part}.bin"), 1).read(*ends[:, 0].tolist())[:, 0]
        is_scored = part == "results"
        if self.geometries in IN_COLUMNS:
            with suppress(UnexpectedFormError):
                check_ignore(content, images)
                columns = CocoColumns.of(content, scored=is_scored, **kind_of(self.geometries))
                return columns.objects(images, positions)
        rows = self._parsed(content, part, positions.tolist())
        return coco_objects(images, rows, self.geometries, scored=is_scored)

    @property
    def _keys(self) -> ResultKeys:
        labels = None if self.class_labels is None else dict(self.class_labels)
        return ResultKeys(self.way, KeyOptions(labels, self.class_offset, "auto"))

    def _places(self, start: int, stop: int) -> Int64s:
        with explain_read_errors(self.folder):
            return Records(self.folder / _PLACES, _WIDTH).read(start, stop + 1)

    def _entries(self, name: str, places: Int64s) -> bytes:
        """A JSON list of the entries in these ranges of a file; neighbours are read together."""
        path = self.folder / name
        breaks = np.flatnonzero(places[1:, 0] != places[:-1, 1]) + 1
        parts = []
        with explain_read_errors(path), open_at(path, 0) as file:
            for group in np.split(places, breaks) if len(places) else ():
                file.seek(int(group[0, 0]))
                parts.append(file.read(int(group[-1, 1] - group[0, 0])))
        return b"[%b]" % b"".join(parts)[:-1]

    def _parsed(self, content: bytes, part: str, positions: Sequence[int] | None = None) -> CocoList:
        path = Path(self.files[1 if part == "results" else 0].path)
        return CocoList(path, part, parse_json(content.decode(), path), positions)


def write_places(folder: Path, images: Int64s, sides: Mapping[str, Int64s]) -> None:
    """Write where images and objects are.

    Args:
        folder: the folder of the index.
        images: where the entry of each image begins and ends.
        sides: of `annotations` and `results` where the objects of each image start, and where the last end.

    Raises:
        InputError: if they cannot be written.
        DiskFullError: if the disk is full.
    """
    last = np.zeros((1, 2), np.int64)
    none = np.zeros((len(images) + 1, 2), np.int64)
    columns = [np.concatenate([images, last]), *(sides.get(part, none) for part in _SIDES)]
    file = GrowingFile(folder / _PLACES)
    file.append(np.concatenate(columns, axis=1).tobytes())
    file.flush()
