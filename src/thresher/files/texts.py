"""Text files: UTF-8, or a one-line error that names the invalid position."""

import codecs
import io
from collections.abc import Iterable, Iterator
from pathlib import Path

from thresher.errors import InputError
from thresher.files.opening import Source, explain_read_errors, open_binary

_HEAD = 8192  # bytes in which to look for line ends
_BOM = b"\xef\xbb\xbf"
_UTF16 = "the file looks like UTF-16; "
_PICKLE = "the file looks like a pickle, which runs code when it is read; write its content as JSON"
_ZIP = "the file looks like a zip archive, as torch.save writes it; write its content as JSON"
_FORMS = {b"\xff\xfe": _UTF16, b"\xfe\xff": _UTF16, b"PK\x03\x04": _ZIP}
_FORMS |= {bytes([0x80, protocol]): _PICKLE for protocol in range(2, 6)}
"""First bytes of files that are not UTF-8 -> the remedy."""
_HEAD_OF_FORMS = 4
_BLOCK = 1 << 20


def without_mark(raw: bytes) -> bytes:
    """The first line of a file without a byte order mark."""
    return raw.removeprefix(_BOM)


def is_blank(raw: bytes) -> bool:
    """Whether a line consists of white space, also that of Unicode; False for bytes that are not UTF-8."""
    return not b"!" <= raw[:1] <= b"~" and raw.decode(errors="replace").isspace()


def has_old_line_ends(file: io.BufferedReader) -> bool:
    """Whether the lines at the start of a file end with a carriage return alone."""
    head = file.peek(_HEAD)
    return b"\r" in head and b"\n" not in head


def text_lines(path: Source) -> Iterator[str]:
    """Yield the lines of a UTF-8 file with their line ends, without a byte order mark.

    Raises:
        InputError: if the file cannot be read; for bytes that are not UTF-8, with line and byte.
    """
    with explain_read_errors(path), open_binary(path) as file:
        for number, raw in enumerate(raw_lines(file), start=1):
            yield decode(path, without_mark(raw) if number == 1 else raw, number)


def whole_text(path: Source) -> str:
    """All of a UTF-8 file; raises as `text_lines` does."""
    return "".join(text_lines(path))


def decode(path: Source, raw: bytes, line: int) -> str:
    """One line as text."""
    try:
        return raw.decode()
    except UnicodeDecodeError as error:
        head = raw[:_HEAD_OF_FORMS] if line == 1 else b""
        raise _not_utf8(path, line, error.start, raw[error.start], head) from None


def _not_utf8(path: Source, line: int, place: int, byte: int, head: bytes) -> InputError:
    """An error whose remedy follows from the first bytes of the file, given for its first line."""
    remedy = next((remedy for form, remedy in _FORMS.items() if head.startswith(form)), "")
    remedy = remedy if remedy and remedy != _UTF16 else remedy + _as_utf8(path)
    return InputError(f"{path}:{line}: byte {place + 1} of the line (0x{byte:02x}) is not UTF-8; {remedy}")


def utf16_remedy(path: Source) -> str:
    """What to do with a file that looks like UTF-16."""
    return _UTF16 + _as_utf8(path)


def _as_utf8(path: Source) -> str:
    """How to save a text file; Excel's `CSV` is in the code page of the system."""
    is_table = Path(str(path).lower().removesuffix(".gz")).suffix in {".csv", ".tsv"}
    return f"save the file as UTF-8{' (in Excel: CSV UTF-8)' if is_table else ''}"


def text_blocks(path: Source) -> Iterator[str]:
    """Yield the text of a UTF-8 file without a byte order mark, a megabyte at a time.

    Raises:
        InputError: as `text_lines` does.
    """
    decoder = codecs.getincrementaldecoder("utf-8")()
    line, before = 1, 0  # number of the current line, and its bytes before the block
    with explain_read_errors(path), open_binary(path) as file:
        end = b"\r" if has_old_line_ends(file) else b"\n"
        file.read(len(_BOM) if file.peek(len(_BOM)).startswith(_BOM) else 0)
        start = file.peek(_HEAD_OF_FORMS)[:_HEAD_OF_FORMS]
        while True:
            pending = decoder.getstate()[0]
            raw = file.read(_BLOCK)
            try:
                text = decoder.decode(raw, final=not raw)
            except UnicodeDecodeError as error:
                head, newline, rest = (pending + raw)[: error.start].rpartition(end)
                number = line + head.count(end) + len(newline)
                place = len(rest) if newline else before - len(pending) + error.start
                byte = (pending + raw)[error.start]
                head_of_file = start if number == 1 else b""
                raise _not_utf8(path, number, place, byte, head_of_file) from None
            if not raw:
                return
            yield text
            line += raw.count(end)
            before = len(raw) - raw.rfind(end) - 1 if end in raw else before + len(raw)


def raw_lines(file: io.BufferedReader) -> Iterable[bytes]:
    """The lines of a file, which end with a carriage return alone in old Macintosh files."""
    return file.read().splitlines(keepends=True) if has_old_line_ends(file) else file


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
