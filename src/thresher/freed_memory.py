"""Freed memory that is used again, in processes that Thresher started."""

import os
import sys

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of `mallopt` in glibc."""
_LARGEST = 8 << 20
"""Bytes of the largest block that is reused; larger ones, such as the columns of a whole run, go back to the
system at once. Twice as many free bytes stay with the process."""
_CHOSEN = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


def reuse_freed_memory() -> None:
    """Have glibc keep freed blocks for the next chunk; does nothing elsewhere, or if the user chose limits.

    Otherwise each step returns its memory to the system and faults in as many new pages: 9 % of the
    processor time of `thresher run qa` on 100,000 rows (`benchmarks/startup.py`). The most memory at a time
    grows by 3 %.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _CHOSEN):
        return
    import ctypes

    choose = getattr(ctypes.CDLL(None), "mallopt", None)  # musl has none
    if choose is not None:
        choose(_MMAP_THRESHOLD, _LARGEST)
        choose(_TRIM_THRESHOLD, 2 * _LARGEST)
