"""A gate's decisions on a terminal."""

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.decision import one_line
from thresher.reports.rendering.text import plain_text
from thresher.reports.table import Table

_COLUMNS = ("outcome", "requirement", "about", "value", "interval", "scored")


def terminal(gate: Decided) -> str:
    """A table, one plain sentence for each row, the items to look at, and the outcome."""
    table = gate.table()
    short = Table(_COLUMNS, zip(*(table[column] for column in _COLUMNS), strict=True))
    lines = [*map(one_line, gate.remarks), ""] if gate.remarks else []
    lines += [plain_text(short), ""]
    for decision in gate.decisions:
        lines.append(f"{decision.outcome}: {one_line(decision.sentence)}")
        if decision.worst:
            lines.append(f"    look at {', '.join(map(str, decision.worst))}")
    return "\n".join([*lines, "", one_line(gate.summary)])
