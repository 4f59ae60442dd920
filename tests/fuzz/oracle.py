"""The outcome of every input: a one-line error or a right result, soon and in little memory."""

import resource
import signal
import warnings
from collections.abc import Callable
from contextlib import contextmanager

from thresher.datasets.dataset import Dataset
from thresher.errors import ThresherError

SECONDS = 10
"""Most seconds of one input, on a busy machine."""
MEGABYTES = 700
"""Most memory that the inputs of one fuzzer may add."""
_LONGEST = 4100


class Hang(BaseException):
    """An input took too long; no handler of exceptions stops it."""


def outcome(action: Callable[[], object]) -> object | None:
    """The result of an action, or None if it was refused as it should be.

    Raises:
        AssertionError: for a message of several lines, or without words.
        Exception: whatever else the action raises; it is what a fuzzer looks for.
    """
    with time_limit(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            result = action()
        except ThresherError as error:
            message = str(error)
            assert message.strip(), "an error without words"
            assert len(message.splitlines()) == 1, f"an error of several lines: {message!r}"
            assert len(message) < _LONGEST, f"an error of {len(message)} characters: {message[:200]!r}"
            return None
        if isinstance(result, Dataset):
            check_dataset(result)
        return result


def check_dataset(data: Dataset) -> None:
    """A data set that was read is usable: columns as long as the ids, entries with a fingerprint."""
    assert {len(column) for column in data.columns.values()} <= {len(data)}
    assert len(set(data.ids)) == len(data.ids)
    assert data.fingerprint() == data.take(range(len(data))).fingerprint()


@contextmanager
def time_limit():
    def stop(*_):
        raise Hang(f"more than {SECONDS} seconds")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def peak_megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
