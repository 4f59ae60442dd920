"""Workers end with their driver, so that nobody pays for a run that was stopped."""

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from multiprocessing.connection import Client, Connection, Listener

Address = tuple[str, int]
_END = b"end"
_followed: set[Address] = set()


def end_with(driver: Connection) -> None:
    """End this process as soon as the other end of a connection is closed, also in the middle of a request.

    The system closes the other end when the driver ends in any way, so a killed driver is noticed at once.
    What the process has not committed is lost, as after a kill.

    Args:
        driver: the end to read from. Only the driver holds the other end; what it writes ends the watch.
    """
    threading.Thread(target=_wait, args=(driver,), name="thresher-parent-watch", daemon=True).start()


def follow(address: Address) -> None:
    """End this process with the driver that listens at an address; once per address.

    Raises:
        OSError: if no driver answers.
    """
    if address not in _followed:
        end_with(Client(address))
        _followed.add(address)


@contextmanager
def followed(host: str) -> Iterator[Address]:
    """Let workers on other machines follow this process for a block; yield the address to give to `follow`.

    Nothing is read from those that connect.

    Args:
        host: the address of this machine that workers can reach.
    """
    with Listener((host, 0)) as listener:
        workers: list[Connection] = []
        accepting = threading.Thread(
            target=_accept, args=(listener, workers), name="thresher-followed", daemon=True
        )
        accepting.start()
        try:
            yield listener.address
        finally:
            for worker in workers:
                with suppress(OSError):
                    worker.send_bytes(_END)
                worker.close()


def _accept(listener: Listener, workers: list[Connection]) -> None:
    with suppress(OSError):  # the listener is closed
        while True:
            workers.append(listener.accept())


def _wait(driver: Connection) -> None:
    try:
        driver.recv_bytes()
    except (EOFError, OSError):
        os._exit(1)
