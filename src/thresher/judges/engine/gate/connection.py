"""A worker's connection to the gate of its driver."""

import json
import socket
import threading
import time
from dataclasses import dataclass, field
from typing import Self

from thresher.judges.engine.gate.messages import GateLostError, Lease, LeaseRequest

PATIENCE = 2.0
"""Seconds in which a worker tries to reach its gate before it counts as gone."""
_SLOWEST = 30.0
"""Seconds that an answer of a gate may take that is there: a driver on a busy machine is not gone."""
LARGEST = 1 << 24
"""Bytes of a message; one with the ledger of a thousand workers has 200 kB."""
_PAUSE = 0.1


@dataclass(frozen=True)
class GateAddress:
    """Where a gate answers; plain data for the workers, and a secret.

    Attributes:
        place: path of a Unix socket, or host and port.
        key: key that callers must have.
    """

    place: str | tuple[str, int]
    key: str = field(repr=False)


class GateConnection:
    """Answers for the gate at an address. Thread-safe; connects at the first call.

    Args:
        address: the address.
        patience: seconds to reach the gate.
    """

    def __init__(self, address: GateAddress, patience: float = PATIENCE) -> None:
        self._address = address
        self._patience = patience
        self._lock = threading.Lock()
        self._socket: socket.socket | None = None

    def lease(self, request: LeaseRequest) -> Lease:
        """Answer one call; connects again if the connection was lost.

        A repeated call is harmless: it carries totals, and at worst a lease stays unused.

        Raises:
            GateLostError: if the gate cannot be reached within the patience.
        """
        line = json.dumps(request.to_dict()).encode() + b"\n"
        end = time.monotonic() + self._patience
        with self._lock:
            while True:
                try:
                    return Lease.from_dict(json.loads(self._answer(line)))
                except (OSError, ValueError) as error:
                    self._disconnect()
                    if time.monotonic() >= end:
                        raise GateLostError("the driver of the run has ended") from error
                    time.sleep(_PAUSE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the connection; a later call opens a new one."""
        with self._lock:
            self._disconnect()

    def _answer(self, line: bytes) -> bytes:
        if self._socket is None:
            self._socket = self._connected()
            self._lines = self._socket.makefile("rb")
            self._socket.sendall(self._address.key.encode() + b"\n")
        self._socket.sendall(line)
        return self._lines.readline(LARGEST)

    def _connected(self) -> socket.socket:
        place = self._address.place
        family = socket.AF_UNIX if isinstance(place, str) else socket.AF_INET
        connection = socket.socket(family)
        connection.settimeout(_SLOWEST)
        try:
            connection.connect(tuple(place) if not isinstance(place, str) else place)
        except OSError:
            connection.close()
            raise
        return connection

    def _disconnect(self) -> None:
        if self._socket is not None:
            self._lines.close()
            self._socket.close()
            self._socket = None
