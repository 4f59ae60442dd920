"""What happened to a connection, read from the exceptions of any HTTP client."""

import errno
import socket
import ssl
from collections.abc import Sequence
from dataclasses import dataclass

_REFUSED = frozenset({errno.ECONNREFUSED})
_NO_WAY = frozenset({errno.EHOSTUNREACH, errno.ENETUNREACH, errno.EHOSTDOWN, errno.EADDRNOTAVAIL})
_LOST = frozenset({errno.ECONNRESET, errno.ECONNABORTED, errno.EPIPE})
_CLASSES = {
    "ConnectTimeout": ("no connection in time", True),
    "ConnectError": ("no connection", True),
    "NewConnectionError": ("no connection", True),
    "ClientConnectorError": ("no connection", True),
    "RemoteProtocolError": ("connection lost", False),
    "ReadError": ("connection lost", False),
    "WriteError": ("connection lost", False),
    "ServerDisconnectedError": ("connection lost", False),
}
"""Classes of httpx, urllib3 and aiohttp by name, since none of them needs to be installed."""


@dataclass(frozen=True)
class ConnectionFault:
    """What happened to a connection.

    Attributes:
        cause: the same in a few words, e.g. `connection refused`.
        unreachable: whether no connection could be made at all; one that was lost may have been lost because
            of what was sent.
    """

    cause: str
    unreachable: bool


def connection_fault(links: Sequence[BaseException]) -> ConnectionFault | None:
    """The fault of a connection that an exception and its causes describe; None if they describe another.

    The innermost cause is the most precise one: clients wrap a refused connection in a general error.
    """
    for read in (_by_system, _by_class):
        for link in reversed(links):
            fault = read(link)
            if fault is not None:
                return fault
    return None


def _by_system(link: BaseException) -> ConnectionFault | None:
    """What the operating system or the TLS library reported."""
    if isinstance(link, socket.gaierror):
        return ConnectionFault("host name not found", unreachable=True)
    if isinstance(link, ssl.SSLError):
        return ConnectionFault("no secure connection", unreachable=True)
    number = getattr(link, "errno", None)
    if isinstance(link, ConnectionRefusedError) or number in _REFUSED:
        return ConnectionFault("connection refused", unreachable=True)
    if number in _NO_WAY:
        return ConnectionFault("no connection", unreachable=True)
    lost = isinstance(link, ConnectionResetError | ConnectionAbortedError | BrokenPipeError)
    return ConnectionFault("connection lost", unreachable=False) if lost or number in _LOST else None


def _by_class(link: BaseException) -> ConnectionFault | None:
    """What an HTTP client calls it."""
    for cls in type(link).__mro__:
        if cls.__name__ in _CLASSES:
            return ConnectionFault(*_CLASSES[cls.__name__])
    return None
