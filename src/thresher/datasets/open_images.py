"""Open Images: CSV files of boxes, image-level labels and predictions, and a hierarchy of labels."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from thresher.counted import counted
from thresher.datasets._detection_traps import trap_notes
from thresher.datasets._hierarchies import (
    Hierarchy,
    chosen_hierarchy,
    expanded_truths,
    unpredicted_note,
)
from thresher.datasets._objects import detection_dataset
from thresher.datasets._open_images_csv import (
    CONFIDENCE,
    EDGES,
    GROUP,
    IMAGE,
    LABEL,
    CsvTable,
    Floats,
    read_names,
)
from thresher.datasets._opened import explained, path_of
from thresher.datasets.dataset import Dataset
from thresher.errors import InputError
from thresher.kernels.detection.columns import DetectionColumns
from thresher.kernels.detection.federated import Federated
from thresher.kernels.detection.label_hierarchy import LabelHierarchy
from thresher.results import Label, Ragged
from thresher.results.labels import Vocabulary, encode, vocabulary_of
from thresher.results.ragged import Int64s
from thresher.surface import parameter

_BOXES = (IMAGE, LABEL, *EDGES)
_ALL_CHECKED = "no image-level labels: predictions of every label count, also of those that were not verified"
_NO_GROUPS = "has no column IsGroupOf, so no box is a group"


@explained
def read_open_images(
    ground_truths: str | Path,
    predictions: str | Path | None = None,
    *,
    image_labels: str | Path | None = None,
    hierarchy: Hierarchy | None = None,
    class_descriptions: str | Path | None = None,
    expand_predictions: bool = False,
    sizes: Mapping[str, Sequence[int]] | None = None,
    name: str | None = None,
) -> Dataset:
    """Read images in the order of their ids, with their true and predicted boxes.

    Boxes around groups (`IsGroupOf`) are crowd regions, as `DetectionOpenImagesEvaluator` reads them.

    Args:
        ground_truths: CSV file of boxes: `ImageID`, `LabelName`, `XMin`, `XMax`, `YMin`, `YMax`, `IsGroupOf`;
            further columns are not read. Coordinates are shares of the image's width and height.
        predictions: CSV file of the same columns and `Score` (or `Confidence`) instead of `IsGroupOf`.
        image_labels: CSV file of the labels that people verified in images: `ImageID`, `LabelName`, and
            `Confidence` 1 (present) or 0 (absent). Its images without boxes belong to the data set.
            Predictions of labels that were neither verified nor annotated in their image do not count;
            without the file, all count.
        hierarchy: JSON file of Open Images' hierarchy (`LabelName`, `Subcategory`), or of the broader label
            of each label; a dict of the latter, or a `LabelHierarchy`. True boxes are repeated for each
            broader label, verified labels are completed: present ones by broader, absent ones by narrower
            labels.
        class_descriptions: CSV file of labels and their names, which replace `LabelName` everywhere.
        expand_predictions: whether to repeat predictions for each broader label, too.
        sizes: image id -> width and height in pixels. By default coordinates stay shares: overlaps of boxes
            are the same, but areas are unknown, so COCO's values of small, medium and large objects are
            undefined.
        name: name of the data set; default: the name of the ground-truth file.

    Returns:
        A data set with the columns `ground_truths` and `predictions`; ids are the image ids.

    Raises:
        InputError: naming the file and the line, for anything malformed; for predictions of images that the
            ground truth lacks, unless `image_labels` says that nothing was verified in them.

    Warns:
        DataWarning: for predictions that are left out with their images, true boxes given as predictions, and
            a file of true boxes without `IsGroupOf`.
    """
    path = path_of(ground_truths, "the ground truth")
    names = {} if class_descriptions is None else read_names(path_of(class_descriptions))
    tree = chosen_hierarchy(hierarchy, names, expand_predictions=expand_predictions)
    boxes = CsvTable.read(path, _BOXES)
    verified = None if image_labels is None else _Verified.read(path_of(image_labels), names)
    images = sorted({*boxes.columns[IMAGE], *(verified.images if verified else ())})
    reading = _Reading({image: at for at, image in enumerate(images)}, names, sizes)
    truths = reading.objects(boxes, scored=False)
    truths = truths if tree is None else expanded_truths(tree, truths)
    if verified is not None:
        truths = replace(truths, federated=verified.federated(images, truths, tree))
    notes = [] if GROUP in boxes.columns else [f"{path} {_NO_GROUPS}"]
    predicted = None
    if predictions is not None:
        table = CsvTable.read(path_of(predictions, "predictions"), _BOXES)
        table, left_out = reading.of_known_images(table, may_leave_out=verified is not None)
        predicted = reading.objects(table, scored=True)
        predicted = tree.expanded(predicted) if tree is not None and expand_predictions else predicted
        suspicious = table.note_on_scores() or (tree and unpredicted_note(tree, truths, predicted))
        notes += [*left_out, *([suspicious] if suspicious else []), *trap_notes(truths, predicted)]
    choices = () if verified is not None else (_ALL_CHECKED,)
    title = name or path.stem
    return detection_dataset(images, truths, predicted, title, choices=choices, notes=notes)


@dataclass(frozen=True)
class _Reading:
    """How rows become objects: the place of each image, names of labels, and sizes of images."""

    places: Mapping[str, int]
    names: Mapping[str, str]
    sizes: Mapping[str, Sequence[int]] | None

    def objects(self, table: CsvTable, *, scored: bool) -> DetectionColumns:
        """The boxes of a table."""
        vocabulary, codes = _coded(table.labels(self.names))
        objects = DetectionColumns.from_arrays(
            [self.places[image] for image in table.columns[IMAGE]],
            codes,
            table.boxes(self._sizes(table)),
            table.scores() if scored else None,
            size=len(self.places),
            labels=vocabulary,
            crowd=None if scored else table.groups(),
        )
        return objects.without_areas() if self.sizes is None else objects

    def of_known_images(self, table: CsvTable, *, may_leave_out: bool) -> tuple[CsvTable, list[str]]:
        """The predictions of images of the ground truth, and a note on the others.

        Raises:
            InputError: for others that may not be left out, or if there are no others.
        """
        known = [image in self.places for image in table.columns[IMAGE]]
        if all(known):
            return table, []
        if not (may_leave_out and any(known)):
            remedy = f"give images without boxes by {parameter('image_labels')}, or remove these predictions"
            table.check(IMAGE, known, f"no box{' and no label' if may_leave_out else ''} is of it; {remedy}")
        kept = [at for at, is_known in enumerate(known) if is_known]
        columns = {name: [cells[at] for at in kept] for name, cells in table.columns.items()}
        others = len(
            {image for image, is_known in zip(table.columns[IMAGE], known, strict=True) if not is_known}
        )
        note = (
            f"{table.path}: {counted(len(known) - len(kept), 'prediction is', 'predictions are')} left out: "
            f"nothing was annotated or verified in their {counted(others, 'image')}"
        )
        return CsvTable(table.path, columns, [table.lines[at] for at in kept]), [note]

    def _sizes(self, table: CsvTable) -> Floats:
        """Width and height of each row's image; 1 without sizes."""
        images = table.columns[IMAGE]
        if self.sizes is None:
            return np.ones((len(images), 2))
        for image in dict.fromkeys(images):
            if image not in self.sizes:
                raise InputError(f"no size known for image {image}; add it to sizes (the folder of --images)")
        return np.array([self.sizes[image] for image in images], np.float64).reshape(-1, 2)


