"""Levels of a factor: values of the command line, values from files, and short labels for names."""

import datetime as dt
import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from thresher.datasets._values import describe
from thresher.errors import InputError
from thresher.files.parsing import parse_json, parse_yaml
from thresher.files.texts import whole_text

_EXPONENT = re.compile(r"[-+]?\d+(\.\d*)?[eE][-+]?\d+")
"""A number with an exponent; YAML 1.1 reads 1e-3 as a text."""
_PIECES = re.compile(
    r"""(?:"(?:\\.|[^"\\])*+(?:"|\\?\Z)|'[^']*+(?:'|\Z)|\[[^\]]*+(?:\]|\Z)|\{[^}]*+(?:\}|\Z)|[^,"'\[{])+"""
)
"""An unclosed quote or bracket extends to the end. Otherwise `[1,2` would be two values, and take quadratic
time."""
_INDICATORS = "@&*!|>%`#"
"""Characters with a meaning in YAML, with which a plain text may begin here."""
_LONGEST = 20
"""Longer values are 4 hexadecimal digits in names, which stay readable and fit a folder's name."""
_DIGITS = 4


def split_values(text: str) -> list[Any]:
    """Parse `3,5,10`: YAML scalars between commas; quotes and brackets protect a comma.

    >>> split_values('3,0.5,1e-3,true,gpt-4o,"a, b",1:30')
    [3, 0.5, 0.001, True, 'gpt-4o', 'a, b', '1:30']
    """
    return [_scalar(piece.strip()) for piece in _PIECES.findall(text) if piece.strip()]


def _scalar(text: str) -> Any:
    """One value; texts that YAML reads as a date or as a number in base 60 stay texts."""
    if text[0] in _INDICATORS:
        return text
    if _EXPONENT.fullmatch(text):
        return float(text)
    try:
        value = parse_yaml(text, f"value {text!r}")
    except InputError:
        if text[0] in "\"'[{":
            raise
        return text
    is_other = isinstance(value, dt.date) or (":" in text and isinstance(value, int | float | Mapping))
    return text if is_other and text[0] not in "[{" else value


def read_level(value: Any, folder: Path) -> Any:
    """The value of a level: of `@FILE`, the file's content; `@@` begins a text that begins with `@`.

    Files that end in .yaml, .yml or .json are parsed, all others are texts.

    Raises:
        InputError: if the file cannot be read.
    """
    if not isinstance(value, str) or not value.startswith("@"):
        return value
    if value.startswith("@@"):
        return value[1:]
    path = folder / value[1:]
    try:
        exists = path.is_file()
    except OSError as error:  # e.g. a name that is too long
        raise InputError(f"{value[:80]}: the file cannot be read: {error.strerror}") from error
    if not exists:
        raise InputError(f"{value}: the file {path} does not exist; write @@ for a text that begins with @")
    text = whole_text(path)
    if path.suffix in {".yaml", ".yml"}:
        return parse_yaml(text, path)
    return parse_json(text, path) if path.suffix == ".json" else text


def kind_of(value: Any) -> str:
    """Describe a value in a message without its text, which may be the content of a file."""
    if isinstance(value, str):
        return "a text"
    return repr(value) if isinstance(value, int | float) else describe(value)


def labels_of(values: Sequence[Any]) -> list[str]:
    """Return a short, distinct label for each value: the value, a file's name, or a component's class.

    >>> labels_of([3, "3", True, None, "@prompts/short.jinja"])
    ['3', '"3"', 'true', 'null', 'short']
    """
    labels = [_label(value) for value in values]
    return [
        label if labels.count(label) == 1 else f"{label}-{digest(value, _DIGITS)}"
        for label, value in zip(labels, values, strict=True)
    ]


def _label(value: Any) -> str:
    if isinstance(value, str):
        if value.startswith("@") and not value.startswith("@@"):
            return Path(value[1:]).stem
        text = value if value.strip() and _scalar(value) == value else json.dumps(value)
    elif isinstance(value, Mapping) and isinstance(value.get("type"), str):
        text = value["type"].rpartition(".")[2]
        return text if len(text) <= 2 * _LONGEST else digest(value, _DIGITS)
    else:
        text = canonical(value)
    return text if len(text) <= _LONGEST and text.isprintable() else digest(value, _DIGITS)


def is_plain(value: Any) -> bool:
    """Whether a value is plain data, as JSON has it."""
    try:
        json.dumps(value)
    except (TypeError, ValueError):
        return False
    return True


def is_short(value: Any) -> bool:
    """Whether a value can be shown as it is: a number, a truth value, null or a short text."""
    is_text = isinstance(value, str) and len(value) <= _LONGEST and value.isprintable()
    return value is None or isinstance(value, bool | int | float) or is_text


def canonical(value: Any) -> str:
    """A JSON text that is equal for equal values; other objects by their text."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)


def digest(value: Any, digits: int = 16) -> str:
    """The first hexadecimal digits of a value's SHA-256."""
    return hashlib.sha256(canonical(value).encode()).hexdigest()[:digits]


def repeated(values: Iterable[Any]) -> Any | None:
    """The first value that is listed twice, wrapped in a tuple; None if all differ."""
    seen: set[str] = set()
    for value in values:
        if (text := canonical(value)) in seen:
            return (value,)
        seen.add(text)
    return None
