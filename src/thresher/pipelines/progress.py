"""Progress: a bar on a terminal, plain lines elsewhere, nothing when switched off."""

import shutil
import sys
import time
from types import TracebackType
from typing import Self

_SECONDS_BETWEEN_LINES = 10.0


class Progress:
    """Counts items as they are done, on standard error.

    Args:
        items: number of items in all.
        done: number of items that were done before.
        shown: False for silence. Otherwise a bar on a terminal; elsewhere a line every ten seconds.
    """

    def __init__(self, items: int, done: int = 0, *, shown: bool = True) -> None:
        self._items = items
        self._done = done
        self._shown = shown
        self._bar = None
        self._last = time.monotonic()
        if shown and sys.stderr.isatty():
            from tqdm import tqdm

            width = shutil.get_terminal_size().columns  # some terminals tell tqdm a width of 0
            self._bar = tqdm(
                total=items, initial=done, unit="item", file=sys.stderr, leave=False, ncols=width
            )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.close()

    def advance(self, items: int) -> None:
        """Some more items are done."""
        self._done += items
        if self._bar is not None:
            self._bar.update(items)
            return
        now = time.monotonic()
        if self._shown and now - self._last >= _SECONDS_BETWEEN_LINES and self._done < self._items:
            self._last = now
            print(f"{self._done} of {self._items} items", file=sys.stderr, flush=True)  # noqa: T201
