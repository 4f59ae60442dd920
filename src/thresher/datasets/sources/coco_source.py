"""COCO files that are read by image."""

from codecs import BOM_UTF8
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from thresher.datasets._class_labels import ClassLabels
from thresher.datasets._coco_geometries import IN_COLUMNS, Geometries, ReadShapes, shapes_of
from thresher.datasets._coco_index import CocoIndex, results_path
from thresher.datasets._coco_keys import ImageKey, KeyOptions
from thresher.datasets._coco_lvis import (
    BY_COCO,
    NOTE,
    PROTOCOLS,
    Protocol,
    check_protocol,
    frequency_codes,
    has_frequency,
    lvis_notes,
)
from thresher.datasets._detection_traps import ReadScores, overlap_note
from thresher.datasets._hierarchies import Hierarchy
from thresher.datasets._objects import detection_dataset
from thresher.datasets._opened import explained, path_of, warn_of
from thresher.datasets.coco import read_coco, read_columns, shift_remedy
from thresher.datasets.dataset import Dataset
from thresher.datasets.fingerprints import FINGERPRINT_ROWS, BlockHashes
from thresher.datasets.read import check_options
from thresher.datasets.sources import opening
from thresher.datasets.sources.coco_problems import refuse_coco
from thresher.datasets.sources.coco_stage import CocoReading, CocoStage
from thresher.datasets.sources.source import Source
from thresher.datasets.sources.stage import StagedFrom, StagedSource, open_stage
from thresher.datasets.texts import check_texts, refuse_texts
from thresher.errors import InputError
from thresher.files.json_lists import RepeatedKeyError
from thresher.files.opening import open_binary
from thresher.files.stores import Store
from thresher.files.typed_json import UnexpectedFormError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.mismatch import FIRST_IMAGES
from thresher.results.choices import check_choice

_HEAD = 1024
_COLUMNS, _MASKS = 100, 200
"""Files of up to this many times `opening.SMALL` are read whole if they can be read as columns. That takes
2 s and 240 MB for boxes in files of 100 MB, and a stage twice as long; masks take five times the file."""


@explained
def open_coco(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    geometries: Geometries | None = None,
    labels: ClassLabels | None = None,
    class_offset: int = 0,
    image_key: ImageKey = "auto",
    protocol: Protocol = "auto",
    hierarchy: Hierarchy | None = None,
    expand_predictions: bool = False,
    name: str | None = None,
    limit: int | None = None,
    index: Store | None = None,
) -> Source:
    """Open images with true and predicted objects, to be read by image.

    The items are those of `read_coco`, with equal ids, columns and fingerprint. The files are read once, and
    their entries are written to the stage, sorted by image. A reading of the stage makes the fingerprint, and
    checks all entries, so that all errors are raised here.

    That needs memory for a megabyte of JSON and its objects, 16 MB of entries while they are sorted, the
    objects of 1,000 images, 4 bytes per object and some 900 bytes per image. Small files are read whole, boxes
    and keypoints in uncompressed files of up to 100 MB, and masks in those of up to 200 MB.

    Args:
        ground_truths: as in `read_coco`; so are `predictions` and `geometries`.
        predictions: a list of results.
        geometries: what is read of each object.
        labels: label of each class number of the predictions.
        class_offset: what is added to `category_id` of the predictions.
        image_key: how predictions name images.
        protocol: whether to use the lists of LVIS; files with groups of Open Images are read whole.
        hierarchy: the broader labels of labels.
        expand_predictions: whether to repeat predictions for them, too.
        name: name of the data set; default: the name of the ground-truth file.
        limit: use the first images only; all entries are checked.
        index: where a stage that was kept is looked for; default: nowhere.

    Raises:
        InputError: as `read_coco`; for texts that cannot be written as UTF-8.

    Warns:
        DataWarning: as `read_coco`.
    """
    shapes = shapes_of(geometries)
    check_choice("protocol", protocol, PROTOCOLS)
    check_options(name, limit, "missing", None)
    truths = path_of(ground_truths, "the ground truth")
    paths = [truths] if predictions is None else [truths, results_path(predictions)]
    keys = KeyOptions.of(labels, class_offset, image_key)
    if (size := _size(paths)) > opening.SMALL and protocol != "open-images" and not _is_data_set(paths):
        large = _LargeFiles(paths, shapes, keys, protocol, name or truths.stem, limit)
        with suppress(UnexpectedFormError):
            if large.fit_columns(size):
                return large.columns()
        with suppress(RepeatedKeyError):
            return large.staged(index)
    data = read_coco(
        *paths,
        geometries=geometries,
        labels=labels,
        class_offset=class_offset,
        image_key=image_key,
        protocol=protocol,
        hierarchy=hierarchy,
        expand_predictions=expand_predictions,
        name=name,
    )
    return _first(data, limit)


