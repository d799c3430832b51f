"""JSON over HTTP: connections that are kept, answers of bounded size and time, and patience with a busy server."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import socket
import ssl
import time
import urllib.request
from collections.abc import Mapping
from typing import Any
from urllib.parse import SplitResult

from lormika.errors import InputError, ModelError
from lormika.models.files import megabytes

_BUSY = (429, 502, 503, 504)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0  # seconds before another try; doubled each time
_CHUNK = 1 << 16
_LONGEST_MESSAGE = 300
_TOKEN, _VALUE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"), re.compile(r"[\t -~]*")


class _UnreachedError(Exception):
    """The server could not be reached, or closed the connection; worth another try."""


class Server:
    """The server of a URL. Threads may share it: each request takes an idle connection, or opens one."""

    def __init__(
        self, url: SplitResult, *, timeout: float, retries: int, headers: Mapping[str, str], max_size: int
    ) -> None:
        self._url, self._timeout, self._retries, self._max_size = url, timeout, retries, max_size
        for name, value in headers.items():  # a value may be a secret: it is never part of a message
            if not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
                raise InputError(f"the header {name!r} cannot be sent: letters, digits and signs of one line only")
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **headers}
        self._idle: list[http.client.HTTPConnection] = []

    def close(self) -> None:
        """Close all connections."""
        while self._idle:
            self._idle.pop().close()

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and read its JSON answer; tries again if the server is busy or cannot be reached."""
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        address = f"{self._url.scheme}://{self._url.netloc}{path}"
        tries = 0
        while True:
            try:
                status, reason, fields, content = self._send(method, path, data, address)
                said = f"{address} answered {status} {reason}{_message(content)}"
                wish = fields.get("Retry-After")
            except _UnreachedError as error:
                status, said, wish = 0, f"{address} cannot be reached: {error}{self._proxy_hint()}", None
            if status and status not in _BUSY:
                break
            if tries == self._retries:
                again = f" (after {tries} more {'try' if tries == 1 else 'tries'})" if tries else ""
                raise ModelError(said + again)
            time.sleep(_pause(tries, wish))
            tries += 1
        if 300 <= status < 400:
            raise ModelError(f"{said}, and sends us on to {fields.get('Location')!r}: give the final address")
        if status != 200:
            raise ModelError(said)
        try:
            return json.loads(content)
        except ValueError:
            raise ModelError(f"{address} answered something that is not JSON{_message(content)}") from None

    def _send(
        self, method: str, path: str, data: bytes | None, address: str
    ) -> tuple[int, str, http.client.HTTPMessage, bytes]:
        deadline = time.monotonic() + self._timeout
        kept = bool(self._idle)
        connection = self._idle.pop() if kept else self._open()
        keep = False
        try:
            connection.request(method, path, data, self._headers)
            answer = connection.getresponse()
            content = self._read(answer, connection, deadline, address)
            keep = not answer.will_close
            return answer.status, answer.reason, answer.headers, content
        except TimeoutError:  # it may still be at work, and another request would only add to that
            raise ModelError(
                f"{address} gave no answer within {self._timeout:g} s; allow more with timeout (--time-limit), or "
                "send less at a time with batch_rows"
            ) from None
        except ssl.SSLError as error:
            raise ModelError(f"{address}: no secure connection: {error}") from None
        except (OSError, http.client.HTTPException) as error:
            if kept and isinstance(error, ConnectionError):  # closed since the last request: no fault, so open another
                return self._send(method, path, data, address)
            raise _UnreachedError(str(error) or type(error).__name__) from error
        finally:
            if keep:
                self._idle.append(connection)
            else:
                connection.close()

    def _open(self) -> http.client.HTTPConnection:
        host, port = self._url.hostname or "", self._url.port
        if self._url.scheme == "https":
            return http.client.HTTPSConnection(host, port, timeout=self._timeout, context=ssl.create_default_context())
        return http.client.HTTPConnection(host, port, timeout=self._timeout)

    def _read(
        self, answer: http.client.HTTPResponse, connection: http.client.HTTPConnection, deadline: float, address: str
    ) -> bytes:
        content = bytearray()
        while True:
            left = deadline - time.monotonic()
            if left <= 0:  # a server that sends a byte now and then
                raise TimeoutError
            if isinstance(connection.sock, socket.socket):
                connection.sock.settimeout(left)
            chunk = answer.read1(_CHUNK)
            if not chunk:
                break
            content += chunk
            if len(content) > self._max_size:
                raise ModelError(
                    f"{address} answered more than {megabytes(self._max_size)}; allow more with max_size (--max-size)"
                )
        if answer.length:
            raise http.client.IncompleteRead(bytes(content), answer.length)
        answer.close()  # else the connection would wait for the rest, of which there is none
        return bytes(content)

    def _proxy_hint(self) -> str:
        """Say that a proxy of the environment is not used, if one would apply."""
        proxies = urllib.request.getproxies()
        if self._url.scheme in proxies and not urllib.request.proxy_bypass(self._url.hostname or ""):
            return f" (the proxy in {self._url.scheme}_proxy is not used)"
        return ""


def _pause(tries: int, wish: str | None) -> float:
    pause = _FIRST_PAUSE * 2.0**tries
    if wish is not None and wish.isdigit():
        pause = max(pause, float(wish))
    return min(pause, _LONGEST_PAUSE)


def _message(content: bytes) -> str:
    """What the server has to say, in short."""
    text = content.decode("utf-8", "replace").strip()
    with contextlib.suppress(ValueError, KeyError, TypeError):
        text = str(json.loads(text)["error"])
    text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return f": {text[:_LONGEST_MESSAGE]}" if text else ""
