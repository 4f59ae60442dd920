"""Text from data, names, files and servers as a reader of a terminal may safely see it."""

import re
from collections.abc import Iterable

from thresher.known_secrets import without_secrets


def _class_of(ranges: Iterable[tuple[int, int]]) -> str:
    r"""A class of a pattern, written in ASCII: `re` reads `\u` and `\U` itself."""
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in ranges)


_HIDDEN = (
    (0x00, 0x08),  # C0 controls without tab and line feed; ESC begins the sequences of terminals
    (0x0B, 0x0C),
    (0x0E, 0x1F),
    (0x7F, 0x9F),  # DEL and C1: U+009B begins a sequence as ESC [ does
    (0xAD, 0xAD),  # soft hyphen
    (0x061C, 0x061C),  # Arabic letter mark
    (0x115F, 0x1160),  # blank letters of Hangul
    (0x180E, 0x180E),
    (0x200B, 0x200B),  # zero width space; the joiners U+200C and U+200D are spelling in many languages
    (0x200E, 0x200F),  # direction marks
    (0x2028, 0x202E),  # line and paragraph separators, embeddings and overrides of direction
    (0x2060, 0x206F),  # word joiner, invisible operators, isolates, deprecated format characters
    (0x3164, 0x3164),
    (0xD800, 0xDFFF),  # lone surrogates, which no encoding can write
    (0xFEFF, 0xFEFF),
    (0xFFA0, 0xFFA0),
    (0xFFF9, 0xFFFB),
    (0xE0000, 0xE007F),  # tags: a hidden copy of ASCII
)
_HIDDEN_CHARACTER = re.compile(f"[{_class_of(_HIDDEN)}]")
_UNSEEN = re.compile(f"\r(?!\n)|{_HIDDEN_CHARACTER.pattern}")


def visible(text: str) -> str:
    r"""Return text in which every character that is not seen as itself is replaced by its escape.

    Escape sequences can hide or rewrite lines of a terminal, overrides of direction reorder what is read, and
    invisible characters make different names look equal. Line breaks, tabs and joiners of scripts remain.
    Secrets that this process knows are replaced by fingerprints.

    >>> visible("a\x1b[2J\u202eb")
    'a\\x1b[2J\\u202eb'
    """
    return _UNSEEN.sub(_escaped, without_secrets(text))


def one_line(text: str) -> str:
    r"""Return text from data on one line, so that it cannot pass for another line or a workflow command.

    >>> one_line("q1\n::error::fake")
    'q1 ::error::fake'
    """
    return visible(" ".join(text.split()))


def json_escaped(text: str) -> str:
    r"""Return JSON text whose hidden characters are escaped; the data that it encodes are the same.

    >>> json_escaped('"\u202e"')
    '"\\u202e"'
    """
    text = without_secrets(text)
    if (
        text.isascii() and "\x7f" not in text
    ):  # JSON has no other control characters; the pattern takes 20 us per kB
        return text
    return _HIDDEN_CHARACTER.sub(_json_escape, text)


def _escaped(match: re.Match[str]) -> str:
    return match[0].encode("unicode_escape").decode("ascii")


def _json_escape(match: re.Match[str]) -> str:
    pairs = match[0].encode("utf-16-be", "surrogatepass").hex()
    return "".join(f"\\u{pairs[i : i + 4]}" for i in range(0, len(pairs), 4))
