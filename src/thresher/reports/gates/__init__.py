"""Gates: requirements that a run has to reach, decided by intervals."""

from thresher.reports.gates.decision import Decision, Item, Outcome
from thresher.reports.gates.gate import gate, undecided
from thresher.reports.gates.outcome import GateOutcome
from thresher.reports.gates.parsing import parse
from thresher.reports.gates.requirement import Requirement

__all__ = ["Decision", "GateOutcome", "Item", "Outcome", "Requirement", "gate", "parse", "undecided"]
