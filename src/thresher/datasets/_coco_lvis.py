"""LVIS's files, which have COCO's layout and say which categories each image was checked for."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, Self, get_args

import numpy as np
import numpy.typing as npt

from thresher.counted import counted
from thresher.datasets._coco_rows import CocoList
from thresher.errors import InputError
from thresher.kernels.detection.federated import FREQUENCY_CODES, Federated
from thresher.results import Label, Ragged
from thresher.results.ragged import Int64s

Protocol = Literal["auto", "coco", "lvis", "open-images"]
PROTOCOLS: tuple[Protocol, ...] = get_args(Protocol)
LISTS = ("neg_category_ids", "not_exhaustive_category_ids")
_NONE = np.zeros(0, np.uint8)
_LETTERS = ("r", "c", "f")
"""Rare, common and frequent. Any other `frequency` (a count, say) is a field that the user added."""


@dataclass(frozen=True)
class LvisLists:
    """What LVIS says about images and categories.

    Attributes:
        absent: positions of the categories that are verified to be absent, per image in the order of ids.
        not_exhaustive: those whose objects are not all annotated.
        frequency: code of the frequency of each category.
        lacking: number of images without one of the lists.
    """

    absent: list[list[int]]
    not_exhaustive: list[list[int]]
    frequency: npt.NDArray[np.uint8]
    lacking: int

    @classmethod
    def of(cls, images: CocoList, categories: Mapping[Any, int], frequency: Sequence[Any]) -> Self:
        """Read the lists of images.

        Args:
            images: of the file, or some of them.
            categories: id -> position.
            frequency: of each category.

        Raises:
            InputError: naming the first image with a malformed list.
        """
        lists = [[_places(images, at, name, categories) for at in range(len(images.rows))] for name in LISTS]
        lacking = sum(any(row.get(name) is None for name in LISTS) for row in images.rows)
        return cls(lists[0], lists[1], frequency_codes(frequency), lacking)

    def ordered(self, places: Sequence[int]) -> Self:
        """The lists of the images at some places."""
        first, second = ([column[at] for at in places] for column in (self.absent, self.not_exhaustive))
        return type(self)(first, second, self.frequency, self.lacking)

    def federated(self, labels: Sequence[str], label: Int64s, ignored: npt.NDArray[np.bool_]) -> Federated:
        """The checked labels of the images, and how their objects count.

        Args:
            labels: label of each category.
            label: category of each object.
            ignored: which objects are ignored.
        """
        names = tuple(map(Label.of, labels))
        absent, not_exhaustive = (_ragged(column) for column in (self.absent, self.not_exhaustive))
        return Federated(names, absent, not_exhaustive, self.frequency[label], ignored)

    def notes(self, *, frequencies: bool = True) -> tuple[str, ...]:
        """What may be wrong with the file, one sentence each.

        Args:
            frequencies: whether categories should have one.
        """
        return lvis_notes(self.lacking, len(self.absent), self.frequency if frequencies else _NONE)


def lvis_notes(lacking: int, images: int, frequency: npt.NDArray[np.uint8]) -> tuple[str, ...]:
    """What may be wrong with a file, one sentence each.

    Args:
        lacking: number of images without one of the lists.
        images: number of images.
        frequency: code of each category.
    """
    unknown = int(np.count_nonzero(frequency == 0))
    lists = (
        f"{lacking} of {counted(images, 'image')} lack {' or '.join(LISTS)}: a missing list is read as an "
        "empty one, so predictions of categories without an object there are left out"
    )
    groups = (
        f"{unknown} of {counted(len(frequency), 'category', 'categories')} have no frequency r, c or f and "
        "belong to no group"
    )
    return (*([lists] if lacking else []), *([groups] if unknown else []))


NOTE = "an LVIS file: predictions of categories that were not checked in an image do not count"
BY_COCO = "an LVIS file, read by COCO's rules: predictions of categories that were not checked count as wrong"
"""What the notes of the data set say about LVIS files."""
OPEN_IMAGES = "objects of Open Images: is_group_of, or iscrowd where it is missing, are groups"


def check_protocol(protocol: Protocol, path: Path, *, found: bool) -> None:
    """Raise InputError if the user says that a file is of LVIS, and nothing in it is."""
    if protocol == "lvis" and not found:
        raise InputError(
            f"{path} is not an LVIS file: no image has {' or '.join(LISTS)}, and no category a frequency "
            "r, c or f; use a recipe or metric of COCO"
        )


def frequency_codes(letters: Sequence[Any]) -> npt.NDArray[np.uint8]:
    """Codes of frequencies; 0 for anything else than r, c and f."""
    return np.array([FREQUENCY_CODES[letter] if letter in _LETTERS else 0 for letter in letters], np.uint8)


def has_lists(image: Any) -> bool:
    """Whether an image has a list of LVIS; an empty list means that every category was checked."""
    return isinstance(image, Mapping) and any(isinstance(image.get(name), list) for name in LISTS)


def has_frequency(categories: Collection[Any]) -> bool:
    """Whether a category has a frequency of LVIS."""
    return any(isinstance(row, Mapping) and row.get("frequency") in _LETTERS for row in categories)


def read_ignored(rows: CocoList) -> npt.NDArray[np.bool_]:
    """The field `ignore` of annotations.

    Raises:
        InputError: for values other than 0 and 1.
    """
    flags = [row.get("ignore") or 0 for row in rows.rows]
    for at, flag in enumerate(flags):
        if flag not in (0, 1):
            raise InputError(f"{rows.where(at)}: ignore is {flag!r}; give 0 or 1")
    return np.array(flags, bool)


def _places(images: CocoList, at: int, name: str, categories: Mapping[Any, int]) -> list[int]:
    keys = images.rows[at].get(name)
    if keys is None:
        return []
    if not isinstance(keys, list):
        raise InputError(f"{images.where(at)}: {name} is {keys!r:.80}; give a list of category ids")
    for key in keys:
        if not isinstance(key, int | str) or key not in categories:
            raise InputError(f"{images.where(at)}: {name} has {key!r}, which is none of the categories")
    return sorted({categories[key] for key in keys})


def _ragged(places: list[list[int]]) -> Ragged:
    flat = [place for row in places for place in row]
    return Ragged([len(row) for row in places], {"label": np.array(flat, np.int64)})
