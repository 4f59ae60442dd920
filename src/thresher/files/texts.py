"""Text files: UTF-8, or a one-line error that names the invalid position."""

import io
from collections.abc import Iterable, Iterator

from thresher.errors import InputError
from thresher.files.opening import Source, explain_read_errors, open_binary

_HEAD = 8192  # bytes in which to look for line ends
_BOM = b"\xef\xbb\xbf"
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


def text_lines(path: Source) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their line ends, without a byte order mark.

    Raises:
        InputError: if the file cannot be read; for bytes that are not UTF-8, with line and byte.
    """
    with explain_read_errors(path), open_binary(path) as file:
        for number, raw in enumerate(_lines(file), start=1):
            yield decode(path, raw.removeprefix(_BOM) if number == 1 else raw, number)


def whole_text(path: Source) -> str:
    """All of a UTF-8 file; raises as `text_lines` does."""
    return "".join(text_lines(path))


def decode(path: Source, raw: bytes, line: int) -> str:
    """One line as text."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        place = f"{path}:{line}: byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8"
        guess = "; the file looks like UTF-16" if line == 1 and raw.startswith(_UTF16) else ""
        raise InputError(f"{place}{guess}; save the file as UTF-8") from None


def _lines(file: io.BufferedReader) -> Iterable[bytes]:
    """The lines of a file, which end with a carriage return alone in old Macintosh files."""
    head = file.peek(_HEAD)
    return file.read().splitlines(keepends=True) if b"\r" in head and b"\n" not in head else file


def is_text(text: str) -> bool:
    """Whether a text can be written as UTF-8; a text with a lone surrogate cannot."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def without_lone_surrogates(text: str) -> str:
    r"""Replace each lone surrogate (`\ud83d` alone), which JSON can express and UTF-8 cannot."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
