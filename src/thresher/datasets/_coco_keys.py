"""How results of a COCO file refer to its images and categories: by ids, or as training tools write them."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Self, get_args

from thresher.datasets._class_labels import ClassLabels, class_labels
from thresher.errors import InputError
from thresher.results.choices import check_choice
from thresher.surface import given, option

ImageKey = Literal["auto", "id", "file_name"]
IMAGE_KEYS: tuple[ImageKey, ...] = get_args(ImageKey)
Reference = tuple[Any, Any]
"""`image_id` and `file_name`, None if absent."""
Way = Literal["id", "path", "name", "stem", "id_name", "id_stem"]
_BY_NAME: tuple[Way, ...] = ("path", "name", "stem")
_BY_ID: tuple[Way, ...] = ("id_name", "id_stem")
_UNKNOWN, AMBIGUOUS = -1, -2
"""Positions of keys that no image has, or more than one."""
_SAYS: dict[Way, str] = {
    "path": "file_name",
    "name": "file_name without its folder",
    "stem": "file_name without its folder and suffix",
    "id_name": "image_id, read as a file name",
    "id_stem": "image_id, read as a file name without its suffix",
}


@dataclass(frozen=True)
class KeyOptions:
    """The user's choices about results.

    Attributes:
        labels: class number -> label; None if class numbers are category ids.
        class_offset: what is added to `category_id` to get the category id, or the number of a label.
        image_key: how images are matched.
    """

    labels: dict[int, str] | None
    class_offset: int
    image_key: ImageKey

    @classmethod
    def of(cls, labels: ClassLabels | None, class_offset: int, image_key: ImageKey) -> Self:
        """Check the options.

        Raises:
            InputError: for an option of another type.
        """
        check_choice("image_key", image_key, IMAGE_KEYS)
        if type(class_offset) is not int:
            raise InputError(f"{given('class_offset', class_offset)} must be a whole number, such as 1 or -1")
        return cls(None if labels is None else class_labels(labels), class_offset, image_key)

    @property
    def choices(self) -> tuple[str, ...]:
        """One sentence per choice, for the provenance of runs."""
        offset = f"{self.class_offset:+d} was added to category_id of the predictions"
        return (
            *(["the predictions name categories by the numbers of the labels given"] if self.labels else []),
            *([offset] if self.class_offset else []),
            *([f"the predictions name images by {self.image_key}"] if self.image_key != "auto" else []),
        )


@dataclass(frozen=True)
class ResultKeys:
    """How results name images and categories.

    Attributes:
        way: which part of a result names its image.
        options: the user's choices.
        notes: what was inferred, one sentence each.
        choices: what else is known of the file, for the provenance of runs.
    """

    way: Way
    options: KeyOptions
    notes: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()

    @classmethod
    def infer(cls, options: KeyOptions, images: Sequence[Reference], results: Collection[Reference]) -> Self:
        """Infer the way from all images and results.

        Names decide if all results have a `file_name` and one of them contradicts its id or has an unknown
        id. Ids decide otherwise, unless an id is unknown and all are names of files.

        Args:
            options: the user's choices.
            images: of the ground truth.
            results: the distinct references of the results.
        """
        if options.image_key == "id" or not results:
            return cls("id", options)
        places = _Places(images, results)
        is_named = all(name is not None for _, name in results)
        if options.image_key == "file_name":
            ways = (*_BY_NAME, *_BY_ID) if is_named else _BY_ID
            return cls(max(ways, key=places.matched), options)
        return cls._inferred(options, places, is_named=is_named)

    @classmethod
    def _inferred(cls, options: KeyOptions, places: "_Places", *, is_named: bool) -> Self:
        ids = places.by("id")
        way: Way = max(_BY_NAME, key=places.matched) if is_named else "id"
        pairs = zip(places.by(way), ids, strict=True)
        if not any(named >= 0 and named != by_id for named, by_id in pairs):
            unknown = (by_id for by_id in _BY_ID if _UNKNOWN in ids and min(places.by(by_id)) >= 0)
            way = next(unknown, "id")
        if way != "id":
            return cls(way, options, (f"the predictions name images by {_SAYS[way]}, not by id",))
        if min(ids) >= 0 and min(places.by("id_stem")) >= 0 and places.by("id_stem") != ids:
            remedy = option("--image-key file_name", "image_key='file_name'")
            note = (
                "image_id of the predictions is read as an id, but every one is the name of an image file "
                f"too, and not always of the same image; if the tool writes names of files, pass {remedy}"
            )
            return cls("id", options, (note,))
        return cls("id", options)


class _Places:
    """The image that each result has by each way; computed when needed.

    Args:
        images: of the ground truth.
        results: the distinct references of the results.
    """

    def __init__(self, images: Sequence[Reference], results: Collection[Reference]) -> None:
        self._images, self._results = images, results
        self._known: dict[Way, list[int]] = {}

    def by(self, way: Way) -> list[int]:
        """The position of each result's image, or `_UNKNOWN` or `AMBIGUOUS`."""
        if way not in self._known:
            known = image_places(way, self._images)
            self._known[way] = [known.get(result_key(way, entry), _UNKNOWN) for entry in self._results]
        return self._known[way]

    def matched(self, way: Way) -> int:
        """How many references have an image, or more than one."""
        return sum(place != _UNKNOWN for place in self.by(way))


def references(rows: Iterable[Any]) -> set[Reference]:
    """The distinct references of results; malformed ones are left to the checks of their fields."""
    distinct = set()
    for row in rows:
        if isinstance(row, Mapping):
            key, name = row.get("image_id"), row.get("file_name")
            if isinstance(key, float) and key.is_integer():
                key = int(key)
            key = key if isinstance(key, str | int) else None
            distinct.add((key, name if isinstance(name, str) else None))
    return distinct


def image_places(way: Way, images: Iterable[Reference]) -> dict[Any, int]:
    """Key of each image -> its position; `AMBIGUOUS` for a key that two images have."""
    places: dict[Any, int] = {}
    for place, (image_id, name) in enumerate(images):
        if way == "id":
            places[image_id] = place
        elif isinstance(name, str):
            key = name if way == "path" else _last(name)
            key = _stem(key) if way in ("stem", "id_stem") else key
            key = _number(key) if way == "id_stem" else key
            places[key] = AMBIGUOUS if key in places else place
    return places


def result_key(way: Way, entry: Reference) -> Any:
    """The key by which a result names its image."""
    image_id, name = entry
    if way in _BY_NAME:
        key = name if way == "path" else _last(name)
        return _stem(key) if way == "stem" else key
    if way == "id":
        return image_id
    return _number(str(image_id)) if way == "id_stem" else str(image_id)


def _last(name: str) -> str:
    return name.replace("\\", "/").rpartition("/")[2]


def _stem(name: str) -> str:
    return name.rpartition(".")[0] or name


def _number(stem: str) -> str:
    """A stem as tools write it that turn those of digits into integers: `000042` becomes `42`."""
    return (stem.lstrip("0") or "0") if stem.isascii() and stem.isdecimal() else stem
