"""What processes need: seconds, processor seconds and memory."""

import json
import resource
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

_MEASURE = """
import ctypes, json, os, subprocess, sys, time
if sys.platform == "linux":
    ctypes.CDLL(None).prctl(36, 1, 0, 0, 0)  # PR_SET_CHILD_SUBREAPER: processes whose parent ended come here
start = time.perf_counter()
process = subprocess.Popen(sys.argv[1:], stdout=subprocess.DEVNULL)
_, status, usage = os.wait4(process.pid, 0)
taken = time.perf_counter() - start
others = 0.0
while True:
    try:
        other = os.wait4(-1, 0)[2]
    except ChildProcessError:
        break
    others += other.ru_utime + other.ru_stime
print(json.dumps([taken, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, others, status]))
"""


class Cost(NamedTuple):
    """Seconds, processor seconds and most megabytes of a process, and processor seconds of others.

    `spent` includes children that the process waited for. The others are started by it and end by themselves,
    such as workers and the process that forks them; they are only counted on Linux.
    """

    taken: float
    spent: float
    peak: float
    others: float


def cost(command: Sequence[str], folder: Path, environment: dict[str, str] | None = None) -> Cost:
    """Run a command in a folder.

    A small process starts it: the peak of a new process begins with that of the one that starts it.

    Raises:
        RuntimeError: if the command fails.
    """
    small = [sys.executable, "-S", "-c", _MEASURE, *command]
    printed = subprocess.run(small, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE).stdout  # noqa: S603  # our own commands
    taken, spent, peak, others, status = json.loads(printed)
    if status:
        raise RuntimeError(f"{' '.join(command)} ended with status {status}")
    return Cost(taken, spent, peak, others)


def peak_megabytes() -> float:
    """The most memory of this process so far; on Linux without that of the process which started it."""
    status = Path("/proc/self/status")
    if status.is_file():
        lines = status.read_text(encoding="utf-8").splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) / 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
