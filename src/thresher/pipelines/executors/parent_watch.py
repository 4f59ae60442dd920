"""Workers end with their driver, so that nobody pays for a run that was stopped."""

import os
import threading
from multiprocessing.connection import Connection


def end_with(driver: Connection) -> None:
    """End this process as soon as the other end of a pipe is closed, also in the middle of a request.

    The system closes the other end when the driver ends in any way, so a killed driver is noticed at once.
    What the process has not committed is lost, as after a kill.

    Args:
        driver: the reading end; nothing is ever written to the other end, which only the driver holds.
    """
    threading.Thread(target=_wait, args=(driver,), name="thresher-parent-watch", daemon=True).start()


def _wait(driver: Connection) -> None:
    try:
        driver.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
