"""The stage of COCO files: the JSON of their images and objects, sorted by image."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from thresher.datasets._coco_columns import CocoColumns, check_ignore
from thresher.datasets._coco_geometries import IN_COLUMNS, ReadShapes, kind_of
from thresher.datasets._coco_index import RESERVED, CocoIndex, check_lists, not_results
from thresher.datasets._coco_keys import KeyOptions, Reference, ResultKeys, Way, references
from thresher.datasets._coco_lvis import LISTS, LvisLists, has_lists
from thresher.datasets._coco_rows import CocoList
from thresher.datasets.coco import coco_objects
from thresher.datasets.sources.row_ids import Keys
from thresher.datasets.sources.stage import Int64s, Scattered, Stage, whole_column, write_table
from thresher.errors import InputError
from thresher.files.arrow_arrays import array_of_numbers, numpy_of
from thresher.files.json_lists import Entries, read_lists
from thresher.files.parsing import parse_json
from thresher.files.typed_json import UnexpectedFormError, json_objects
from thresher.kernels.detection.columns import DetectionColumns

_IMAGES, _BEGINS = "images", "begins"
"""Tables of images: their entries, and where the objects of each begin in the tables `annotations` and `results`."""
_SIDES = ("annotations", "results")
_REFERENCE = (("image_id", int | str), ("file_name", str | None, None))


@dataclass(frozen=True, kw_only=True)
class CocoStage(Stage):
    """The stage of COCO files: images by position, and the entries of their objects.

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
            InputError: if the stage cannot be read.
        """
        rows = self._parsed(_content(list(self.content.read(_IMAGES, start, stop))), "images")
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
            InputError: naming the entry, for one that `read_coco` refuses; if the stage cannot be read.
        """
        begins = numpy_of(whole_column(list(self.content.read(_BEGINS, start, stop + 1)), _SIDES.index(part)))
        tables = list(self.content.read(part, int(begins[0]), int(begins[-1])))
        content = _content(tables)
        positions = numpy_of(whole_column(tables, 1)) if tables else np.zeros(0, np.int64)
        is_scored = part == "results"
        images = images.of_results(self._keys) if is_scored else images
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

    def _parsed(self, content: bytes, part: str, positions: Sequence[int] | None = None) -> CocoList:
        path = Path(self.files[1 if part == "results" else 0].path)
        return CocoList(path, part, parse_json(content.decode(), path), positions)


def _content(tables: Sequence[pa.Table]) -> bytes:
    """A JSON list of entries, which are staged with a comma after each."""
    parts = []
    for table in tables:
        texts = whole_column([table], 0)
        ends = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
        parts.append(memoryview(texts.buffers()[2])[ends[0] : ends[-1]])
    return b"[%b]" % b"".join(parts)[:-1]


def _entry_texts(texts: Sequence[bytes]) -> pa.Array:
    ends = np.cumsum([0, *(len(text) + 1 for text in texts)])
    content = b",".join([*texts, b""])
    return pa.Array.from_buffers(
        pa.large_binary(), len(texts), [None, pa.py_buffer(ends), pa.py_buffer(content)]
    )


