"""A gate's decisions as annotations that GitHub shows beside a job."""

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.decision import Decision, Outcome

_LEVELS = {Outcome.FAILED: "error", Outcome.UNDECIDED: "error", Outcome.INCONCLUSIVE: "warning"}


def annotations(gate: Decided) -> list[str]:
    """One workflow command for each requirement that is not met: errors, and warnings for what is open."""
    return [_command(decision) for decision in gate.decisions if decision.outcome in _LEVELS]


def _command(decision: Decision) -> str:
    title = _property(f"{decision.requirement} {decision.outcome}")
    look = f" Look at {', '.join(map(str, decision.worst))}." if decision.worst else ""
    return f"::{_LEVELS[decision.outcome]} title={title}::{_data(decision.sentence + look)}"


def _data(text: str) -> str:
    """Percent, carriage return and line feed are what ends or hides a command."""
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    """Within a property, colon and comma end it too."""
    return _data(text).replace(":", "%3A").replace(",", "%2C")
