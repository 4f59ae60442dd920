"""Circuit breaker of one judge over all workers."""

from thresher.judges.engine.gate.messages import JudgeState
from thresher.results.reasons import not_asked


class Circuit:
    """Counts the asks that all workers give up in a row, in the order in which they report.

    Args:
        most: asks given up in a row that open the circuit.

    Attributes:
        reason: why the judge gets no further request; empty while the circuit is closed.
    """

    def __init__(self, most: int) -> None:
        self._most = most
        self._states: dict[str, JudgeState] = {}
        self._row = 0
        self._rejected = False
        self.reason = ""

    def report(self, worker: str, state: JudgeState) -> None:
        """Record the state of one worker's breaker."""
        before = self._states.get(worker, JudgeState())
        if state.answers < before.answers:  # a new attempt of the worker
            before = JudgeState()
        self._states[worker] = state
        if state.answers > before.answers:
            self._row = state.row
            self.reason = self.reason if self._rejected else ""
        else:
            self._row += max(0, state.row - before.row)
        if state.rejected:
            self._rejected, self.reason = True, state.reason
        elif not self.reason and self._row >= self._most and state.reason:
            self.reason = not_asked(state.reason)
