"""Sockets with a deadline: all operations, however many, end by then.

The timeout of a socket holds for each call separately, so a server that sends a byte now and then can keep a reader
waiting for ever. The same is true of urllib3 (even with `Timeout(total=…)`) and httpx: both waited four seconds for a
server sending two bytes a second, with a timeout of one. So deadlines are handled here, below `http.client`.
"""

from __future__ import annotations

import math
import queue
import socket
import ssl
import threading
import time
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer, WriteableBuffer

_Address = tuple[
    socket.AddressFamily, socket.SocketKind, int, str, tuple[str, int] | tuple[str, int, int, int] | tuple[int, bytes]
]
"""As the system looks it up: family, kind and protocol of a socket, the host's name, and where to connect to."""


class TimedSocket(socket.socket):
    """A socket whose calls, taken together, end at a deadline."""

    deadline = math.inf

    def recv_into(self, buffer: WriteableBuffer, *sizes: Any) -> int:  # None is allowed in secure ones
        """Receive, as long as there is time; reading a file made from the socket comes through here, too."""
        self.settimeout(time_left(self.deadline))
        return super().recv_into(buffer, *sizes)

    def send(self, data: ReadableBuffer, *flags: int) -> int:
        """Send a part, as long as there is time."""
        self.settimeout(time_left(self.deadline))
        return super().send(data, *flags)

    def sendall(self, data: ReadableBuffer, *flags: int) -> None:
        """Send everything, as long as there is time: the timeout is one of the whole call, or `send` sees to it."""
        self.settimeout(time_left(self.deadline))
        super().sendall(data, *flags)


class SecureTimedSocket(TimedSocket, ssl.SSLSocket):
    """The same with encryption; the timeout of a call covers everything that it reads and writes."""


def open_socket(host: str, port: int, context: ssl.SSLContext | None, deadline: float) -> TimedSocket:
    """Connect before the deadline, which then becomes the socket's own; with a context, securely."""
    opened = _connect(_look_up(host, port, deadline), deadline)
    try:
        opened.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if context is not None:
            opened.settimeout(time_left(deadline))
            context.sslsocket_class = SecureTimedSocket
            secured = context.wrap_socket(opened, server_hostname=host)
            assert isinstance(secured, SecureTimedSocket)
            opened = secured
    except BaseException:
        opened.close()
        raise
    opened.deadline = deadline
    return opened


def time_left(deadline: float) -> float | None:
    """Seconds until the deadline, as a timeout; raises `TimeoutError` if there are none.

    >>> time_left(math.inf) is None
    True
    """
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return None if left == math.inf else left


def _look_up(host: str, port: int, deadline: float) -> list[_Address]:
    """Addresses of a host. The system cannot be told how long to look for them, so a thread waits for it."""
    result: queue.SimpleQueue[list[_Address] | Exception] = queue.SimpleQueue()

    def look_up() -> None:
        try:
            result.put(list(socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)))
        except Exception as error:
            result.put(error)

    threading.Thread(target=look_up, daemon=True).start()
    try:
        addresses = result.get(timeout=time_left(deadline))
    except queue.Empty:
        raise TimeoutError from None
    if isinstance(addresses, Exception):
        raise addresses
    return addresses


def _connect(addresses: list[_Address], deadline: float) -> TimedSocket:
    """Connect to the first address that answers; each gets an equal share of the remaining time."""
    problem: OSError = OSError("the host has no address")
    for tried, (family, kind, protocol, _, address) in enumerate(addresses):
        connected = TimedSocket(family, kind, protocol)
        try:
            left = time_left(deadline)
            connected.settimeout(None if left is None else left / (len(addresses) - tried))
            connected.connect(address)
        except OSError as error:
            problem = error
            connected.close()
        except BaseException:
            connected.close()
            raise
        else:
            return connected
    raise problem
