"""A gate's decisions as Markdown for a pull request."""

import re

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.decision import Decision, Outcome
from thresher.reports.rendering.text import markdown as markdown_table
from thresher.reports.table import Table

MARK = "<!-- thresher gate -->"
"""Stands first, so that a later comment can replace this one."""
_SIGNS = {
    Outcome.PASSED: "✅",
    Outcome.FAILED: "❌",
    Outcome.INCONCLUSIVE: "❔",
    Outcome.UNDECIDED: "⚠️",
}
_COLUMNS = ("requirement", "about", "value", "interval", "scored")
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~@])")


def markdown(gate: Decided) -> str:
    """A heading, a table, the sentences and the items to look at."""
    table = gate.table()
    signs = [f"{_SIGNS[decision.outcome]} {decision.outcome}" for decision in gate.decisions]
    rows = zip(signs, *(table[column] for column in _COLUMNS), strict=True)
    shown = markdown_table(Table(("", *_COLUMNS), rows))
    parts = [MARK, f"### {_SIGNS[gate.outcome]} {escaped(gate.summary)}"]
    parts += [f"> {escaped(remark)}" for remark in gate.remarks]
    parts += [shown, "\n".join(_sentence(decision) for decision in gate.decisions)]
    return "\n\n".join([*parts, f"Intervals of {100 * gate.level:g} %; {gate.items} items."])


def escaped(text: str) -> str:
    r"""Text that Markdown shows as it is, on one line, notifying nobody.

    >>> print(escaped("a_b [x] @me"))
    a\_b \[x\] &#64;me
    """
    return _SPECIAL.sub(_harmless, " ".join(text.split()))


def _harmless(found: re.Match[str]) -> str:
    plain = {"<": "&lt;", ">": "&gt;", "@": "&#64;"}
    return plain.get(found[0], f"\\{found[0]}")


def _sentence(decision: Decision) -> str:
    told = f"- {_SIGNS[decision.outcome]} {escaped(decision.sentence)}"
    if not decision.worst:
        return told
    return f"{told}\n  - look at {escaped(', '.join(map(str, decision.worst)))}"
