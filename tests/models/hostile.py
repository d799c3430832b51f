"""Servers that speak something like HTTP, byte by byte, for as long as anybody listens."""

from __future__ import annotations

import itertools
import json
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

from lormika import models

Talk = Callable[[socket.socket], Iterable[bytes]]  # what the server says, piece by piece

DESCRIPTION = {
    "inputs": [{"name": "table", "datatype": "FP64", "shape": [-1, 5]}],
    "outputs": [{"name": "predict_proba", "datatype": "FP64", "shape": [-1, 2]}],
}
_PATIENCE = 60.0  # seconds until a client that should have given up long ago counts as one that never does


@contextmanager
def talking(talk: Talk, pause: float = 0.02) -> Iterator[str]:
    """Serve whoever connects, with a pause between any two pieces, and give the address of the model."""
    over = threading.Event()
    threads: list[threading.Thread] = []

    def serve(connection: socket.socket) -> None:
        with connection, suppress(OSError):
            for piece in talk(connection):
                connection.sendall(piece)
                if over.wait(pause):
                    return

    def accept() -> None:
        with suppress(OSError):
            while True:
                connection, _ = listener.accept()
                connection.settimeout(_PATIENCE)
                connections.append(connection)
                threads.append(threading.Thread(target=serve, args=(connection,)))
                threads[-1].start()

    connections: list[socket.socket] = []
    listener = socket.create_server(("127.0.0.1", 0))
    acceptor = threading.Thread(target=accept)
    acceptor.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v2/models/loans"
    finally:
        over.set()
        for opened in (listener, *connections):
            with suppress(OSError):
                opened.shutdown(socket.SHUT_RDWR)
        listener.close()
        for thread in (acceptor, *threads):
            thread.join()


def once(*pieces: bytes) -> Talk:
    """Say this after the request, and hang up."""

    def talk(connection: socket.socket) -> Iterator[bytes]:
        read_request(connection)
        yield from pieces

    return talk


def for_ever(first: bytes, then: bytes) -> Talk:
    """Say one thing after the request, and then another again and again."""

    def talk(connection: socket.socket) -> Iterator[bytes]:
        read_request(connection)
        yield first
        yield from itertools.repeat(then)

    return talk


def answer(body: bytes | Any, start: bytes = b"HTTP/1.1 200 OK") -> bytes:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    return start + b"\r\nContent-Length: %d\r\n\r\n" % len(content) + content


def read_request(connection: socket.socket) -> bytes:
    """Read a request with its body."""
    request = bytearray()
    end = length = 0
    while not end or len(request) < end + length:
        piece = connection.recv(65536)
        if not piece:
            break
        request += piece
        if not end and b"\r\n\r\n" in request:
            end = request.index(b"\r\n\r\n") + 4
            length = int(request.partition(b"Content-Length: ")[2].partition(b"\r\n")[0] or 0)
    return bytes(request)


def load_patiently(url: str, **options: Any) -> BaseException:
    """What loading the model raises; an assertion fails if it goes on for ever."""
    return outcome(lambda: models.load(url, retries=0, **options))


def outcome(work: Callable[[], Any]) -> BaseException:
    """What the work raises; an assertion fails if it does not end, or raises nothing."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            work()
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    thread.join(_PATIENCE)
    assert not thread.is_alive(), "no end to it"
    assert raised, "nothing was raised"
    return raised[0]
