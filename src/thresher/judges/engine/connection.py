"""Connection faults, read from the exceptions of any HTTP client."""

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
"""Classes of httpx, urllib3 and aiohttp by name, as none of them need be installed."""


@dataclass(frozen=True)
class ConnectionFault:
    """Fault of a connection.

    Attributes:
        cause: a few words, e.g. `connection refused`.
        unreachable: whether no connection was made at all. A connection may be lost because of the request
            itself.
    """

    cause: str
    unreachable: bool


def connection_fault(links: Sequence[BaseException]) -> ConnectionFault | None:
    """Return the connection fault among an exception and its causes; None if there is none.

    The innermost cause is the most precise one, as clients wrap a refused connection in a general error.
    """
    for read in (_by_system, _by_class):
        for link in reversed(links):
            fault = read(link)
            if fault is not None:
                return fault
    return None


def _by_system(link: BaseException) -> ConnectionFault | None:
    """Fault reported by the operating system or the TLS library."""
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
    """Fault named by the class of an HTTP client's exception."""
    for cls in type(link).__mro__:
        if cls.__name__ in _CLASSES:
            return ConnectionFault(*_CLASSES[cls.__name__])
    return None
