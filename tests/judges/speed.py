"""Whether work grows in proportion to its input: lines of Python that run, not seconds.

What one pattern does in one line is counted by `tests/test_patterns.py`.
"""

import sys
from collections.abc import Callable
from typing import Any

_TIMES = 4
_ALLOWED = 6
"""Between 4, which linear work takes for 4 times the input, and 16, which quadratic work takes."""
_LEAST = 300


def assert_linear(run: Callable[[str], Any], piece: str, length: int = 300) -> None:
    """Fail if a text of 4 times the length takes far more than 4 times the lines."""
    short, long = (_lines(run, piece * (size // len(piece))) for size in (length, _TIMES * length))
    assert long <= _ALLOWED * max(short, _LEAST), f"{long} lines for {_TIMES} times as much as {short}"


def _lines(run: Callable[[str], Any], text: str) -> int:
    count = 0

    def trace(_frame: Any, event: str, _argument: Any) -> Any:
        nonlocal count
        count += event == "line"
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        run(text)
    finally:
        sys.settrace(before)
    return count