@dataclass(frozen=True)
class _Verified:
    """Labels that people verified to be present or absent, per image."""

    present: Mapping[str, set[str]]
    absent: Mapping[str, set[str]]
    images: Sequence[str]

    @classmethod
    def read(cls, path: Path, names: Mapping[str, str]) -> "_Verified":
        """Read the file of image-level labels."""
        table = CsvTable.read(path, (IMAGE, LABEL, CONFIDENCE))
        confidence = table.numbers(CONFIDENCE)
        remedy = "give 1 (present) or 0 (absent), as files of labels that people verified have them"
        table.check(CONFIDENCE, np.isin(confidence, (0, 1)), remedy)
        present: dict[str, set[str]] = defaultdict(set)
        absent: dict[str, set[str]] = defaultdict(set)
        images = table.columns[IMAGE]
        rows = zip(images, table.labels(names), (confidence == 1).tolist(), strict=True)
        for image, label, is_present in rows:
            (present if is_present else absent)[image].add(label)
        return cls(present, absent, list(dict.fromkeys(images)))

    def federated(
        self, images: Sequence[str], truths: DetectionColumns, hierarchy: LabelHierarchy | None
    ) -> Federated:
        """The labels that were verified in each image and have no box there, whether present or absent."""
        tree = hierarchy or LabelHierarchy({})
        known = [tree.verified(self.present.get(image, ()), self.absent.get(image, ())) for image in images]
        names = [str(label) for label in truths.labels]
        for at, code in zip(truths.owners.tolist(), truths.label.tolist(), strict=True):
            known[at].discard(names[code])
        labels, codes = _coded([label for row in known for label in sorted(row)])
        lists = Ragged([len(row) for row in known], {"label": codes})
        return replace(Federated.nothing(len(images), truths.objects), labels=labels, absent=lists)


def _coded(names: Sequence[str]) -> tuple[Vocabulary, Int64s]:
    """The vocabulary of many texts, and the position of each in it."""
    labels = {name: Label.of(name) for name in dict.fromkeys(names)}
    vocabulary = vocabulary_of(labels.values())
    codes = dict(zip(labels, encode(labels.values(), vocabulary).tolist(), strict=True))
    return vocabulary, np.array([codes[name] for name in names], np.int64)
