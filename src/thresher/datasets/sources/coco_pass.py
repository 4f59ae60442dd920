"""The reading of COCO files that sorts their objects by image."""

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from thresher.datasets._coco_index import RESERVED, CocoIndex, check_lists, not_results
from thresher.datasets._coco_keys import KeyOptions, Reference, ResultKeys, references
from thresher.datasets._coco_lvis import LISTS, has_lists
from thresher.datasets._coco_rows import CocoList
from thresher.datasets.sources.coco_index import IMAGES, Int64s
from thresher.datasets.sources.row_ids import GivenIds
from thresher.datasets.sources.sorted_entries import SortedEntries
from thresher.errors import InputError
from thresher.files.building import GrowingFile
from thresher.files.json_lists import Entries, read_lists
from thresher.files.typed_json import UnexpectedFormError, json_objects

_REFERENCE = (("image_id", int | str), ("file_name", str | None, None))


class ImageEntries:
    """The images of a file; their entries are written to a file.

    Args:
        path: the file that holds them.
        folder: the folder of the index.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self._path, self._file = path, GrowingFile(folder / IMAGES)
        self._keys: list[Any] = []
        self._file_names: list[Any] = []
        self._ends = array("q", [0])
        self._names: dict[str, tuple[Any, int]] = {}
        self._has_objects: set[str] = set()
        self.with_lists = self.lacking_lists = 0

    def add(self, entries: Entries) -> None:
        """Add images.

        Raises:
            InputError: for an id that cannot be used.
        """
        keys = rows_of(self._path, entries).keys("id")
        self._keys += keys
        self._file_names += [row.get("file_name") for row in entries.values]
        for key, text, row in zip(keys, entries.texts, entries.values, strict=True):
            self.with_lists += has_lists(row)
            self.lacking_lists += any(row.get(name) is None for name in LISTS)
            self._file.append(text + b",")
            self._ends.append(self._file.size)
            for place, (name, value) in enumerate(row.items()):
                before = self._names.get(name)
                if before is None or type(key) is not type(before[0]) or (key, place) < before:
                    self._names[name] = key, place
                if not isinstance(value, str | int | float | None):
                    self._has_objects.add(name)

    def finish(self) -> tuple[dict[Any, int], Int64s]:
        """Position of each id in the order of the ids, and where their entries begin and end.

        Raises:
            InputError: if two images share an id, or some ids are texts and some numbers.
        """
        self._file.flush()
        if len({*map(type, self._keys)}) > 1 or len(set(self._keys)) < len(self._keys):
            raise InputError(f"{self._path}: ids of images are repeated, or numbers and texts")
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        ends = np.array(self._ends)
        images = {self._keys[at]: place for place, at in enumerate(order)}
        return images, np.stack([ends[:-1][order], ends[1:][order]], axis=1)

    def references(self) -> list[Reference]:
        """Id and `file_name` of each image, in the order of the ids."""
        names = self._file_names if "file_name" in self.about() else [None] * len(self._keys)
        order = sorted(range(len(self._keys)), key=self._keys.__getitem__)
        return [(self._keys[at], names[at]) for at in order]

    def about(self) -> list[str]:
        """Names of the other fields with plain values, in the order in which they first occur."""
        names = sorted(self._names, key=self._names.__getitem__)
        return [name for name in names if name not in self._has_objects and name not in RESERVED]


class CocoPass:
    """Reads the ground truth, and the predictions if there are any.

    Args:
        folder: the folder of the index.
        truths: the ground truth.

    Attributes:
        images: id -> position, in the order of the ids.
        places: where the entry of each image begins and ends.
        about: names of the further columns.
        categories: the list of categories.
        sides: of `annotations` and `results` where the objects of each image start.
        may_repeat_ids: whether annotations may have an id twice.
        references: id and `file_name` of each image.
        with_lists: number of images with a list of LVIS.
        lacking_lists: number of images without one of both.
    """

    def __init__(self, folder: Path, truths: Path) -> None:
        self._folder, self._truths = folder, truths
        self.images: dict[Any, int]
        self.places: Int64s
        self.about: list[str]
        self.categories: list[Any] = []
        self.sides: dict[str, Int64s] = {}
        self.may_repeat_ids = False
        self.references: list[Reference] = []
        self.with_lists = self.lacking_lists = 0

    def read_truths(self) -> None:
        """Read the ground truth; twice if its annotations come before its images.

        Raises:
            InputError: if it cannot be used.
        """
        images, seen = ImageEntries(self._truths, self._folder), dict[str | None, None]()
        annotations: _Objects | None = None
        for entries in read_lists(self._truths):
            if entries.key == "images":
                images.add(entries)
            elif entries.key == "categories":
                self.categories += entries.values
            elif entries.key == "annotations" and "images" in seen:
                if annotations is None:
                    self._finish_images(images)
                    annotations = self._objects(self._truths, "annotations")
                annotations.add(entries)
            seen[entries.key] = None
        check_lists(self._truths, seen)
        if annotations is None:
            self._finish_images(images)
            annotations = self._objects(self._truths, "annotations")
            for entries in read_lists(self._truths):
                if entries.key == "annotations":
                    annotations.add(entries)
        self.sides["annotations"] = annotations.finish()
        self.may_repeat_ids = annotations.may_repeat_ids()

    def read_results(self, path: Path, options: KeyOptions) -> ResultKeys:
        """Read the predictions; return how they name images and categories.

        Raises:
            InputError: if they cannot be used.
        """
        keys = ResultKeys.infer(options, self.references, result_references(path))
        results, is_list = self._objects(path, "results", keys), False
        for entries in read_lists(path):
            is_list = is_list or entries.key is None
            if is_list:
                results.add(entries)
        if not is_list:
            raise not_results(path)
        self.sides["results"] = results.finish()
        return keys

    def _finish_images(self, images: ImageEntries) -> None:
        self.images, self.places = images.finish()
        self.about, self.references = images.about(), images.references()
        self.with_lists, self.lacking_lists = images.with_lists, images.lacking_lists

    def _objects(self, path: Path, part: str, keys: ResultKeys | None = None) -> "_Objects":
        about = {"file_name": [name for _, name in self.references]}
        index = CocoIndex(self.images, [], {}, [], about)
        named = index if keys is None else index.of_results(keys)
        return _Objects(path, part, named, len(self.images), self._folder)


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


class _Objects:
    """Annotations or results, which are sorted by image."""

    def __init__(self, path: Path, part: str, index: CocoIndex, images: int, folder: Path) -> None:
        self._path, self._part, self._index = path, part, index
        self._sorted = SortedEntries(folder / f"{part}.bin", images, path.stat().st_size)
        self._ids = GivenIds(folder) if part == "annotations" else None
        self._kinds: set[type] = set()

    def add(self, entries: Entries) -> None:
        owners, keys = self._typed(entries) or self._checked(entries)
        self._sorted.add(owners, entries.first, entries.texts)
        if self._ids is not None:
            self._ids.add([*map(str, keys)])
            self._kinds.update(map(type, keys))

    def _typed(self, entries: Entries) -> tuple[list[int], list[Any]] | None:
        """Images and ids of the entries; None if their checks are needed."""
        if self._index.way != "id":
            return None
        fields = (("image_id", int), ("id", int)) if self._ids is not None else (("image_id", int),)
        try:
            rows = [row for block in json_objects(entries.content, fields) for row in block]
            keys = [] if self._ids is None else [row.id for row in rows]
            return [self._index.images[row.image_id] for row in rows], keys
        except (UnexpectedFormError, KeyError):
            return None

    def _checked(self, entries: Entries) -> tuple[list[int], list[Any]]:
        rows = rows_of(self._path, entries, self._part)
        keys = [] if self._ids is None else rows.keys("id")
        return self._index.image_places(rows), keys

    def finish(self) -> Int64s:
        return self._sorted.finish()

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
