"""Formats that a gate's outcome words itself; in all others it is a table, as every report."""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Callable, Mapping
from typing import Any, Protocol

from thresher.counted import counted
from thresher.reports.gates.decision import Decision, RequirementOutcome
from thresher.reports.rendering.numbers import percent
from thresher.reports.rendering.terminal import fitted_text
from thresher.reports.rendering.text import json_text
from thresher.reports.rendering.text import markdown as markdown_table
from thresher.reports.table import Table
from thresher.visible_text import one_line, visible

PASSED, INCONCLUSIVE, FAILED, UNDECIDED = RequirementOutcome
MARK = "<!-- thresher gate -->"
"""First line of the Markdown, by which a later run finds and replaces its comment."""
_COLUMNS = ("requirement", "about", "value", "interval", "scored")
_SIGNS = {PASSED: "✅", FAILED: "❌", INCONCLUSIVE: "❔", UNDECIDED: "⚠️"}
_MARKDOWN_SYNTAX = re.compile(r"([\\`*_{}\[\]<>#|~@])")
_MARKDOWN_ENTITIES = {"<": "&lt;", ">": "&gt;", "@": "&#64;"}
_JUNIT_TAGS = {FAILED: "failure", INCONCLUSIVE: "failure", UNDECIDED: "error"}
"""Inconclusive is a failure and not skipped: a dashboard must not be green if nothing was shown."""
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ANNOTATIONS = {FAILED: "error", UNDECIDED: "error", INCONCLUSIVE: "warning"}


class DecidedGate(Protocol):
    """What the formats show of a gate; `GateOutcome` has these attributes."""

    @property
    def run(self) -> str:
        """Name of the run."""

    @property
    def items(self) -> int:
        """Items of the run."""

    @property
    def level(self) -> float:
        """Level of the intervals."""

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """One per requirement, metric and slice."""

    @property
    def outcome(self) -> RequirementOutcome:
        """The most severe outcome."""

    @property
    def summary(self) -> str:
        """The outcome in one line."""

    @property
    def remarks(self) -> list[str]:
        """What to know before the decisions."""

    def table(self) -> Table:
        """Return one row per decision."""

    def to_dict(self) -> dict[str, Any]:
        """Return strict JSON data."""


def terminal(gate: DecidedGate) -> str:
    """Return a table, a sentence per decision with the items to look at, and the outcome."""
    table = gate.table()
    columns = ("outcome", *_COLUMNS)
    shown = Table(columns, zip(*(table[column] for column in columns), strict=True))
    lines = [*map(one_line, gate.remarks), ""] if gate.remarks else []
    lines += [fitted_text(shown), ""]
    for decision in gate.decisions:
        lines.append(f"{decision.outcome}: {one_line(decision.sentence)}")
        lines += [f"    look at {_worst(decision)}"] if decision.worst else []
    return "\n".join([*lines, "", one_line(gate.summary)])


def explanation(gate: DecidedGate) -> str:
    """Return why a run did not pass: each unmet requirement, its coverage and the items to look at."""
    lines = [one_line(gate.summary), *(f"  {one_line(remark)}" for remark in gate.remarks)]
    for decision in gate.decisions:
        if decision.outcome is PASSED:
            continue
        scored = f" [{decision.coverage} scored]" if decision.items else ""
        lines.append(f"  {one_line(f'{_title(decision)}: {decision.sentence}{scored}')}")
        lines += [f"    look at {item}" for item in decision.worst]
    return "\n".join(lines)


def markdown(gate: DecidedGate) -> str:
    """Return a heading, a table, the sentences and the items to look at, for a pull request."""
    table = gate.table()
    signs = [f"{_SIGNS[decision.outcome]} {decision.outcome}" for decision in gate.decisions]
    rows = zip(signs, *(table[column] for column in _COLUMNS), strict=True)
    parts = [MARK, f"### {_SIGNS[gate.outcome]} {markdown_escaped(gate.summary)}"]
    parts += [f"> {markdown_escaped(remark)}" for remark in gate.remarks]
    parts.append(markdown_table(Table(("", *_COLUMNS), rows)))
    parts.append("\n".join(_markdown_lines(decision) for decision in gate.decisions))
    return "\n\n".join([*parts, f"Intervals of {percent(gate.level)}; {counted(gate.items, 'item')}."])


def _markdown_lines(decision: Decision) -> str:
    line = f"- {_SIGNS[decision.outcome]} {markdown_escaped(decision.sentence)}"
    return f"{line}\n  - look at {markdown_escaped(_worst(decision))}" if decision.worst else line


def markdown_escaped(text: str) -> str:
    r"""Return text on one line that Markdown shows unchanged, and that notifies no account.

    >>> print(markdown_escaped("a_b [x] @me"))
    a\_b \[x\] &#64;me
    """
    return _MARKDOWN_SYNTAX.sub(
        lambda match: _MARKDOWN_ENTITIES.get(match[0], f"\\{match[0]}"), one_line(text)
    )


def junit(gate: DecidedGate) -> str:
    """Return JUnit XML with one test case per decision."""
    tags = Counter(_JUNIT_TAGS.get(decision.outcome, "") for decision in gate.decisions)
    counts = {"tests": len(gate.decisions), "failures": tags["failure"], "errors": tags["error"]}
    totals = {name: str(count) for name, count in counts.items()}
    top = ET.Element("testsuites", totals)
    suite = ET.SubElement(top, "testsuite", {"name": _xml(f"thresher gate {gate.run}"), **totals})
    for decision in gate.decisions:
        _test_case(suite, gate.run, decision)
    if gate.remarks:
        ET.SubElement(suite, "system-out").text = _xml("\n".join(map(one_line, gate.remarks)))
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(top, encoding="unicode")}'


def _test_case(suite: ET.Element, run: str, decision: Decision) -> None:
    name = _xml(f"{decision.requirement} ({decision.subject})")
    case = ET.SubElement(suite, "testcase", {"classname": _xml(run), "name": name})
    if decision.outcome is PASSED:
        ET.SubElement(case, "system-out").text = _xml(decision.sentence)
        return
    attributes = {"type": decision.outcome.value, "message": _xml(decision.sentence)}
    problem = ET.SubElement(case, _JUNIT_TAGS[decision.outcome], attributes)
    if decision.worst:
        problem.text = _xml(f"look at {_worst(decision)}")


def _xml(text: str) -> str:
    """Text in visible characters, with a replacement for the others that XML cannot contain."""
    return _NOT_XML.sub("\ufffd", visible(text))


def annotations(gate: DecidedGate) -> str:
    """Return one workflow command of GitHub per unmet requirement: an error, a warning if inconclusive."""
    commands = []
    for decision in gate.decisions:
        if decision.outcome is PASSED:
            continue
        level, title = _ANNOTATIONS[decision.outcome], _command_text(_title(decision))
        title = title.replace(":", "%3A").replace(",", "%2C")
        look = f" Look at {_worst(decision)}." if decision.worst else ""
        commands.append(f"::{level} title={title}::{_command_text(decision.sentence + look)}")
    return "\n".join(commands)


def _command_text(text: str) -> str:
    """Text without the characters that end or hide a workflow command."""
    return visible(text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A"))


def _title(decision: Decision) -> str:
    return f"{decision.requirement} {decision.outcome}"


def _worst(decision: Decision) -> str:
    return ", ".join(map(str, decision.worst))


RENDERERS: Mapping[str, Callable[[DecidedGate], str]] = {
    "table": terminal,
    "markdown": markdown,
    "json": json_text,
    "junit": junit,
    "github": annotations,
}
"""Format, as in `--format` of the command line -> function that returns the outcome in it."""
