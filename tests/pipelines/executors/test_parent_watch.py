"""Processes that follow a driver end with it, and not when it says that it is done."""

import socket
import threading
import time

import pytest

from processes import Forked
from thresher.pipelines.executors import parent_watch
from thresher.pipelines.executors.parent_watch import followed

FOLLOW = """
import sys, time
from thresher.pipelines.executors.parent_watch import follow
follow(("127.0.0.1", int(sys.argv[1])))
print("follows", flush=True)
time.sleep(30)
"""
DRIVE = """
import sys, time
from thresher.pipelines.executors.parent_watch import followed
with followed("127.0.0.1") as (_, port):
    print(port, flush=True)
    time.sleep(30)
"""


@pytest.fixture
def begin():
    begun = []

    def started(code, *arguments):
        begun.append(Forked(code, *arguments))
        return begun[-1], begun[-1].stdout.readline().strip()

    yield started
    for process in begun:
        process.kill()
        process.communicate()


@pytest.mark.slow
def test_a_follower_ends_at_once_when_its_driver_is_killed(begin):
    driver, port = begin(DRIVE)
    follower, line = begin(FOLLOW, port)
    assert line == "follows"
    assert follower.poll() is None
    driver.kill()
    start = time.monotonic()
    assert follower.wait(5) == 1
    assert time.monotonic() - start < 2.0


@pytest.mark.slow
def test_a_follower_goes_on_when_its_driver_is_done(begin):
    with followed("127.0.0.1") as (_, port):
        follower, line = begin(FOLLOW, port)
        assert line == "follows"
    time.sleep(0.3)
    assert follower.poll() is None


def test_nobody_is_accepted_after_the_end(monkeypatch):
    monkeypatch.setattr(parent_watch, "_POLL", 0.01)
    for _ in range(20):
        with followed("127.0.0.1") as driver:
            pass
        with pytest.raises(OSError, match="refused"):
            socket.create_connection(driver, timeout=1)
    assert "thresher-followed" not in {thread.name for thread in threading.enumerate()}
