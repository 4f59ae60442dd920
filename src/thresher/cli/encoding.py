"""Output to a terminal or file whose encoding lacks characters, such as Windows' code pages."""

import codecs
import sys
import unicodedata
from typing import TextIO

_HANDLER = "thresher.ascii"
_LOOKALIKES = {
    "↑": "^",
    "↓": "v",
    "\N{EN DASH}": "-",
    "—": "-",
    "\N{MINUS SIGN}": "-",
    "…": "...",
    "≥": ">=",
    "≤": "<=",
    "·": "*",
    "•": "*",
    "\N{LEFT SINGLE QUOTATION MARK}": "'",
    "\N{RIGHT SINGLE QUOTATION MARK}": "'",
    "“": '"',
    "”": '"',
    "─": "-",
    "├": "|",
    "└": "`",
}
"""Characters of reports and their ASCII replacements."""


def allow_any_encoding() -> None:
    """Make standard output and standard error replace what their encoding lacks instead of failing.

    A run that is complete must not end in an error because its table has an arrow. Streams that are not files
    (a test's, a notebook's) are left alone.
    """
    codecs.register_error(_HANDLER, _in_ascii)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None and not _is_utf(stream):
            reconfigure(errors=_HANDLER)


def _is_utf(stream: TextIO) -> bool:
    try:
        return codecs.lookup(stream.encoding or "ascii").name.startswith("utf")
    except LookupError:
        return False


def _in_ascii(error: UnicodeError) -> tuple[str, int]:
    """Replace each character that cannot be encoded: a look-alike, the letter without accents, or `?`."""
    if not isinstance(error, UnicodeEncodeError):
        raise error
    lost = error.object[error.start : error.end]
    return "".join(map(_replacement, lost)), error.end


def _replacement(character: str) -> str:
    """The nearest ASCII text.

    >>> _replacement("↑"), _replacement("é"), _replacement("東")
    ('^', 'e', '?')
    """
    if character in _LOOKALIKES:
        return _LOOKALIKES[character]
    plain = unicodedata.normalize("NFKD", character).encode("ascii", "ignore").decode("ascii")
    return plain or "?"
