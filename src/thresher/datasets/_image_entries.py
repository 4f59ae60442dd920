"""Images in rows: references to files next to the data, and Haystack's ImageContent."""

import base64
import binascii
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from thresher.errors import InputError
from thresher.files.image_texts import image_from, image_of, is_image_content
from thresher.files.opening import read_bytes

SOCKETS = frozenset(
    {"contexts", "ground_truth_contexts", "predicted_answers", "questions", "second_predicted_answers"}
)
"""Columns whose entries may be or contain images."""
_KEYS = frozenset({"image", "detail"})
_SHOWN = 80  # characters of a reference quoted in a message
_PLAIN_KEYS = frozenset({"base64_image", "mime_type", "detail", "meta", "validation"})
"""Keys of ImageContent as plain data."""


def is_image(entry: Any) -> bool:
    """Whether an entry is a reference to an image, or an image.

    >>> is_image({"image": "bridge.png"}), is_image({"image": "bridge.png", "width": 20}), is_image("b.png")
    (True, False, False)
    """
    if isinstance(entry, Mapping):
        filled = {key for key, value in entry.items() if value is not None}
        return ("image" in filled and filled <= _KEYS) or ("base64_image" in filled and filled <= _PLAIN_KEYS)
    return is_image_content(entry)


def with_image_texts(entry: Any, source: str) -> Any:
    """Return an entry with images as texts; a list of parts of a text with images is left to the caller.

    Args:
        entry: the entry of a row.
        source: name of the source; references are relative to the folder of that file.

    Raises:
        InputError: for an image that cannot be read, or is outside that folder.
    """
    if type(entry) is list and any(type(part) is not str for part in entry):
        return [_text(part, source) if is_image(part) else part for part in entry]
    return _text(entry, source) if type(entry) is not str and is_image(entry) else entry


def is_text_with_images(entry: list[Any]) -> bool:
    """Whether an entry is a list of texts, among them images."""
    return all(isinstance(part, str) for part in entry) and any(part[:11] == "data:image/" for part in entry)


def _text(entry: Any, source: str) -> str:
    if not isinstance(entry, Mapping):
        return image_from(entry, "the image").text
    detail = entry.get("detail") or ""
    if entry.get("image") is not None:
        path = _path(entry["image"], source)
        return image_of(read_bytes(path, gzipped=False), str(path), detail).text
    try:
        content = base64.b64decode(entry["base64_image"], validate=True)
    except (binascii.Error, ValueError, TypeError):
        raise InputError("`base64_image` is not base64") from None
    return image_of(content, "`base64_image`", detail).text


def _path(reference: Any, source: str) -> Path:
    """The path of an image in the folder of the data file.

    Raises:
        InputError: otherwise; data must not make the judge's provider read any other file of this machine.
    """
    shown = repr(reference)[:_SHOWN]
    if not isinstance(reference, str) or "://" in reference or not reference.isprintable():
        raise InputError(f"the image {shown} is not the path of a file")
    if not Path(source).is_file():
        raise InputError(f"the image {shown} has no data file to be relative to; give an ImageContent")
    folder = Path(source).resolve().parent
    path = (folder / reference).resolve()
    if not path.is_relative_to(folder):
        raise InputError(f"the image {shown} is outside {folder}; move it next to the data")
    return path
