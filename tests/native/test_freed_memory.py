"""Memory that was freed leaves the process."""

import platform
from pathlib import Path

import pytest

from thresher.native.freed_memory import release_freed_memory


def resident():
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096


@pytest.mark.skipif(platform.libc_ver()[0] != "glibc", reason="only glibc is asked to return memory")
def test_memory_below_a_block_in_use_is_returned():
    blocks = [bytes(1000) for _ in range(60_000)]
    last = blocks[-1]
    before = resident()
    del blocks
    release_freed_memory()
    assert len(last) == 1000
    assert before - resident() > 40e6
