"""The images and categories of a COCO file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Self

from thresher.counted import counted
from thresher.datasets._coco_keys import KeyOptions, Reference, ResultKeys, Way, image_places, result_key
from thresher.datasets._coco_lvis import (
    BY_COCO,
    NOTE,
    OPEN_IMAGES,
    LvisLists,
    Protocol,
    check_protocol,
    has_frequency,
    has_lists,
)
from thresher.datasets._coco_rows import CocoList
from thresher.datasets._detection_traps import plain_label
from thresher.datasets._opened import path_of
from thresher.errors import InputError
from thresher.surface import option

LISTS = ("images", "annotations", "categories")
"""What an instances file consists of."""
RESERVED = ("id", "ids", "ground_truths", "predictions")
"""Fields of images that are not columns of the data set."""
_BY_ID = "image_key='id'"
_SHOWN = 5
"""Categories listed in a message."""


@dataclass(frozen=True)
class CocoIndex:
    """The images and categories that objects refer to.

    Attributes:
        images: id, or what names an image in results -> position; ids are in their order.
        sizes: height and width per image, None where a file lacks them.
        categories: id -> position.
        labels: label per category.
        about: further fields of the images with plain values, as columns.
        way: which part of an object names its image.
        class_offset: what is added to the numbers in objects to get those of categories.
        lvis: lists and frequencies of an LVIS file that is read by LVIS's rules.
        choices: what was decided about LVIS or Open Images, one sentence each.
        has_groups: whether annotations may be groups of Open Images.
    """

    images: dict[Any, int]
    sizes: list[tuple[Any, Any]]
    categories: dict[Any, int]
    labels: list[str]
    about: dict[str, list[Any]]
    way: Way = "id"
    class_offset: int = 0
    lvis: LvisLists | None = None
    choices: tuple[str, ...] = ()
    has_groups: bool = False

    @classmethod
    def of(cls, path: Path, images: list[Any], categories: list[Any], protocol: Protocol = "coco") -> Self:
        """Check the lists of images and categories.

        Raises:
            InputError: naming the file and the entry.
        """
        return cls._of(CocoList(path, "images", images), CocoList(path, "categories", categories), protocol)

    @classmethod
    def _of(cls, images: CocoList, categories: CocoList, protocol: Protocol) -> Self:
        order = sorted(images.places_of_ids().items())
        places = categories.places_of_ids()
        labels = [
            _category(categories.where(at), row.get("name"), row["id"])
            for at, row in enumerate(categories.rows)
        ]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InputError(f"{categories.path}: two categories are called {twice!r}; rename one")
        rows = [images.rows[at] for _, at in order]
        is_lvis = has_frequency(categories.rows) or any(map(has_lists, rows))
        check_protocol(protocol, images.path, found=is_lvis)
        lists = None
        if is_lvis and protocol != "coco":
            frequency = [row.get("frequency") for row in categories.rows]
            lists = LvisLists.of(images, places, frequency).ordered([at for _, at in order])
        return cls(
            {key: place for place, (key, _) in enumerate(order)},
            [(row.get("height"), row.get("width")) for row in rows],
            places,
            labels,
            _image_columns(rows),
            lvis=lists,
            choices=_choices(protocol, lists) if is_lvis or protocol == "open-images" else (),
            has_groups=protocol == "open-images",
        )

    @property
    def references(self) -> list[Reference]:
        """Id and `file_name` of each image; only of an index of ground truths."""
        names = self.about.get("file_name") or [None] * len(self.images)
        return list(zip(self.images, names, strict=True))

    @property
    def numbers(self) -> dict[str, int]:
        """Label -> category id, of ids that are numbers."""
        return {self.labels[at]: key for key, at in self.categories.items() if isinstance(key, int)}

    def of_results(self, keys: ResultKeys) -> Self:
        """The images and categories as results name them.

        Labels that the ground truth lacks are added: predictions of them are never correct.
        """
        options, categories, labels = keys.options, self.categories, self.labels
        if options.labels is not None:
            labels = [*dict.fromkeys([*labels, *options.labels.values()])]
            categories = {number: labels.index(label) for number, label in options.labels.items()}
        if options.class_offset:
            numbers = ((key, place) for key, place in categories.items() if isinstance(key, int))
            categories = {key - options.class_offset: place for key, place in numbers}
        images = self.images if keys.way == "id" else image_places(keys.way, self.references)
        return replace(
            self,
            images=images,
            categories=categories,
            labels=labels,
            way=keys.way,
            class_offset=options.class_offset,
            lvis=None,
        )

    def image_places(self, rows: CocoList) -> list[int]:
        """The position of each object's image.

        Raises:
            InputError: naming the first object whose image is unknown.
        """
        if self.way == "id":
            return rows.places("image_id", self.images, "images")
        field = "image_id" if self.way.startswith("id") else "file_name"
        values = rows.keys(field)
        keys = [result_key(self.way, (str(value), str(value))) for value in values]
        places = [self.images.get(key, -1) for key in keys]
        if min(places, default=0) < 0:
            at = next(at for at, place in enumerate(places) if place < 0)
            count = "more than one" if keys[at] in self.images else "none"
            raise InputError(
                f"{rows.where(at)}: {field} {values[at]!r} is the file name of {count} of the images; to "
                f"match them by id, pass {option('--image-key id', _BY_ID)}"
            )
        return places

    def category_places(self, rows: CocoList, *, scored: bool) -> list[int]:
        """The position of each object's category.

        Raises:
            InputError: naming the first object whose category is unknown.
        """
        return rows.places("category_id", self.categories, "categories", self._remedy if scored else None)

    def _remedy(self, key: Any) -> str:
        """What to do about an unknown category of a result."""
        names = sorted((number, self.labels[place]) for number, place in self.categories.items())
        shown = ", ".join(f"{number} ({label})" for number, label in names[:_SHOWN])
        more = f" and {counted(len(names) - _SHOWN, 'other')}" if len(names) > _SHOWN else ""
        step = next((step for step in (1, -1) if type(key) is int and key + step in self.categories), 1)
        offset = self.class_offset + step
        return (
            f", {shown}{more}; for class numbers of a model, pass "
            f"{option('--labels FILE with its labels', 'labels=[...] with its labels')}, or "
            f"{option(f'--class-offset {offset}', f'class_offset={offset}')} if numbering starts elsewhere"
        )


def _choices(protocol: Protocol, lists: LvisLists | None) -> tuple[str, ...]:
    if protocol == "open-images":
        return (OPEN_IMAGES,)
    return (BY_COCO if lists is None else NOTE,)


def _category(where: str, name: Any, key: Any) -> str:
    """Label of a category: its name, or its id if it has none."""
    label = key if name is None else name
    if isinstance(label, bool) or not isinstance(label, str | int) or not str(label).strip():
        raise InputError(f"{where}: name is {name!r}; give a text")
    return str(label)


def _image_columns(rows: list[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """Other fields of the images with plain values, by which a run can be sliced."""
    names = dict.fromkeys(name for row in rows for name in row)
    columns = {name: [row.get(name) for row in rows] for name in names if name not in RESERVED}
    return {
        name: column
        for name, column in columns.items()
        if all(isinstance(entry, str | int | float | None) for entry in column)
    }


def check_lists(path: Path, lists: Collection[str | None]) -> None:
    """Raise InputError unless a file has the lists of an instances file.

    Args:
        path: the file.
        lists: keys of its lists.
    """
    for name in LISTS:
        if name not in lists:
            raise InputError(f"{path} has no list {name!r}; an instances file has {', '.join(LISTS)}")


def results_of(path: Path, content: Any, index: CocoIndex, options: KeyOptions) -> CocoList:
    """The results of a file: a list, or the annotations of a data set, as annotation tools export them.

    Annotations get the `file_name` of their image, by which images are matched if it contradicts their ids.

    Args:
        path: the file.
        content: what it holds.
        index: the images and categories of the ground truth.
        options: the user's choices.

    Raises:
        InputError: for anything else, and for a category that has another name in the ground truth.
    """
    if isinstance(content, list):
        return CocoList(path, "results", content)
    if not isinstance(content, Mapping) or not isinstance(content.get("annotations"), list):
        raise not_results(path)
    if options.labels is None:
        _check_names(path, content.get("categories"), index, options.class_offset)
    images = content.get("images")
    names = {
        row["id"]: row.get("file_name")
        for row in (images if isinstance(images, list) else ())
        if isinstance(row, Mapping) and isinstance(row.get("id"), int | str)
    }
    rows = [
        {"file_name": names[row["image_id"]], **row} if _has_name(row, names) else row
        for row in content["annotations"]
    ]
    return CocoList(path, "annotations", rows)


def _has_name(row: Any, names: Mapping[Any, Any]) -> bool:
    key = row.get("image_id") if isinstance(row, Mapping) else None
    return isinstance(key, int | str) and names.get(key) is not None


def _check_names(path: Path, categories: Any, index: CocoIndex, offset: int) -> None:
    """Raise for a category of predictions that is called otherwise in the ground truth."""
    for row in categories if isinstance(categories, list) else ():
        key, name = (row.get("id"), row.get("name")) if isinstance(row, Mapping) else (None, None)
        key = key + offset if isinstance(key, int) else key
        place = index.categories.get(key) if isinstance(key, int | str) else None
        true = None if place is None else index.labels[place]
        if not isinstance(name, str) or true is None or plain_label(name) == plain_label(true):
            continue
        names = option("--labels FILE with its names", "labels={number: name} with its names")
        raise InputError(
            f"{path}: category {row['id']} is {name!r}, and in the ground truth {true!r}: number the "
            f"categories alike, or match them by name with {names}"
        )


def results_path(predictions: str | Path) -> Path:
    """Return the path of a list of results.

    Raises:
        InputError: for a folder or a table, as predictions of other formats are.
    """
    path = path_of(predictions, "predictions")
    check_is_json(path, f"predictions for a COCO file are {_RESULTS}")
    return path


def check_is_json(path: Path, expected: str) -> None:
    """Raise for a folder or a table where a file of JSON is expected.

    Args:
        path: the file.
        expected: what it is, in a sentence.

    Raises:
        InputError: with the remedy.
    """
    kind, other = "a table", "evaluate the entries of each image in Python"
    if path.is_dir():
        kind, other = "a folder", "give the ground truth in the format of the folder"
    elif path.suffix.lower() not in _TABLES:
        return
    raise InputError(f"{path} is {kind}: {expected}, as JSON; write them so, or {other}")


def not_results(path: Path) -> InputError:
    """The error of a file that is not a list."""
    return InputError(f"{path} is not {_RESULTS}")


_TABLES = frozenset((".csv", ".tsv", ".parquet", ".arrow", ".feather", ".xlsx", ".xml"))
_RESULTS = (
    "a list of results, [{image_id, category_id, score, ...}, ...], or a data set whose annotations have a "
    "score"
)
