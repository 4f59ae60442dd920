"""The CSV files of Open Images: boxes, image-level labels and names of labels."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from thresher.datasets._csv import any_field_size, csv_header, csv_records, csv_rows
from thresher.errors import InputError
from thresher.files.texts import text_lines

Floats = npt.NDArray[np.float64]
IMAGE, LABEL, GROUP, CONFIDENCE = "ImageID", "LabelName", "IsGroupOf", "Confidence"
EDGES = ("XMin", "YMin", "XMax", "YMax")
_SCORES = ("Score", CONFIDENCE)
_READ = {IMAGE, LABEL, GROUP, *EDGES, *_SCORES}
_OUTSIDE = 1.0
"""How far a share may be outside of 0 to 1: some detectors do not clip boxes. Pixels are further away."""


@dataclass(frozen=True)
class CsvTable:
    """The columns of a file.

    Attributes:
        path: the file.
        columns: name -> cells, of the columns that are read.
        lines: line of each row.
    """

    path: Path
    columns: Mapping[str, Sequence[str]]
    lines: Sequence[int]

    @classmethod
    def read(cls, path: Path, needed: Sequence[str]) -> "CsvTable":
        """Read a file.

        Raises:
            InputError: if it is not a CSV file, or lacks one of the needed columns.
        """
        with any_field_size():
            records = csv_records(path, text_lines(path), ",")
            header = csv_header(path, records)
            missing = next((name for name in needed if name not in header), None)
            if missing is not None:
                raise InputError(
                    f"{path} has no column {missing!r}; Open Images' files have {', '.join(needed)}"
                )
            places = [(name, at) for at, name in enumerate(header) if name in _READ]
            columns: dict[str, list[str]] = {name: [] for name, _ in places}
            lines = []
            for line, fields in csv_rows(path, records, header):
                lines.append(line)
                for name, at in places:
                    columns[name].append(fields[at])
        return cls(path, columns, lines)

    def labels(self, names: Mapping[str, str]) -> list[str]:
        """The label of each row, by its name if it has one.

        Raises:
            InputError: for a row without one.
        """
        blank = {cell for cell in dict.fromkeys(self.columns[LABEL]) if not cell.strip()}
        if blank:
            self.check(LABEL, [cell not in blank for cell in self.columns[LABEL]], "give a label")
        return [names.get(cell, cell) for cell in self.columns[LABEL]]

    def boxes(self, sizes: Floats) -> Floats:
        """The corners of each row's box.

        Args:
            sizes: width and height of each row's image, 1 for shares.

        Raises:
            InputError: for coordinates in pixels, and boxes that end before they begin.
        """
        sides = [self.numbers(name) for name in EDGES]
        for name, side in zip(EDGES, sides, strict=True):
            inside = (side >= -_OUTSIDE) & (side <= 1 + _OUTSIDE)
            self.check(name, inside, "give a share of the image from 0 to 1, not pixels")
        for first, last in ((0, 2), (1, 3)):
            rises = sides[first] <= sides[last]
            self.check(EDGES[last], rises, f"give at least {EDGES[first]}")
        return np.asarray(np.stack(sides, axis=1) * np.concatenate([sizes, sizes], axis=1))

    def scores(self) -> Floats:
        """The score of each row.

        Raises:
            InputError: without such a column, and for anything but finite numbers.
        """
        name = next((name for name in _SCORES if name in self.columns), None)
        if name is None:
            raise InputError(f"{self.path} has no column 'Score'; give each prediction a number")
        return self.numbers(name)

    def note_on_scores(self) -> str | None:
        """A sentence if predictions look like true boxes, which have a Confidence instead of a Score."""
        if _SCORES[0] in self.columns:
            return None
        if GROUP not in self.columns and (not self.lines or (self.numbers(CONFIDENCE) != 1).any()):
            return None
        sign = f"the column {GROUP}" if GROUP in self.columns else f"the {CONFIDENCE} 1 in each row"
        return (
            f"{self.path} has no column {_SCORES[0]}, and {sign}, as a file of true boxes has it; "
            "predictions are the output of a detector"
        )

    def groups(self) -> npt.NDArray[np.bool_]:
        """Which boxes are around a group; unknown ones (-1) are not.

        Raises:
            InputError: for values other than 1, 0 and -1.
        """
        if GROUP not in self.columns:
            return np.zeros(len(self.lines), bool)
        flags = self.numbers(GROUP)
        self.check(GROUP, np.isin(flags, (-1, 0, 1)), "give 1, 0, or -1 for unknown")
        return np.asarray(flags == 1)

    def numbers(self, name: str) -> Floats:
        """A column of finite numbers.

        Raises:
            InputError: naming the first row with anything else.
        """
        cells = self.columns[name]
        try:
            values = np.array(cells, dtype=np.float64)
        except ValueError:
            values = np.array([_number(cell) for cell in cells])
        self.check(name, np.isfinite(values), "give a number")
        return values

    def check(self, name: str, valid: Any, remedy: str) -> None:
        """Raise InputError naming the first row of a column that is not valid."""
        wrong = np.flatnonzero(~np.asarray(valid, bool))
        if len(wrong):
            at = int(wrong[0])
            cell = self.columns[name][at]
            raise InputError(f"{self.path}:{self.lines[at]}: {name} is {cell!r:.60}; {remedy}")


def read_names(path: Path) -> dict[str, str]:
    """Names of labels: rows of a label and its name, with or without a header.

    Raises:
        InputError: for other rows, and for two labels of one name.
    """
    names: dict[str, str] = {}
    of_names: dict[str, str] = {}
    with any_field_size():
        for line, fields in csv_records(path, text_lines(path), ","):
            if len(fields) != 2 or not all(map(str.strip, fields)):  # noqa: PLR2004 (label and name)
                raise InputError(f"{path}:{line}: {','.join(fields)!r:.60}; give a label and its name")
            label, name = fields
            if line == 1 and label == LABEL:
                continue
            if names.setdefault(label, name) != name or of_names.setdefault(name, label) != label:
                raise InputError(
                    f"{path}:{line}: {label} or {name!r} has another name or label before; keep one"
                )
    return names


def _number(cell: str) -> float:
    try:
        return float(cell)
    except ValueError:
        return float("nan")
