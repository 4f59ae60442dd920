"""The images and categories of a COCO file."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from thresher.datasets._coco_protocols import refuse_lvis
from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError

LISTS = ("images", "annotations", "categories")
"""What an instances file consists of."""
RESERVED = ("id", "ids", "ground_truths", "predictions")
"""Fields of images that are not columns of the data set."""


@dataclass(frozen=True)
class CocoIndex:
    """The images and categories that objects refer to.

    Attributes:
        images: id -> position, in the order of the ids.
        sizes: height and width per image, None where a file lacks them.
        categories: id -> position.
        labels: label per category.
        about: further fields of the images with plain values, as columns.
    """

    images: dict[Any, int]
    sizes: list[tuple[Any, Any]]
    categories: dict[Any, int]
    labels: list[str]
    about: dict[str, list[Any]]

    @classmethod
    def of(cls, path: Path, images: list[Any], categories: list[Any]) -> Self:
        """Check the lists of images and categories.

        Raises:
            InputError: naming the file and the entry.
        """
        return cls._of(CocoList(path, "images", images), CocoList(path, "categories", categories))

    @classmethod
    def _of(cls, images: CocoList, categories: CocoList) -> Self:
        order = sorted(images.places_of_ids().items())
        places = categories.places_of_ids()
        refuse_lvis(images, categories)
        labels = [
            _category(categories.where(at), row.get("name"), row["id"])
            for at, row in enumerate(categories.rows)
        ]
        twice = next((label for label in labels if labels.count(label) > 1), None)
        if twice is not None:
            raise InputError(f"{categories.path}: two categories are called {twice!r}; rename one")
        rows = [images.rows[at] for _, at in order]
        return cls(
            {key: place for place, (key, _) in enumerate(order)},
            [(row.get("height"), row.get("width")) for row in rows],
            places,
            labels,
            _image_columns(rows),
        )


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


def not_results(path: Path) -> InputError:
    """The error of a file that is not a list."""
    return InputError(f"{path} is not a list of results: [{{image_id, category_id, score, ...}}, ...]")
