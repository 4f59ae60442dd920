"""A gate for processes of one machine: threads of the driver answer on a private socket."""

import hmac
import json
import secrets
import shutil
import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from thresher.files.temporary import new_folder
from thresher.judges.engine.gate.connection import LARGEST, GateAddress
from thresher.judges.engine.gate.messages import Gatekeeper, LeaseRequest

_LONGEST_PATH = 100
"""Characters of a Unix socket's path that all systems accept."""
_POLL = 0.05
"""Seconds between two checks whether the server is to end."""


@contextmanager
def serving(gate: Gatekeeper, address: GateAddress | None = None) -> Iterator[GateAddress]:
    """Answer the workers of this machine while the block runs; yield the address for them.

    The socket is a Unix socket in a folder of this user, or on the loopback interface where there are none or
    the path would be too long. Callers must have the key of the address. Messages are JSON: nothing that
    arrives is executed. If this process dies, the system closes the socket, and the workers stop.

    Args:
        gate: the gate.
        address: the address of a gate that has ended, to continue for its workers; a new one by default.
    """
    if address is None:
        address = GateAddress(str(new_folder() / "gate"), secrets.token_hex(32))
    folder = Path(address.place).parent if isinstance(address.place, str) else None
    if folder is not None:
        folder.mkdir(mode=0o700, exist_ok=True)
        (folder / "gate").unlink(missing_ok=True)  # of a gate that was killed
    try:
        with _serving(_Answers(gate, address.key), address.place) as place:
            yield GateAddress(place, address.key)
    finally:
        if folder is not None:
            shutil.rmtree(folder, ignore_errors=True)


@contextmanager
def _serving(answers: "_Answers", place: str | tuple[str, int]) -> Iterator[Any]:
    """Answer callers in threads within the block; yield the place, which may be another than that given."""
    server = _server(place)
    server.answers = answers
    threading.Thread(target=server.serve_forever, args=(_POLL,), name="thresher-gate", daemon=True).start()
    try:
        yield server.server_address
    finally:
        server.shutdown()
        server.server_close()
        answers.close()


class _Answers:
    """Answers the lines of each connection, after one with the key."""

    def __init__(self, gate: Gatekeeper, key: str) -> None:
        self._gate = gate
        self._key = key.encode()
        self._lock = threading.Lock()
        self._open: set[socket.socket] | None = set()

    def serve(self, connection: socket.socket, lines: Any) -> None:
        """Answer one worker until it closes the connection or sends nonsense."""
        with self._lock:
            if self._open is None:
                return
            self._open.add(connection)
        if not hmac.compare_digest(lines.readline(LARGEST).strip(), self._key):
            return
        while line := lines.readline(LARGEST):
            lease = self._gate.lease(LeaseRequest.from_dict(json.loads(line)))
            connection.sendall(json.dumps(lease.to_dict()).encode() + b"\n")

    def close(self) -> None:
        """End all connections."""
        with self._lock:
            connections, self._open = self._open or set(), None
        for connection in connections:
            with suppress(OSError):  # the worker has closed it
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(socketserver.StreamRequestHandler):
    def handle(self) -> None:
        with suppress(OSError, ValueError, TypeError, KeyError, AttributeError):  # gone, or not a worker
            self.server.answers.serve(self.connection, self.rfile)  # type: ignore[attr-defined]  # set by `serving`


def _server(place: str | tuple[str, int]) -> Any:
    """A server at a path, or a host and port; on a free loopback port where no socket can have the path."""
    kind: Any = socketserver.ThreadingTCPServer
    if isinstance(place, str):
        unix = getattr(socketserver, "ThreadingUnixStreamServer", None)
        kind, place = (unix, place) if unix and len(place) <= _LONGEST_PATH else (kind, ("127.0.0.1", 0))
    options = {"daemon_threads": True, "block_on_close": False, "request_queue_size": 128}
    return type("GateServer", (kind,), options)(place, _Handler)
