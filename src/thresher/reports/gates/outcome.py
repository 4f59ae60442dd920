"""What a gate says: a decision for each requirement, and one for all, in the forms that people read."""

from dataclasses import dataclass

from thresher.reports.gates.decided import Decided
from thresher.reports.gates.junit import junit
from thresher.reports.gates.markdown import markdown
from thresher.reports.gates.terminal import terminal


@dataclass(frozen=True)
class GateOutcome(Decided):
    """Decisions about one run, with the forms they are shown in. True if it passed.

    Its data, e.g. `run`, `decisions` and `notes`, are those of `Decided`.
    """

    def to_markdown(self) -> str:
        """For a pull request; see `thresher.reports.gates.markdown`."""
        return markdown(self)

    def to_junit(self) -> str:
        """JUnit XML; see `thresher.reports.gates.junit`."""
        return junit(self)

    def __str__(self) -> str:
        return terminal(self)
