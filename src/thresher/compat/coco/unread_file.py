"""Annotations of a file as columns, and as dicts only if somebody uses them."""

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Self

import numpy as np

from thresher.compat.coco.object_rows import places
from thresher.compat.coco.result_rows import completed_results
from thresher.datasets._coco_columns import CocoColumns
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.typed_json import UnexpectedFormError, check_depth, json_fields
from thresher.kernels.detection.raster_lists import Rasters

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class UnreadFile:
    """Objects of a file that has the usual form of boxes, or results that are masks.

    Attributes:
        columns: the objects.
        path: the file.
        content: the list, as JSON.
        others: the fields of an instances file, None for the list.
        images: id -> image, of results.
        masks: those of results without boxes.
    """

    columns: CocoColumns
    path: Path
    content: bytes
    others: Mapping[str, Any]
    images: Mapping[Any, Any] = field(default_factory=dict)
    masks: Rasters | None = None

    @classmethod
    def of_instances(cls, path: Path) -> Self | None:
        """Read an instances file; None for one that has another form."""
        try:
            fields = json_fields(read_bytes(path).removeprefix(_BOM))
            content = fields["annotations"]
            columns = CocoColumns.of(content, scored=False)
            columns.check_ids()
            fields["annotations"] = b"null"  # keeps its place among the fields
            for part in fields.values():
                check_depth(part)
            others = {name: parse_json(part.decode(), path) for name, part in fields.items()}
        except (UnexpectedFormError, KeyError):
            return None
        if columns.areas is None or np.isnan(columns.areas).any():
            return None
        return cls(columns, path, content, others)

    @classmethod
    def of_results(cls, path: Path, images: Mapping[Any, Any]) -> Self | None:
        """Read a list of results with boxes or masks of these images; None for one that has another form."""
        content = read_bytes(path).removeprefix(_BOM)
        for has_masks in (False, True):
            with suppress(UnexpectedFormError):
                columns = CocoColumns.of(content, scored=True, masks=has_masks)
                masks = _masks(columns, images) if has_masks else None
                return cls._of_results(columns, path, content, images, masks)
        return None

    @classmethod
    def _of_results(
        cls,
        columns: CocoColumns,
        path: Path,
        content: bytes,
        images: Mapping[Any, Any],
        masks: Rasters | None,
    ) -> Self | None:
        """The results, if they name images by number, and the first one says that they are masks."""
        if columns.names is not None or not len(columns.images):
            return None
        if masks is not None and not np.isnan(columns.boxes[0, 0]):
            return None
        fits = all(image in images for image in np.unique(columns.images).tolist())
        return cls(columns, path, content, {}, images, masks) if fits else None

    def drawn(self, images: Mapping[Any, Any]) -> Rasters | None:
        """The mask of each object in these images, id -> image; None for shapes of another form."""
        if self.masks is not None:
            return self.masks
        with suppress(UnexpectedFormError):
            scored = self.columns.scores is not None
            return _masks(CocoColumns.of(self.content, scored=scored, masks=True), images)
        return None

    def annotations(self) -> list[Any]:
        """The objects as dicts; results completed as `loadRes` does."""
        entries: list[Any] = parse_json(self.content.decode(), self.path)
        if self.columns.scores is None:
            return entries
        return completed_results(entries, self.images)


def _masks(columns: CocoColumns, images: Mapping[Any, Any]) -> Rasters:
    if columns.shapes is None:
        raise UnexpectedFormError("the objects have no shapes")
    sizes = [(image.get("height"), image.get("width")) for image in images.values()]
    return columns.shapes.masks([*sizes, (None, None)], places([*images], columns.images))
