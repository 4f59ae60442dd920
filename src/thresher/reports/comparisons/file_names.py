"""The names of images as keys of items, for runs whose formats number images differently."""

from pathlib import PurePosixPath

from thresher.reports.runs.run_data import RunData

FILE_NAME = "file_name"
_MOST = 200_000
"""Items of a run whose names are compared; those of longer runs would have to be matched on disk."""


def file_keys(first: RunData, second: RunData) -> tuple[list[str], list[str]] | None:
    """Return the names of the images of two runs without folder and ending.

    They are those of the column `file_name`, which readers of COCO give, or else the ids, which are names in
    other formats. None if neither run has the column, or if a name is missing or not unique in its run.
    """
    runs = first, second
    if not any(FILE_NAME in run.inputs for run in runs) or max(map(len, runs)) > _MOST:
        return None
    keys, other_keys = map(_names, runs)
    return None if keys is None or other_keys is None else (keys, other_keys)


def _names(run: RunData) -> list[str] | None:
    if FILE_NAME not in run.inputs and not run.ids_given:
        return None
    entries = list(run.inputs.get(FILE_NAME, run.ids))
    if not all(isinstance(entry, str) and entry for entry in entries):
        return None
    names = [PurePosixPath(entry.replace("\\", "/")).name for entry in entries]
    stems = [_without_ending(name) for name in names]
    return stems if len(set(stems)) == len(stems) else None


def _without_ending(name: str) -> str:
    """The name without the ending of an image; ids are names without one, and may have dots."""
    stem, dot, ending = name.rpartition(".")
    return stem if dot and ending.lower() in _ENDINGS else name


_ENDINGS = frozenset(("bmp", "gif", "jpeg", "jpg", "png", "ppm", "tif", "tiff", "webp"))
