"""Progress of an experiment: one line over all configurations."""

import shutil
import sys
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from thresher.counted import counted
from thresher.judges.engine.account import Account
from thresher.pipelines.experiments.trials import OpenTrial
from thresher.visible_text import visible

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_UPDATES = 0.2
_MINUTE = 60


class ExperimentProgress:
    """Shows answers, failures, cost and the time left on standard error.

    Args:
        trials: the configurations that can run.
        account: the use of models.
        shown: False for silence. Otherwise a line that is updated on a terminal; elsewhere a line every ten
            seconds.

    Attributes:
        failed: questions that got no answer.
    """

    def __init__(self, trials: Sequence[OpenTrial], account: Account, *, shown: bool) -> None:
        self._trials = trials
        self._account = account
        self._shown = shown
        self._terminal = sys.stderr.isatty()
        # The command line shows control characters of other texts as escapes; this line needs its own.
        self._stream = getattr(sys.stderr, "unguarded", sys.stderr) if self._terminal else sys.stderr
        self._all = sum(len(open_trial.run.store.ids) for open_trial in trials)
        self._left = sum(open_trial.rows for open_trial in trials)
        self._done = 0
        self._start = self._last = time.monotonic()
        self.failed = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._shown and self._terminal and self._done:
            self._show()
            print(file=self._stream)

    def advance(self) -> None:
        """Count an answer."""
        self._done += 1
        interval = _SECONDS_BETWEEN_UPDATES if self._terminal else _SECONDS_BETWEEN_LINES
        if self._shown and time.monotonic() - self._last >= interval:
            self._last = time.monotonic()
            self._show()

    def line(self) -> str:
        """Configurations, questions that all were asked, answers, failures, cost and the time left."""
        answers = min(self._all - self._left + self._done, self._all)
        parts = [f"configurations {len(self._trials)}", f"questions {self._common()}"]
        parts += [f"{answers} of {counted(self._all, 'answer')}"]
        parts += [f"{self.failed} failed"] if self.failed else []
        parts += [f"cost {self._account.cost:.2f}"] if self._account.cost else []
        left = max(self._left - self._done, 0)
        if self._done and left:
            parts.append(_left((time.monotonic() - self._start) / self._done * left))
        return " · ".join(parts)

    def _common(self) -> str:
        """Number of questions that all configurations were asked, of all questions."""
        runnable = [open_trial for open_trial in self._trials if not open_trial.trial.problem]
        if not runnable:
            return "0"
        store, lacking = (
            runnable[0].run.store,
            set[int]().union(*(open_trial.open_blocks for open_trial in runnable)),
        )
        asked = sum(len(store.rows(number)) for number in range(store.blocks) if number not in lacking)
        return f"{asked} of {len(store.ids)}"

    def _show(self) -> None:
        if self._terminal:
            width = shutil.get_terminal_size().columns - 1  # a wrapped line could not be replaced
            print(f"\r\x1b[K{visible(self.line())[:width]}", end="", file=self._stream, flush=True)
        else:
            print(self.line(), file=self._stream, flush=True)


def _left(seconds: float) -> str:
    return f"{seconds / _MINUTE:.0f} min left" if seconds >= 1.5 * _MINUTE else f"{seconds:.0f} s left"
