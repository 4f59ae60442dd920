"""A gate's decisions as JUnit XML.

What could not be decided is an `<error>`; what failed is a `<failure>`. What is inconclusive is a
`<failure>` of the type `inconclusive` and not skipped: whoever reads this file alone must not see green where
nothing is shown.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.decision import Decision, Outcome

_TAGS = {Outcome.FAILED: "failure", Outcome.INCONCLUSIVE: "failure", Outcome.UNDECIDED: "error"}
_ILLEGAL = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(gate: Decided) -> str:
    """One test case per decision."""
    tags = Counter(_TAGS.get(decision.outcome, "") for decision in gate.decisions)
    counts = {"tests": len(gate.decisions), "failures": tags["failure"], "errors": tags["error"]}
    totals = {name: str(count) for name, count in counts.items()}
    top = ET.Element("testsuites", totals)
    suite = ET.SubElement(top, "testsuite", {"name": _legal(f"thresher gate {gate.run}"), **totals})
    for decision in gate.decisions:
        _case(suite, gate.run, decision)
    if gate.remarks:
        ET.SubElement(suite, "system-out").text = _legal("\n".join(gate.remarks))
    ET.indent(top)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(top, encoding="unicode")}'


def _case(suite: ET.Element, run: str, decision: Decision) -> None:
    name = f"{decision.requirement} ({decision.subject})"
    case = ET.SubElement(suite, "testcase", {"classname": _legal(run), "name": _legal(name)})
    tag = _TAGS.get(decision.outcome)
    if tag is None:
        ET.SubElement(case, "system-out").text = _legal(decision.sentence)
        return
    kind = decision.outcome.value
    told = ET.SubElement(case, tag, {"type": _legal(kind), "message": _legal(decision.sentence)})
    if decision.worst:
        told.text = _legal("look at " + ", ".join(map(str, decision.worst)))


def _legal(text: str) -> str:
    """Text without the characters that XML cannot hold."""
    return _ILLEGAL.sub("\ufffd", text)
