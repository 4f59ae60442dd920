"""What the columns of a run say of its images: names, sizes, and by what they can be filtered."""

from collections.abc import Sequence
from numbers import Real
from typing import Any

from thresher.reports.html.items.columns import parts_of
from thresher.reports.html.items.pictures import is_address
from thresher.reports.runs.run_data import RunData
from thresher.results import FrozenColumn

_NAMES = (
    "file_name",
    "filename",
    "image_path",
    "image_file",
    "file",
    "path",
    "image",
    "img",
    "image_name",
    "image_id",
)
"""Columns that name the picture of an image, the most specific first."""
_MOST_PIXELS = 1_000_000
_FACETS, _VALUES = 4, 12
"""Other columns to filter by than those of the slices, and how many different entries they have at most."""


class ImageColumns:
    """The columns of a run about its images.

    Args:
        run: the run.
        sliced: columns to filter by, if they have few different entries.
    """

    def __init__(self, run: RunData, sliced: Sequence[str] = ()) -> None:
        self._run = run
        self._named = [run.inputs[name] for name in _NAMES if name in run.inputs]
        self._sizes = [run.inputs[name] for name in ("width", "height") if name in run.inputs]
        first = [name for name in sliced if name in run.inputs]
        known = {*_NAMES, "width", "height", *first, *parts_of(run.inputs)}
        others = [name for name in run.inputs if name not in known and not run.holds_ids(name)]
        facets = {name: run.inputs[name] for name in others if _few(run.inputs[name])}
        self._facets = [run.inputs[name] for name in first] + list(facets.values())[:_FACETS]
        self.facet_names = first + list(facets)[:_FACETS]

    def names(self, row: int) -> list[str]:
        """Return the names under which the picture of an image may be found; its id comes last."""
        stated = (*(column[row] for column in self._named), self._run.ids[row])
        texts = [name for name in stated if isinstance(name, str) and name.strip()]
        return [name for name in texts if not is_address(name)]

    def size(self, row: int) -> tuple[int, int] | None:
        """Return the stated width and height of an image; None if they are missing or no sizes."""
        stated = [column[row] for column in self._sizes]
        if len(stated) != len(("width", "height")) or not all(map(_is_size, stated)):
            return None
        return int(stated[0]), int(stated[1])

    def entry(self, row: int) -> dict[str, Any]:
        """Return the id of an image, its name and its entries in the columns to filter by."""
        values = [column[row] for column in self._facets]
        return {
            "id": self._run.ids[row],
            "name": self.names(row)[0],
            "facets": [None if value is None else str(value) for value in values],
        }


def _is_size(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and 1 <= value < _MOST_PIXELS


def _few(column: FrozenColumn) -> bool:
    """Whether a column has texts or numbers, and few different ones."""
    values = set()
    for value in column:
        if value is not None and not isinstance(value, str | Real):
            return False
        if value is not None:
            values.add(value)
        if len(values) > _VALUES:
            return False
    return len(values) > 1
