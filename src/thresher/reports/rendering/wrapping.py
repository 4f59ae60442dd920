"""Columns of a table as narrow as a terminal needs: long texts continue on further lines."""

import re
from collections.abc import Callable, Sequence

GAP = 2
"""Characters between two columns, and those by which a column is wider than its heading (tabulate)."""
_LEAST = 10
"""Narrower columns of words in parts cannot be read."""
_INDENT = "  "
_WORDS = re.compile(r"\[[^\]\s]+, [^\]\s]+\]\s*|[^\s_/,]+[\s_/,]*[↑↓]?|[\s_/,]+")
_PIECES = re.compile(r"[^\s_/,]+[\s_/,]*[↑↓]?|[\s_/,]+")


def wrapped(text: str, width: int) -> str:
    r"""Return a text as lines of at most `width` characters, if possible broken between words.

    Words end at spaces, `_`, `/` and commas; an interval is one word. Only a word that is longer than a line
    is cut.

    >>> wrapped("detection_coco_map_50 (COCO)", 18)
    'detection_coco_\n  map_50 (COCO)'
    >>> wrapped("0.644 [0.602, 0.683]", 14), wrapped("[0.602, 0.683]", 10)
    ('0.644\n[0.602, 0.683]', '[0.602,\n  0.683]')
    """
    whole = _WORDS if _longest(_WORDS, text) <= width else _PIECES
    lines, line = [], ""
    for part in whole.findall(text):
        if line.strip() and len((line + part).rstrip()) > width:
            lines.append(line.rstrip())
            line = _INDENT if len(_INDENT + part.rstrip()) <= width else ""
        line += part
        while len(line.rstrip()) > width:
            lines.append(line[:width])
            line = line[width:]
    lines.append(line.rstrip())
    is_command = any(part.lstrip().startswith("::") for part in lines[1:])
    return text if is_command else "\n".join(lines)  # CI runs lines that begin with ::


def narrowed(columns: Sequence[str], rows: Sequence[Sequence[str]], room: int) -> list[int]:
    """Return the widths of columns that fit into a line; the widest columns become narrower first.

    Intervals are broken only if whole words do not fit, and words only if broken intervals do not.

    Args:
        columns: headings.
        rows: cells as texts.
        room: characters of a line. Very many columns take more.
    """
    cells = [[row[at] for row in rows] for at in range(len(columns))]
    widths = _widths(columns, cells, len)
    for measure in (_whole_words, _pieces, _cut):
        least = _widths(columns, cells, measure)
        for _ in range(sum(widths) + GAP * (len(widths) - 1) - room):
            at = max(range(len(widths)), key=lambda at: (widths[at] > least[at], widths[at]))
            if widths[at] <= least[at]:
                break
            widths[at] -= 1
    return widths


def _widths(
    columns: Sequence[str], cells: Sequence[Sequence[str]], measure: Callable[[str], int]
) -> list[int]:
    return [
        max([measure(head) + GAP, *map(measure, column)]) for head, column in zip(columns, cells, strict=True)
    ]


def _whole_words(text: str) -> int:
    return _longest(_WORDS, text)


def _pieces(text: str) -> int:
    return _longest(_PIECES, text)


def _cut(text: str) -> int:
    return min(_pieces(text), _LEAST)


def _longest(parts: re.Pattern[str], text: str) -> int:
    return max((len(part.rstrip()) for part in parts.findall(text)), default=0)
