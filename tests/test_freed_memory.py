"""Freed memory is reused, and returned to the system after large steps."""

import ctypes
import os
import subprocess
import sys
from pathlib import Path

import pytest

from thresher.freed_memory import LARGE_STEP, release_freed_memory, reuse_freed_memory

CODE = """
import resource, sys
from thresher.freed_memory import reuse_freed_memory
if len(sys.argv) > 1:
    reuse_freed_memory()
def faults():
    before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
    for _ in range(20):
        blocks = [b"x" * 1_000_000 for _ in range(8)]
        del blocks
    return resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before
faults()
print(faults())
"""
"""Allocates and frees as chunks of a run do, and prints the faults of pages."""

glibc = pytest.mark.skipif(
    sys.platform != "linux" or not hasattr(ctypes.CDLL(None), "mallopt"), reason="needs glibc"
)


POOL = """
from thresher.freed_memory import reuse_freed_memory
reuse_freed_memory()
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
"""


def output(code, *words, **variables):
    environment = {key: value for key, value in os.environ.items() if key != "ARROW_DEFAULT_MEMORY_POOL"}
    command = [sys.executable, "-c", code, *words]
    process = subprocess.run(command, capture_output=True, text=True, check=True, env=environment | variables)
    return process.stdout.strip()


def faults(*words, **variables):
    return int(output(CODE, *words, **variables))


@glibc
def test_blocks_are_used_again_without_faults():
    assert faults("reuse") < 500
    assert faults() > 5_000


@glibc
def test_limits_of_the_user_are_respected():
    assert faults("reuse", MALLOC_TRIM_THRESHOLD_="131072") > 5_000


@glibc
def test_arrow_allocates_as_numpy_does_unless_the_user_chose_a_pool():
    assert output(POOL) == "system"
    assert output(POOL, ARROW_DEFAULT_MEMORY_POOL="mimalloc") == "mimalloc"


def test_other_systems_are_left_alone(monkeypatch):
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr(ctypes, "CDLL", None)
    reuse_freed_memory()
    release_freed_memory(LARGE_STEP)


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@glibc
@pytest.mark.parametrize(("size", "returned"), [(LARGE_STEP, True), (LARGE_STEP - 1, False)])
def test_memory_below_a_block_in_use_is_returned_after_large_steps(size, returned):
    blocks = [bytes(1000) for _ in range(60_000)]
    last = blocks[-1]
    before = resident()
    del blocks
    release_freed_memory(size)
    assert len(last) == 1000
    assert (before - resident() > 40e6) == returned
