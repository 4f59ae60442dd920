"""Annotations of a file as columns, and as dicts only if somebody uses them."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np

from thresher.compat.coco.result_rows import completed_results
from thresher.datasets._coco_columns import CocoColumns
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.typed_json import UnexpectedFormError, check_depth, json_fields

_BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True, eq=False)
class UnreadFile:
    """Objects of a file that has the usual form of boxes.

    Attributes:
        columns: the objects.
        path: the file.
        content: the list, as JSON.
        others: the fields of an instances file, None for the list.
    """

    columns: CocoColumns
    path: Path
    content: bytes
    others: Mapping[str, Any]

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
    def of_results(cls, path: Path) -> Self | None:
        """Read a list of results with boxes; None for one that has another form."""
        content = read_bytes(path).removeprefix(_BOM)
        try:
            columns = CocoColumns.of(content, scored=True)
        except UnexpectedFormError:
            return None
        by_number = columns.names is None and len(columns.images)
        return cls(columns, path, content, {}) if by_number else None

    def fits(self, images: Mapping[Any, Any]) -> bool:
        """Whether all objects belong to these images."""
        return all(image in images for image in np.unique(self.columns.images).tolist())

    def annotations(self) -> list[Any]:
        """The objects as dicts; results completed as `loadRes` does."""
        entries: list[Any] = parse_json(self.content.decode(), self.path)
        if self.columns.scores is None:
            return entries
        return completed_results(entries, dict.fromkeys(self.columns.images.tolist()))