class CocoReading:
    """Reads the ground truth, and the predictions if there are any, into a stage.

    Args:
        folder: the folder of the stage.
        truths: the ground truth.

    Attributes:
        images: id -> position, in the order of the ids.
        about: names of the further columns.
        categories: the list of categories.
        tables: the tables that are written.
        may_repeat_ids: whether annotations may have an id twice.
        with_lists: number of images with a list of LVIS.
        lacking_lists: number of images without one of both.
    """

    def __init__(self, folder: Path, truths: Path) -> None:
        self._folder, self._truths = folder, truths
        self.images: dict[Any, int]
        self.about: list[str]
        self.categories: list[Any] = []
        self.tables: dict[str, list[tuple[str, int]]] = {}
        self.may_repeat_ids = False
        self._references: list[Reference] = []
        self._begins: dict[str, Int64s] = {}
        self.with_lists = self.lacking_lists = 0

    def read_truths(self) -> None:
        """Read the ground truth.

        Raises:
            InputError: if it cannot be used.
        """
        images, seen = _Images(self._truths, self._folder), dict[str | None, None]()
        annotations = _Objects(self._truths, "annotations", self._folder)
        for entries in read_lists(self._truths):
            if entries.key == "images":
                images.add(entries)
            elif entries.key == "categories":
                self.categories += entries.values
            elif entries.key == "annotations":
                annotations.add(entries)
            seen[entries.key] = None
        check_lists(self._truths, seen)
        self.images, self.tables[_IMAGES] = images.finish()
        self.about, self._references = images.about(), images.references()
        self.with_lists, self.lacking_lists = images.with_lists, images.lacking_lists
        self.may_repeat_ids = annotations.may_repeat_ids()
        self.tables["annotations"], self._begins["annotations"] = annotations.finish(self.images)

    def read_results(self, path: Path, options: KeyOptions) -> ResultKeys:
        """Read the predictions; return how they name images and categories.

        Raises:
            InputError: if they cannot be used.
        """
        keys = ResultKeys.infer(options, self._references, result_references(path))
        about = {"file_name": [name for _, name in self._references]}
        index = CocoIndex(self.images, [], {}, [], about).of_results(keys)
        results, is_list = _Objects(path, "results", self._folder, index), False
        for entries in read_lists(path):
            is_list = is_list or entries.key is None
            if is_list:
                results.add(entries)
        if not is_list:
            raise not_results(path)
        self.tables["results"], self._begins["results"] = results.finish(self.images)
        return keys

    def finish(self) -> None:
        """Write where the objects of each image begin."""
        none = np.zeros(len(self.images) + 1, np.int64)
        begins = {part: array_of_numbers(self._begins.get(part, none)) for part in _SIDES}
        self.tables[_BEGINS] = write_table(self._folder, _BEGINS, begins)


def result_references(path: Path) -> set[Reference]:
    """The distinct images to which results refer."""
    distinct: set[Reference] = set()
    for entries in read_lists(path):
        if entries.key is not None:
            continue
        try:
            for block in json_objects(entries.content, _REFERENCE):
                distinct.update((row.image_id, row.file_name) for row in block)
        except UnexpectedFormError:
            distinct |= references(entries.values)
    return distinct


class _Images:
    """The images of a file, which are sorted by id."""

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._rows = path, Scattered(folder, _IMAGES)
        self._keys: list[Any] = []
        self._file_names: list[Any] = []
        self._names: dict[str, tuple[Any, int]] = {}
        self._has_objects: set[str] = set()
        self.with_lists = self.lacking_lists = 0

    def add(self, entries: Entries) -> None:
        """Add images.

        Raises:
            InputError: for an id that cannot be used.
        """
        keys = rows_of(self._path, entries).keys("id")
        numbers = np.arange(len(self._keys), len(self._keys) + len(keys))
        self._rows.add(numbers, pa.record_batch([_entry_texts(entries.texts)], ["entry"]))
        self._keys += keys
        self._file_names += [row.get("file_name") for row in entries.values]
        for key, row in zip(keys, entries.values, strict=True):
            self.with_lists += has_lists(row)
            self.lacking_lists += any(row.get(name) is None for name in LISTS)
            for place, (name, value) in enumerate(row.items()):
                before = self._names.get(name)
                if before is None or type(key) is not type(before[0]) or (key, place) < before:
                    self._names[name] = key, place
                if not isinstance(value, str | int | float | None):
                    self._has_objects.add(name)

    def finish(self) -> tuple[dict[Any, int], list[tuple[str, int]]]:
        """Position of each id in the order of the ids, and the table.

        Raises:
            InputError: if two images share an id, or some ids are texts and some numbers.
        """
        if len({*map(type, self._keys)}) > 1 or len(set(self._keys)) < len(self._keys):
            raise InputError(f"{self._path}: ids of images are repeated, or numbers and texts")
        images = {key: place for place, key in enumerate(sorted(self._keys))}
        places = np.array([images[key] for key in self._keys], np.int64)
        return images, self._rows.finish(len(images), places)[0]

    def references(self) -> list[Reference]:
        """Id and `file_name` of each image, in the order of the ids."""
        names = self._file_names if "file_name" in self.about() else [None] * len(self._keys)
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        return [(self._keys[at], names[at]) for at in order]

    def about(self) -> list[str]:
        """Names of the other fields with plain values, in the order in which they first occur."""
        names = sorted(self._names, key=self._names.__getitem__)
        return [name for name in names if name not in self._has_objects and name not in RESERVED]


