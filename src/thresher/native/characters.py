"""Classes of characters for the library: whether a character is part of a word, white space, a digit."""

from functools import cache
from threading import Lock

import numpy as np
import numpy.typing as npt
import regex

from thresher.native.kernel import Array, Kernel
from thresher.native.texts import DATA, OFFSETS, Texts

CLASSES = Array("uint8")
"""Parameter of a kernel that reads classes."""
_CHARACTERS = 0x110000
_UNKNOWN = 128
_LOCK = Lock()  # a character without a class yet must not be read by another thread

_unknown_characters = Kernel(
    "unknown_characters",
    DATA,
    OFFSETS,
    Array("uint8", written=True),
    Array("uint32", written=True),
    Array("int64", written=True),
)


def character_classes(*columns: Texts) -> npt.NDArray[np.uint8]:
    """Class of each code point, filled in for the characters of these texts.

    The running Python and the package `regex` are asked once per distinct character: their tables differ by
    version, so a table in the library would differ from them.
    """
    classes = _table()
    with _LOCK:
        for texts in columns:
            if not _is_ascii(texts):
                _fill(classes, texts)
    return classes


def _fill(classes: npt.NDArray[np.uint8], texts: Texts) -> None:
    unknown, count = np.empty(_CHARACTERS, np.uint32), np.zeros(1, np.int64)
    _unknown_characters(*texts.columns, classes, unknown, count)
    for code in unknown[: int(count[0])].tolist():
        classes[code] = _class_of(chr(code))


def _is_ascii(texts: Texts) -> bool:
    return bool(len(texts.data) == 0 or texts.data.max() < 128)  # noqa: PLR2004  # the end of ASCII


@cache
def _table() -> npt.NDArray[np.uint8]:
    classes = np.full(_CHARACTERS, _UNKNOWN, np.uint8)
    classes[:128] = [_class_of(chr(code)) for code in range(128)]
    return classes


def _class_of(character: str) -> int:
    word, digit, space = _patterns()
    return (
        (character.isalnum() or character == "_")
        | character.isspace() << 1
        | bool(digit.match(character)) << 2
        | bool(word.match(character)) << 3
        | bool(space.match(character)) << 4
    )


@cache
def _patterns() -> "tuple[regex.Pattern[str], ...]":
    return regex.compile(r"\w"), regex.compile(r"\d"), regex.compile(r"\s")
