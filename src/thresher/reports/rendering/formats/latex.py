r"""Tables as LaTeX; needs `\usepackage{booktabs}`."""

import re
from typing import Any

from thresher.reports.rendering.registry import Renderer
from thresher.reports.rendering.text import TableLike, cell_text
from thresher.reports.report import Report
from thresher.reports.table import Table
from thresher.visible_text import one_line

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': "''",
    "↑": r"$\uparrow$",
    "↓": r"$\downarrow$",
    "±": r"$\pm$",
    "\N{MINUS SIGN}": r"$-$",
    "…": r"\dots{}",
    "★": r"$\star$",
}
_SPECIAL_CHARACTER = re.compile("|".join(map(re.escape, _SPECIAL)))
_NUMBER = re.compile(r"[+-]?\d[\d.]*(?:e[+-]?\d+)?")
_INTERVAL = re.compile(r"\[([+-]?[\d.e+-]+), ([+-]?[\d.e+-]+)\]")


def latex(table: TableLike) -> str:
    r"""A `tabular` with rules above, under the header and below; columns of numbers are set right.

    >>> from thresher.reports.table import Table
    >>> print(latex(Table(["metric", "value"], [["token_f1", 0.5]])))
    \begin{tabular}{lr}
    \toprule
    metric & value \\
    \midrule
    token\_f1 & 0.5 \\
    \bottomrule
    \end{tabular}
    """
    rows = [[cell_text(cell) for cell in row] for row in table.rows]
    columns = zip(*rows, strict=True) if rows else ([] for _ in table.columns)
    sides = "".join("r" if _is_numeric(list(cells)) else "l" for cells in columns)
    lines = [rf"\begin{{tabular}}{{{sides}}}", r"\toprule", _line(list(table.columns)), r"\midrule"]
    return "\n".join([*lines, *map(_line, rows), r"\bottomrule", r"\end{tabular}"])


def escaped(text: str) -> str:
    r"""Text that LaTeX sets as it is, on one line.

    >>> print(escaped("50 % of a_b"))
    50 \% of a\_b
    """
    return _SPECIAL_CHARACTER.sub(lambda match: _SPECIAL[match[0]], one_line(text))


def _is_numeric(cells: list[str]) -> bool:
    known = [cell for cell in cells if cell not in ("", "-")]
    return bool(known) and all(_NUMBER.fullmatch(cell) or _INTERVAL.fullmatch(cell) for cell in known)


def _line(cells: list[str]) -> str:
    return " & ".join(map(_cell, cells)) + r" \\"


def _cell(text: str) -> str:
    interval = _INTERVAL.fullmatch(text)
    if interval:
        return f"$[{interval[1]},\\,{interval[2]}]$"
    if _NUMBER.fullmatch(text) and text[0] in "+-":
        return f"${text}$"
    special = escaped(text)
    return f"{{{special}}}" if special.startswith(("[", "*")) else special


def render(report: Report[Any]) -> str:
    """Return the report's tables, with notes and findings as comments around them."""
    summary = report.summary().with_findings(report.remarks)
    leading = report.leading()
    further = [_commented(part, latex(part)) for part in report.further_tables()]
    own = _commented(summary, "\n".join([latex(summary), *further]))
    return own if leading is None else f"{render(leading)}\n\n{own}"


def _commented(table: Table, text: str) -> str:
    """A table's text between its notes and its findings, as comments."""
    before, after = ([f"% {one_line(line)}" for line in part] for part in (table.notes, table.reading))
    return "\n".join([*before, text, *after])


RENDERER = Renderer("latex", render, suffixes=(".tex",))
