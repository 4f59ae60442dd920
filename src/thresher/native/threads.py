"""How many threads a kernel uses."""

import os

from thresher.errors import InputError

_MOST = 8  # memory bandwidth and the caller's own processes leave little to more


def threads_for(work: int, smallest: int) -> int:
    """Threads for `work` units; one as long as no two threads get `smallest` units each.

    THRESHER_THREADS limits them; default: the processors of this process, at most 8.

    Raises:
        InputError: unless THRESHER_THREADS is a whole number above 0.

    >>> threads_for(10, smallest=1_000)
    1
    """
    return max(1, min(_limit(), work // smallest))


def _limit() -> int:
    setting = os.environ.get("THRESHER_THREADS", "")
    if setting:
        if not setting.isdecimal() or not int(setting):
            raise InputError(f"THRESHER_THREADS={setting} is not a number of threads; give 1 or more")
        return int(setting)
    affinity = getattr(os, "sched_getaffinity", None)  # a container may have fewer than the machine
    processors = len(affinity(0)) if affinity else os.cpu_count() or 1
    return min(_MOST, processors)