@dataclass(frozen=True)
class _LargeFiles:
    """The files of the ground truth and of the results, if there are any, and how they are read."""

    paths: list[Path]
    geometries: ReadShapes
    keys: KeyOptions
    protocol: Protocol
    name: str
    limit: int | None

    def fit_columns(self, size: int) -> bool:
        packed = ".gz" in {path.suffix for path in self.paths}
        most = (_MASKS if self.geometries == "masks" else _COLUMNS) * opening.SMALL
        return self.geometries in IN_COLUMNS and size <= most and not packed

    def columns(self) -> Dataset:
        truths, results = self.paths[0], next(iter(self.paths[1:]), None)
        how: dict[str, Any] = {"geometries": self.geometries, "protocol": self.protocol, "name": self.name}
        return _first(read_columns(truths, results, self.keys, **how), self.limit)

    def staged(self, index: Store | None) -> Source:
        options = {"format": "coco", "geometries": self.geometries, "limit": self.limit, **asdict(self.keys)}
        options["protocol"] = self.protocol
        stored, temporary = open_stage(CocoStage, self.paths, options, self._build, index)
        warn_of(stored.notes)
        return CocoSource(replace(stored, name=self.name), temporary=temporary)

    def _build(self, folder: Path, files: tuple[StagedFrom, ...]) -> CocoStage:
        begun = CocoStage(
            location=str(folder),
            tables={},
            name=self.name,
            files=files,
            geometries=self.geometries,
            class_labels=None if self.keys.labels is None else tuple(self.keys.labels.items()),
            class_offset=self.keys.class_offset,
            choices=self.keys.choices if len(self.paths) > 1 else (),
        )
        return _staged(begun, self.limit, self.keys, self.protocol)


def _first(data: Dataset, limit: int | None) -> Dataset:
    return data if limit is None else data.head(limit)


class CocoSource(StagedSource[CocoStage]):
    """Images in COCO files; a chunk of images is read without the others."""

    @property
    def notes(self) -> tuple[str, ...]:
        """How images and labels were matched, and signs of mistakes, one sentence each."""
        return *self._stage.choices, *self._stage.notes

    def slice(self, start: int, stop: int, /) -> Dataset:
        """The items `[start:stop]`, with the meaning of Python's slices.

        Raises:
            InputError: if the stage cannot be read.
        """
        items = range(len(self))[start:stop]
        return _images(self._stage, items.start, max(items.start, items.stop))


def _images(stage: CocoStage, start: int, stop: int) -> Dataset:
    images = stage.images(start, stop)
    truths = stage.objects("annotations", images, start, stop)
    predicted = stage.objects("results", images, start, stop) if stage.is_scored else None
    return detection_dataset(
        [str(image) for image in images.images], truths, predicted, stage.name, images.about
    )


def _is_data_set(paths: list[Path]) -> bool:
    """Whether predictions are a data set, which is read whole, and no list of results."""
    if len(paths) == 1:
        return False
    with open_binary(paths[1]) as file:
        return file.read(_HEAD).removeprefix(BOM_UTF8).lstrip().startswith(b"{")


