"""Whether work grows in proportion to its input, whatever the machine and its load."""

import time
from collections.abc import Callable
from typing import Any

_TIMES = 16
_ALLOWED = 80
"""Between 16, which linear work takes 16 times the input, and 256, which quadratic work takes."""
_LEAST = 2e-4


def assert_linear(run: Callable[[str], Any], piece: str, length: int = 3_000) -> None:
    """Fail if a text of 16 times the length takes far more than 16 times the processor time."""
    short, long = (_seconds(run, piece * (size // len(piece))) for size in (length, _TIMES * length))
    assert long < _ALLOWED * max(short, _LEAST), f"{short:.4f} s, and {long:.4f} s for {_TIMES} times as much"


def _seconds(run: Callable[[str], Any], text: str) -> float:
    taken = []
    for _ in range(2):
        start = time.thread_time()
        run(text)
        taken.append(time.thread_time() - start)
    return min(taken)
