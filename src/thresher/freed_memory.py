"""What becomes of freed memory: small blocks are reused, and large steps return theirs to the system."""

import os
import sys
from collections.abc import Callable
from functools import cache

_TRIM_THRESHOLD, _MMAP_THRESHOLD = -1, -3
"""Parameters of `mallopt` in glibc."""
_LARGEST = 8 << 20
"""Bytes of the largest block that is reused; larger ones, such as the columns of a whole run, go back to the
system at once. Twice as many free bytes stay with the process."""
LARGE_STEP = 8 << 20
"""Bytes that a step must read or write at a time before freed memory is returned to the system.

After smaller steps, such as parts of 10,000 answers (2.4 MB), the next one would fault the pages in again:
92,000 faults and 6 % of the processor time of `run qa` on 100,000 rows (`benchmarks/startup.py`), which needs
16 MB more if they are not returned. After the part of 250,000 boxes (15 MB) and its statistics (13 MB),
`run object_detection` needs 30 and 75 MB less (`benchmarks/detection_files.py`).
"""
_CHOSEN = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")


_ARROW_POOL = "ARROW_DEFAULT_MEMORY_POOL"


def reuse_freed_memory() -> None:
    """Have glibc keep freed blocks for the next chunk; does nothing elsewhere, or if the user chose limits.

    Arrow allocates with glibc too, unless the user chose otherwise. Its own allocator keeps more of what was
    freed: 38 MB more at the peak of `run object_detection` on 250,000 boxes.

    Otherwise each step returns its memory to the system and faults in as many new pages: 9 % of the
    processor time of `thresher run qa` on 100,000 rows (`benchmarks/startup.py`). The most memory at a time
    grows by 3 %.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _CHOSEN):
        return
    choose = _glibc("mallopt")
    if choose is not None:
        os.environ.setdefault(_ARROW_POOL, "system")
        choose(_MMAP_THRESHOLD, _LARGEST)
        choose(_TRIM_THRESHOLD, 2 * _LARGEST)


def release_freed_memory(size: int) -> None:
    """Return what glibc and Arrow have freed to the system, after a large step.

    Both keep freed memory for later, glibc whatever lies below a block in use, in processes that reuse it and
    in others. Later steps that are as large would reuse it, but a run has few of them.

    Args:
        size: bytes that the step read or wrote at a time; nothing happens below `LARGE_STEP`.
    """
    if size < LARGE_STEP:
        return
    trim = _glibc("malloc_trim") if sys.platform == "linux" else None
    if trim is not None:
        trim(0)
    arrow = sys.modules.get("pyarrow")
    if arrow is not None:
        arrow.default_memory_pool().release_unused()


@cache
def _glibc(name: str) -> Callable[..., int] | None:
    """A function of glibc; None with other C libraries."""
    import ctypes  # `thresher --version` needs none

    return getattr(ctypes.CDLL(None), name, None)
