"""The files of rows that a path, a folder or a pattern names."""

import glob
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from thresher.datasets._formats import ROW_FORMATS, format_name_of, stem_of
from thresher.datasets._splits import choose_split
from thresher.errors import InputError
from thresher.files.opening import read_bytes
from thresher.files.parsing import parse_json
from thresher.files.texts import decode, is_text
from thresher.surface import option

_SPLITS = "dataset_dict.json"
_WILDCARDS = re.compile(r"\[[^\[\]]*\]|[*?]")
_STATE = "state.json"
"""Files that Hugging Face's `save_to_disk` writes: of a `DatasetDict`, and of a `Dataset`."""


@dataclass(frozen=True)
class DataFiles:
    """Files of rows.

    Attributes:
        form: name of their format.
        paths: the files, in order.
        name: name of the data set.
        is_single: whether one file was named, which `read_dataset` can read too.
    """

    form: str
    paths: Sequence[Path]
    name: str
    is_single: bool = False

    @classmethod
    def of(cls, source: Any, form: str | None = None, split: str | None = None) -> "DataFiles | None":
        """The files that a source names; None for anything but files that can be read by chunk.

        Args:
            source: a path, a folder, or a pattern such as `answers/*.jsonl`.
            form: name of the format; default: by the suffix.
            split: which split of a folder of Hugging Face that has several.

        Raises:
            InputError: if a folder or pattern has files of several formats, or a split must be chosen.
        """
        if not isinstance(source, str | os.PathLike):
            return None
        path = Path(source)
        try:
            is_file, is_folder = path.is_file(), path.is_dir()
        except (OSError, ValueError):  # too long for a path, or with a null character
            return None
        if is_file:
            return cls._of_file(path, form, split)
        if is_folder:
            return cls._of_folder(path, form, split)
        if split is not None or not glob.has_magic(str(source)):
            return None
        paths = sorted(map(Path, glob.glob(str(source))))  # noqa: PTH207  # of absolute patterns too
        return _alike(str(source), paths, form, _name_of_pattern(path.absolute()))

    @classmethod
    def _of_file(cls, path: Path, form: str | None, split: str | None) -> "DataFiles | None":
        chosen = form or format_name_of(path)
        if chosen is None or chosen not in ROW_FORMATS or split is not None:
            return None
        return cls(chosen, [path], stem_of(path), is_single=True)

    @classmethod
    def _of_folder(cls, folder: Path, form: str | None, split: str | None) -> "DataFiles | None":
        name = folder.absolute().name
        if (folder / _SPLITS).is_file():
            names = _read(folder / _SPLITS, "splits")
            chosen = choose_split(str(folder), names, split)
            folder = folder / chosen
        elif split is not None:
            return None
        if (folder / _STATE).is_file():
            return cls("arrow", [folder / file for file in _shards(folder / _STATE)], name)
        paths = [path for path in sorted(folder.iterdir()) if not path.name.startswith(".")]
        is_beir = any((folder / part).exists() for part in ("qrels", "corpus.jsonl"))
        return None if is_beir else _alike(str(folder), paths, form, name)


def _alike(source: str, paths: Sequence[Path], form: str | None, name: str) -> DataFiles | None:
    """The files of one format among some files; None if there are none.

    Raises:
        InputError: if there are several formats.
    """
    forms = {path: form or format_name_of(path) for path in paths if path.is_file()}
    known = sorted({str(found) for found in forms.values() if found in ROW_FORMATS})
    if len(known) > 1:
        pattern = f"name those of one format with a quoted pattern such as '*.{known[0]}'"
        remedy = option(pattern, "choose with format=")
        raise InputError(f"{source} has files of several formats ({', '.join(known)}); {remedy}")
    chosen = [path for path, found in forms.items() if found in ROW_FORMATS]
    return DataFiles(known[0], chosen, name) if chosen else None


def _name_of_pattern(path: Path) -> str:
    """The last part of a path without its suffix that has more than wildcards, without these."""
    for part in (stem_of(path), *reversed(path.parts[1:-1])):
        if plain := _WILDCARDS.sub("", part).strip(" -_."):
            return plain
    return "data"


def _shards(state: Path) -> list[str]:
    """Names of the files of a Hugging Face data set, in order."""
    files = [entry.get("filename") for entry in _read(state, "_data_files") if isinstance(entry, dict)]
    bad = next((file for file in files if not _is_name(file)), None)
    names = [str(file) for file in files if _is_name(file)]
    if not names or len(names) < len(files):
        raise InputError(f"{state} names the file {bad!r}, not one in its folder; save the data set again")
    return names


def _is_name(file: Any) -> bool:
    return isinstance(file, str) and is_text(file) and Path(file).name == file


def _read(path: Path, key: str) -> list[Any]:
    content = parse_json(decode(path, read_bytes(path), 1), path)
    values = content.get(key) if isinstance(content, dict) else None
    if not isinstance(values, list):
        raise InputError(f"{path} lacks {key!r}, a list; save the data set again")
    return values