class _Objects:
    """Annotations or results, which are sorted by image.

    Args:
        path: the file.
        part: `annotations` or `results`.
        folder: the folder of the stage.
        index: the images, which results may name in several ways; those of annotations may come after them.
    """

    def __init__(self, path: Path, part: str, folder: Path, index: CocoIndex | None = None) -> None:
        self._path, self._part, self._index = path, part, index
        self._rows = Scattered(folder, part)
        self._numbers: dict[Any, int] = {}
        self._ids = Keys() if index is None else None
        self._kinds: set[type] = set()

    def add(self, entries: Entries) -> None:
        """Add entries.

        Raises:
            InputError: for one whose image or id cannot be used.
        """
        owners, keys = self._typed(entries) or self._checked(entries)
        if self._index is None:
            owners = [self._numbers.setdefault(image, len(self._numbers)) for image in owners]
        positions = np.arange(entries.first, entries.first + len(owners))
        columns = [_entry_texts(entries.texts), array_of_numbers(positions)]
        self._rows.add(np.array(owners, np.int64), pa.record_batch(columns, ["entry", "position"]))
        if self._ids is not None:
            self._ids.add_ids([*map(str, keys)])
            self._kinds.update(map(type, keys))

    def _typed(self, entries: Entries) -> tuple[list[int], list[Any]] | None:
        """Images and ids of the entries; None if their checks are needed."""
        fields = (("image_id", int), ("id", int)) if self._index is None else (("image_id", int),)
        if self._index is not None and self._index.way != "id":
            return None
        try:
            rows = [row for block in json_objects(entries.content, fields) for row in block]
            if self._index is None:
                return [row.image_id for row in rows], [row.id for row in rows]
            return [self._index.images[row.image_id] for row in rows], []
        except (UnexpectedFormError, KeyError):
            return None

    def _checked(self, entries: Entries) -> tuple[list[Any], list[Any]]:
        rows = rows_of(self._path, entries, self._part)
        return (
            (rows.keys("image_id"), rows.keys("id"))
            if self._index is None
            else (self._index.image_places(rows), [])
        )

    def finish(self, images: Mapping[Any, int]) -> tuple[list[tuple[str, int]], Int64s]:
        """Write the table; return its files, and where the objects of each image begin.

        Raises:
            InputError: if an object is in none of the images.
        """
        if self._index is not None:
            return self._rows.finish(len(images))
        if not self._numbers.keys() <= images.keys():
            raise InputError(f"{self._path}: {self._part} are in none of the images")
        places = np.array([images[key] for key in self._numbers], np.int64)
        return self._rows.finish(len(images), places)

    def may_repeat_ids(self) -> bool:
        """Whether ids are repeated or of two kinds, which a hash that two ids have is taken for."""
        return self._ids is not None and (bool(self._ids.suspects()) or len(self._kinds) > 1)


def rows_of(path: Path, entries: Entries, part: str | None = None) -> CocoList:
    """Entries of a list as the readers of COCO take them.

    Args:
        path: the file.
        entries: the entries.
        part: name of the list in messages; default: its key.
    """
    positions = range(entries.first, entries.first + len(entries.values))
    return CocoList(path, part or str(entries.key), entries.values, positions)


def lists_named(path: Path, key: str | None, part: str | None = None) -> Iterator[CocoList]:
    """Yield the entries of one list of a file, some at a time."""
    return (rows_of(path, entries, part) for entries in read_lists(path, exact=True) if entries.key == key)