def _size(paths: list[Path]) -> int:
    """Bytes of the files together; -1 unless all are files."""
    try:
        return sum(path.stat().st_size for path in paths) if all(path.is_file() for path in paths) else -1
    except (OSError, ValueError):  # too long for a path, or with a null character
        return -1


def _staged(stage: CocoStage, limit: int | None, options: KeyOptions, protocol: Protocol) -> CocoStage:
    """Make and write the stage."""
    truths, *predictions = (Path(file.path) for file in stage.files)
    reading = CocoReading(Path(stage.location), truths)

    def refuse() -> None:
        refuse_coco(truths, next(iter(predictions), None), stage.geometries, options, protocol=protocol)

    try:
        reading.read_truths()
        if reading.may_repeat_ids:
            refuse()
        for path in predictions:
            keys = reading.read_results(path, options)
            stage = replace(stage, way=keys.way, notes=keys.notes)
        reading.finish()
        stage = replace(stage, tables=reading.tables)
        built, has_bad_texts = _checked(
            _with_categories(stage, reading, protocol), len(reading.images), limit
        )
    except InputError:
        refuse()
        raise
    if has_bad_texts:
        refuse_texts(CocoSource(built))
    built.write()
    return built


def _with_categories(stage: CocoStage, reading: CocoReading, protocol: Protocol) -> CocoStage:
    """The stage with the names of the further columns, the categories, and what LVIS says about them."""
    path = Path(stage.files[0].path)
    known = CocoIndex.of(path, [], reading.categories)
    categories = tuple(zip(known.categories, known.labels, strict=True))
    stage = replace(stage, about=tuple(reading.about), categories=categories)
    is_lvis = has_frequency(reading.categories) or reading.with_lists > 0
    check_protocol(protocol, path, found=is_lvis)
    if not is_lvis or protocol == "coco":
        return replace(stage, choices=(*([BY_COCO] if is_lvis else []), *stage.choices))
    letters = [row.get("frequency") for row in reading.categories]
    notes = lvis_notes(reading.lacking_lists, len(reading.images), frequency_codes(letters))
    return replace(
        stage,
        frequencies=tuple(letter if isinstance(letter, str) else None for letter in letters),
        choices=(NOTE, *stage.choices),
        notes=(*notes, *stage.notes),
    )


def _checked(stage: CocoStage, images: int, limit: int | None) -> tuple[CocoStage, bool]:
    """The stage with size, fingerprint and notes, and whether a text cannot be written as UTF-8.

    Raises:
        InputError: for an entry that cannot be used.
    """
    size = images if limit is None else min(limit, images)
    hashes, scores, has_bad_texts = BlockHashes(), ReadScores(), False
    for start in range(0, images, FINGERPRINT_ROWS):
        whole = _images(stage, start, min(start + FINGERPRINT_ROWS, images))
        if stage.is_scored:
            scores.add(DetectionColumns.of(whole.columns["predictions"]))
        block = whole.head(max(0, size - start))
        hashes.add_columns(block.columns)
        hashes.add_ids(block.ids)
        has_bad_texts = has_bad_texts or _has_bad_texts(block)
    notes = (*stage.notes, *_overlap(stage, images), *scores.notes())
    fingerprint = hashes.fingerprint(stage.columns, size)
    return replace(stage, size=size, fingerprint=fingerprint, notes=notes), has_bad_texts


def _overlap(stage: CocoStage, images: int) -> list[str]:
    """A sentence if predictions overlap nothing, or their class numbers seem shifted by one."""
    if not stage.is_scored:
        return []
    first = _images(stage, 0, min(FIRST_IMAGES, images))
    truths, predicted = (
        DetectionColumns.of(first.columns[name]) for name in ("ground_truths", "predictions")
    )
    numbers = {label: key for key, label in stage.categories if isinstance(key, int)}
    note = overlap_note(truths, predicted, numbers, shift_remedy())
    return [] if note is None else [note]


def _has_bad_texts(items: Dataset) -> bool:
    """Whether `refuse_texts` is needed, which names the item that comes first in all of the data."""
    try:
        check_texts(items)
    except InputError:
        return True
    return False
