"""Recognise the format of annotated images by their files."""

import re
from pathlib import Path

from thresher.datasets.annotation_formats import ANNOTATION_FORMATS, AnnotationFormat, Content
from thresher.errors import InputError
from thresher.files.texts import text_lines

_CORNERS = re.compile(r"\s*(imagesource|gsd):|\s*([-+.\d]\S*\s+){8}[^\W\d]")
"""The first line of a DOTA file: a header, or eight numbers and a label."""
_LISTS_OF_LABELS = (".yaml", ".yml")


def recognise(path: Path, content: Content) -> AnnotationFormat:
    """Return the format of the ground truth, by its files.

    Args:
        path: the file or folder of `--gt`.
        content: what the metrics compare.

    Raises:
        InputError: if there is no such file, or its format is ambiguous or unknown.
    """
    formats = [known for known in ANNOTATION_FORMATS.values() if known.content == content]
    descriptions = ", ".join(known.description for known in formats)
    if not path.exists():
        raise InputError(f"{path} does not exist; --gt is one of: {descriptions}")
    _refuse_single_file(path, formats)
    formats = [known for known in formats if known.is_folder == path.is_dir()]
    if not formats:
        kind = "a folder" if path.is_dir() else "a single file"
        raise InputError(f"{path} is {kind}; --gt is {descriptions} here")
    matches = _matches(path, formats)
    if len(matches) == 1:
        return matches[0]
    raise InputError(_ambiguous(path, formats, matches))


def _refuse_single_file(path: Path, formats: list[AnnotationFormat]) -> None:
    """Raise for a file that a folder of such files, or another option, takes."""
    suffix = path.suffix.lower()
    if path.is_dir():
        return
    if suffix in _LISTS_OF_LABELS:
        raise InputError(
            f"{path} lists labels: give it with --labels, and the folder of annotations with --gt"
        )
    files = {known.suffix for known in formats if not known.is_folder}
    if suffix in {known.suffix for known in formats} - files:
        raise InputError(f"{path} is a single *{suffix} file; give the folder of such files with --gt")


def _matches(path: Path, formats: list[AnnotationFormat]) -> list[AnnotationFormat]:
    """The formats that the files of a folder, or the name of a file, may have."""
    if not path.is_dir():
        named = [known for known in formats if known.suffix in map(str.lower, path.suffixes)]
        return named or formats[:1]  # COCO's files may have any name
    suffixes = {file.suffix.lower() for file in path.iterdir()}
    matches = [known for known in formats if known.suffix in suffixes]
    if len({known.suffix for known in matches}) < len(matches):
        lines = _lines_in(path)
        matches = [known for known in matches if known.lines in (None, lines)]
    return matches


def _ambiguous(path: Path, formats: list[AnnotationFormat], matches: list[AnnotationFormat]) -> str:
    """The message about a folder that has files of no format, or of several."""
    from thresher.datasets._folders import other_folders

    expected = " or ".join(f"*{known.suffix} ({known.name})" for known in formats)
    actual = " and ".join(f"*{known.suffix}" for known in matches) or "none"
    remedy = "; choose the format with --gt-format"
    if not matches:
        remedy = other_folders(path, {known.suffix for known in formats}) or remedy
    return f"{path} should hold {expected} and holds {actual}{remedy}"


def _lines_in(folder: Path) -> str:
    """What the first line of the folder's text files is; see `AnnotationFormat.lines`."""
    from thresher.datasets._folders import is_about_folder

    for path in sorted(folder.glob("*.[tT][xX][tT]")):
        first = next((line for line in text_lines(path) if line.strip()), None)
        if first is not None and not is_about_folder(path):
            if _CORNERS.match(first):
                return "corners"
            return "name" if first.split()[0][:1].isalpha() else "numbers"
    return "numbers"
