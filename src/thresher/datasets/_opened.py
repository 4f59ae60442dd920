"""Files that the caller has opened."""

import inspect
import json
import os
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Any, ParamSpec, TypeVar

from thresher.datasets._splits import is_rows
from thresher.datasets._values import describe
from thresher.errors import DataWarning, InputError
from thresher.files.fetching import local_copy, shown
from thresher.files.nesting import explain_odd_values
from thresher.files.opening import OpenedFile
from thresher.files.stores.locations import is_url

_SOURCES = frozenset({"source", "ground_truths", "predictions", "folder", "run", "qrels"}) | {
    "gt_folder",
    "pred_folder",
    "image_labels",
    "image_set",
}
"""Arguments of readers that may be URLs."""
_P = ParamSpec("_P")
_R = TypeVar("_R")


def format_of(file: OpenedFile) -> str | None:
    """`jsonl` or `json` if the content looks like one of them; None otherwise."""
    text = file.content.removeprefix(b"\xef\xbb\xbf").lstrip()
    if text.startswith(b"["):
        return "json"
    if not text.startswith(b"{"):
        return None
    first, _, rest = text.partition(b"\n")
    if not rest.strip() and _holds_rows(first):
        return "json"
    return "jsonl" if first.rstrip().endswith(b"}") else "json"


def _holds_rows(line: bytes) -> bool:
    """Whether a line is an object around a list of objects rather than a row."""
    try:
        return any(is_rows(value) for value in json.loads(line).values())
    except (ValueError, RecursionError):
        return False


def path_of(source: object, what: str = "the data") -> Path:
    """Return a user's path as a `Path`; raise InputError for other types."""
    if isinstance(source, str | os.PathLike):
        return Path(source)
    raise InputError(f"{what} cannot be read from {describe(source)}; give a path")


def explained(read: Callable[_P, _R]) -> Callable[_P, _R]:
    """Make a reader end in InputError that names its source, whatever odd values raise within it."""
    signature = inspect.signature(read)

    @wraps(read)
    def explained_read(*given: _P.args, **options: _P.kwargs) -> _R:
        bound = signature.bind(*given, **options)
        source = next(iter(bound.arguments.values()), "")
        named = source if isinstance(source, str | os.PathLike | OpenedFile) else describe(source)
        with explain_odd_values(named):
            urls = {
                name: value for name, value in bound.arguments.items() if name in _SOURCES and is_url(value)
            }
            if not urls:
                return read(*given, **options)
            return _read_copies(lambda: read(*bound.args, **bound.kwargs), bound.arguments, urls)

    return explained_read


def _read_copies(read: Callable[[], _R], arguments: dict[str, Any], urls: Mapping[str, Any]) -> _R:
    """Read copies of what URLs name, which messages name by them."""
    from thresher.datasets.dataset import Dataset

    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            arguments.update({name: local_copy(url) for name, url in urls.items()})
            found = read()
    except InputError as error:
        raise type(error)(shown(str(error))) from error
    warn_of([shown(str(warning.message)) for warning in caught])
    if isinstance(found, Dataset):
        return replace(found, notes=tuple(map(shown, found.notes)))
    renamed: Callable[[Callable[[str], str]], _R] | None = getattr(found, "renamed", None)
    return found if renamed is None else renamed(shown)


def warn_of(notes: Sequence[str]) -> None:
    """Warn of guesses and conversions, at the caller's line outside of Thresher."""
    if not notes:
        return
    frame, level = sys._getframe(1), 2  # noqa: SLF001  (skip_file_prefixes came with Python 3.12)
    while frame.f_back is not None and frame.f_globals.get("__name__", "").startswith("thresher."):
        frame, level = frame.f_back, level + 1
    for note in notes:
        warnings.warn(note, DataWarning, stacklevel=level)


def is_open_file(source: Any) -> bool:
    """Whether a source has the interface of an open file."""
    return callable(getattr(source, "read", None)) and callable(getattr(source, "readline", None))


def read_open_file(file: Any) -> OpenedFile:
    """Read the rest of an open file.

    Raises:
        InputError: if it cannot be read.
    """
    name = getattr(file, "name", None)
    name = name if isinstance(name, str) else "the open file"
    try:
        content = file.read()
    except (OSError, ValueError) as error:
        raise InputError(f"{name} cannot be read: {error}; open it for reading, or give its path") from error
    return OpenedFile(
        name, content.encode(errors="surrogatepass") if isinstance(content, str) else bytes(content)
    )
