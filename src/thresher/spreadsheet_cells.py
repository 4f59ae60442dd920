"""Texts in CSV that a spreadsheet would execute as a formula: the mark before them, and its removal.

Workbooks store the type of a cell, so that the Excel writer needs no mark. CSV has no types.
"""

import re
from typing import Any

MARK = "'"
"""What spreadsheets themselves write before a text that is not a formula."""
_FORMULA = r"[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]"
"""First characters of formulas; spreadsheets also accept the wide forms, and skip line breaks and tabs."""
STARTS = frozenset("'=+-@\t\r\n\uff1d\uff0b\uff0d\uff20")
"""First characters of the cells that `guarded` or `unguarded` may change."""
_RISKY = re.compile(f"{MARK}*{_FORMULA}")
_MARKED = re.compile(f"{MARK}+{_FORMULA}")
_DIGITS = r"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?"
_NUMBER = re.compile(f"{_DIGITS}( to {_DIGITS})?|[+-]inf")
"""Numbers, and the ranges of reports, such as `-0.1 to 0.2`, which are not formulas either."""


def guarded(cell: Any) -> Any:
    """Return a cell of CSV that a spreadsheet shows instead of executing; numbers are unchanged.

    A text that begins with the mark and a formula gets another mark, so that `unguarded` restores every text.

    >>> guarded("=1+2"), guarded("'=1+2"), guarded("-0.5"), guarded("it's")
    ("'=1+2", "''=1+2", '-0.5', "it's")
    """
    if isinstance(cell, str) and _RISKY.match(cell) and not _NUMBER.fullmatch(cell):
        return MARK + cell
    return cell


def unguarded(cell: str) -> str:
    """Return the original text of a cell that `guarded` returned.

    >>> unguarded("'=1+2"), unguarded("''=1+2"), unguarded("'quoted'")
    ('=1+2', "'=1+2", "'quoted'")
    """
    return cell[1:] if _MARKED.match(cell) else cell
