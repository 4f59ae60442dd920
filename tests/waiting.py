"""Waits whose limits hold on a machine that others load, without being longer on one that they do not."""

import time

_PAUSE = 0.02


def wait_until(condition, seconds=60.0):
    """Wait until a condition holds, for so many seconds without those in which other processes had the cores.

    A look at the condition counts as the processor time that it takes, and a pause as its length: on a loaded
    machine both take longer, as does what is waited for.
    """
    spent = 0.0
    while True:
        start = time.thread_time()
        if condition():
            return
        assert spent < seconds, f"waited for {seconds} seconds in vain"
        time.sleep(_PAUSE)
        spent += _PAUSE + time.thread_time() - start


def settled(value, seconds=0.5):
    """Return a value that has not changed for so many seconds."""
    last, quiet = value(), 0.0

    def unchanged():
        nonlocal last, quiet
        now = value()
        quiet = quiet + _PAUSE if now == last else 0.0
        last = now
        return quiet >= seconds

    wait_until(unchanged)
    return last
