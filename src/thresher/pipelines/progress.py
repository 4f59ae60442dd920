"""Progress: a bar on a terminal, plain lines elsewhere, nothing when switched off."""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from thresher.counted import counted
from thresher.judges.engine.account import Account
from thresher.visible_text import visible

_SECONDS_BETWEEN_LINES = 10.0
_SECONDS_BETWEEN_UPDATES = 0.5
"""Seconds between updates of a bar during judging."""
_JUDGED = "{percentage:3.0f}%|{bar}| {n_fmt}/{total_fmt} items [{elapsed}<{remaining}{postfix}]"
"""Bar format during judging: the use of the judge takes the place of the rate of items."""


class Progress:
    """Shows the number of finished items on standard error.

    Args:
        items: number of items in all.
        done: number of items finished before.
        shown: False for silence. Otherwise a bar on a terminal; elsewhere a line every ten seconds.
        account: the use of judges, shown while a chunk is computed; None without judges, which needs no
            updates within a chunk.
    """

    def __init__(
        self, items: int, done: int = 0, *, shown: bool = True, account: Account | None = None
    ) -> None:
        self._items = items
        self._done = done
        self._shown = shown
        self._account = account
        self._under_way = 0
        self._counted = (0, 0) if account is None else (account.begun, account.ended)
        self._ended = threading.Event()
        self._watcher: threading.Thread | None = None
        self._bar = None
        self._last = time.monotonic()
        if shown and sys.stderr.isatty():
            from tqdm import tqdm

            size = shutil.get_terminal_size()  # tqdm shows nothing on terminals that report a size of 0
            stream = getattr(sys.stderr, "unguarded", sys.stderr)  # a bar moves the cursor itself
            self._bar = tqdm(
                total=items,
                initial=done,
                unit="item",
                file=stream,
                leave=False,
                ncols=size.columns,
                nrows=size.lines,
                bar_format=None if account is None else _JUDGED,
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._ended.set()
        if self._watcher is not None:
            self._watcher.join()
        if self._bar is not None:
            self._bar.close()

    def begin(self, items: int) -> None:
        """Show how the judging of these items proceeds until `advance` counts them as finished."""
        if self._account is None or not self._shown:
            return
        self._under_way += items
        if self._watcher is None:
            self._counted = self._account.begun, self._account.ended
            arguments = (self._account,)
            self._watcher = threading.Thread(
                target=self._watch, args=arguments, name="thresher-progress", daemon=True
            )
            self._watcher.start()

    def advance(self, items: int) -> None:
        """Add finished items."""
        self._under_way = max(0, self._under_way - items)  # first: the watcher adds a share of it to the rest
        if self._account is not None:
            self._counted = self._account.begun, self._account.ended
        self._done += items
        if self._bar is not None:
            self._bar.update(self._done - self._bar.n)
        elif self._done < self._items:
            self._line(f"{self._done} of {counted(self._items, 'item')}")

    @contextmanager
    def chunk(self, items: int) -> Iterator[None]:
        """Count `items` as finished at the end of the block; show judging progress meanwhile."""
        self.begin(items)
        yield
        self.advance(items)

    def _watch(self, account: Account) -> None:
        """Show judging progress, in another thread."""
        interval = _SECONDS_BETWEEN_LINES if self._bar is None else _SECONDS_BETWEEN_UPDATES
        while not self._ended.wait(interval):
            if self._under_way:
                self._update(account)

    def _update(self, account: Account) -> None:
        """Move the bar by the share of judgements under way that have ended, or print a line."""
        begun, ended = account.begun - self._counted[0], account.ended - self._counted[1]
        usage = account.in_short()
        if self._bar is None:
            self._line(f"{self._done} of {counted(self._items, 'item')}; judged {ended} of {begun}: {usage}")
            return
        self._bar.n = max(self._bar.n, self._done + self._under_way * ended // max(begun, 1))
        self._bar.set_postfix_str(visible(usage))

    def _line(self, text: str) -> None:
        now = time.monotonic()
        if self._shown and now - self._last >= _SECONDS_BETWEEN_LINES:
            self._last = now
            print(text, file=sys.stderr, flush=True)  # noqa: T201
