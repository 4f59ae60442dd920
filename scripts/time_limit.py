"""Pytest plugin for `mutate.py`: fail tests that hang, so that mutants that hang cost only seconds."""

import signal
from collections.abc import Generator
from typing import Any

import pytest

LIMIT = 40
"""Seconds for one test. The slowest test of a mutation run takes three on an idle machine."""


def pytest_configure() -> None:
    """Fail the running test when the alarm rings."""
    signal.signal(signal.SIGALRM, _fail)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol() -> Generator[None, Any, Any]:
    """Set the alarm for one test, its fixtures included."""
    # It rings again every second: an exception that is raised within an asyncio task ends only that task.
    signal.setitimer(signal.ITIMER_REAL, LIMIT, 1)
    try:
        return (yield)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)


def _fail(*_: Any) -> None:
    pytest.fail(f"no end after {LIMIT} seconds")
