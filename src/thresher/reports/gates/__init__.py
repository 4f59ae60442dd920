"""Gates: requirements that a run has to meet, decided by confidence intervals."""

from thresher.reports.gates.decision import Decision, RequirementOutcome, WorstItem
from thresher.reports.gates.gate import gate, undecided
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.requirement import Requirement, parse

__all__ = [
    "Decision",
    "GateOutcome",
    "Requirement",
    "RequirementOutcome",
    "WorstItem",
    "gate",
    "parse",
    "undecided",
]
