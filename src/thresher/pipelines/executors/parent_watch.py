"""Workers end with their driver, so that nobody pays for a run that was stopped."""

import os
import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

Address = tuple[str, int]
_END = b"."
_PATIENCE = 10.0
"""Seconds for the connection to a driver on another machine."""
_POLL = 0.1
"""Seconds between two checks whether to accept further workers. Closing a socket does not wake a thread that
waits for a connection: it would accept one more, and drop it."""
_followed: set[Address] = set()


def end_with(wait: Callable[[], object]) -> None:
    """End this process as soon as its driver ends, also in the middle of a request.

    The system closes the connections of a process that ends in any way, so a killed driver is noticed at
    once. What this process has not committed is lost, as after a kill.

    Args:
        wait: returns when the driver no longer needs the process, and raises EOFError or OSError when the
            connection to the driver is closed.
    """
    threading.Thread(target=_watch, args=(wait,), name="thresher-parent-watch", daemon=True).start()


def follow(driver: Address) -> None:
    """End this process with the driver at an address, for which `followed` waits; once per address.

    Raises:
        OSError: if no driver answers.
    """
    if driver in _followed:
        return
    connection = socket.create_connection(driver, timeout=_PATIENCE)
    connection.settimeout(None)

    def wait() -> None:
        if not connection.recv(len(_END)):
            raise EOFError

    end_with(wait)
    _followed.add(driver)


@contextmanager
def followed(host: str) -> Iterator[Address]:
    """Let processes on any machine follow this one for a block; yield the address to give to `follow`.

    Nothing is read from those that connect.

    Args:
        host: the address of this machine that workers can reach.
    """
    workers: list[socket.socket] = []
    ended = threading.Event()
    with socket.create_server((host, 0)) as server:
        server.settimeout(_POLL)
        arguments = (server, workers, ended)
        accepting = threading.Thread(target=_accept, args=arguments, name="thresher-followed", daemon=True)
        accepting.start()
        try:
            yield server.getsockname()[:2]
        finally:
            ended.set()
            accepting.join()
            for worker in workers:
                with worker, suppress(OSError):
                    worker.sendall(_END)


def _accept(server: socket.socket, workers: list[socket.socket], ended: threading.Event) -> None:
    while not ended.is_set():
        with suppress(TimeoutError):
            workers.append(server.accept()[0])


def _watch(wait: Callable[[], object]) -> None:
    try:
        wait()
    except (EOFError, OSError):
        os._exit(1)
