"""Launch: a server in a thread, its address, and its end."""

from __future__ import annotations

import secrets
import socket
import threading
import time
import webbrowser
from collections.abc import Sequence
from types import TracebackType

import uvicorn

from lormika import system
from lormika.errors import InputError
from lormika.serving.guard import Hosts, is_loopback
from lormika.serving.service import Service

_START = 30.0  # seconds until it must be up
_SHORTEST_TOKEN = 16


class Server:
    """A server that is up.

    See `lormika.serve`, which makes one.
    """

    def __init__(
        self, service: Service, *, host: str = "127.0.0.1", port: int = 0, token: str | None = None,
        names: Sequence[str] = (),
    ) -> None:  # fmt: skip
        check_token(host, token)
        self.service = service
        self.token = token or secrets.token_urlsafe(24)
        try:
            self._socket = _listen(host, port)
        except InputError:
            service.close()
            raise
        self.port: int = self._socket.getsockname()[1]
        self.host = host
        self._server = _make_server(service, self.token, Hosts(host, names), host)
        self._ended, self._is_stopped = threading.Event(), False
        self._thread = threading.Thread(target=self._run, daemon=True, name="lormika-server")
        service.start()
        self._thread.start()
        self._await_start()

    @property
    def origin(self) -> str:
        """The address without its key."""
        shown = "127.0.0.1" if self.host in ("0.0.0.0", "::") else self.host
        return f"http://{f'[{shown}]' if ':' in shown else shown}:{self.port}"

    @property
    def address(self) -> str:
        """The address to open."""
        return f"{self.origin}/?token={self.token}"

    def open(self) -> None:
        """Open the page in the browser."""
        webbrowser.open(self.address)

    def wait(self) -> None:
        """Wait until it ends, or is interrupted."""
        try:
            while not self._ended.wait(0.5):  # a thread whose join was interrupted counts as ended, while it goes on
                pass
        finally:
            self.stop()

    def stop(self) -> None:
        """End it; once more does nothing, since work that hangs would be waited for again."""
        if self._is_stopped:
            return
        self._is_stopped = True
        self._server.should_exit = True
        self.service.close()
        self._thread.join(10)
        self._socket.close()

    def __enter__(self) -> Server:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self.stop()

    def __repr__(self) -> str:
        return f"<Server at {self.origin}>"

    def _run(self) -> None:
        try:
            self._server.run(sockets=[self._socket])
        finally:
            self._ended.set()

    def _await_start(self) -> None:
        until = time.monotonic() + _START
        while not self._server.started:
            if not self._thread.is_alive() or time.monotonic() > until:
                raise InputError(f"the server could not be started at {self.origin}")
            time.sleep(0.005)


def check_token(host: str, token: str | None) -> None:
    """Refuse a server that others can reach, without a key that somebody has chosen to share; and short keys."""
    if token is not None and (len(token) < _SHORTEST_TOKEN or not all("!" <= sign <= "~" for sign in token)):
        raise InputError(f"--token: give at least {_SHORTEST_TOKEN} letters, digits and signs, without blanks")
    if token is None and not is_loopback(host):
        raise InputError(
            f"--host {host}: other machines could then reach the data and the model, and whatever is sent could be "
            "read on the way, since the server speaks plain HTTP. If that is meant, give a key with --token, which "
            "everybody needs who may ask, and put a proxy with TLS before it"
        )


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listening = socket.socket(family, kind, protocol)
    except OSError as error:
        raise InputError(f"--host {host}: cannot be used: {error.strerror}") from error
    try:
        system.reserve(listening)
        listening.bind(address)
    except (OSError, OverflowError) as error:
        listening.close()
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(f"--host {host} --port {port}: cannot be used: {reason}") from error
    return listening


def _make_server(service: Service, token: str, hosts: Hosts, host: str) -> uvicorn.Server:
    from lormika.serving.app import make_app
    from lormika.serving.patience import impatient

    limits = service.limits
    config = uvicorn.Config(
        make_app(service, token, hosts),
        host=host,
        http=impatient(limits.header_seconds),
        ws="none",
        lifespan="off",
        access_log=False,  # its lines would hold the key
        log_level="critical",
        limit_concurrency=limits.connections,
        timeout_keep_alive=int(limits.header_seconds),
        timeout_graceful_shutdown=1,
        server_header=False,
        h11_max_incomplete_event_size=65_536,
    )
    return uvicorn.Server(config)
