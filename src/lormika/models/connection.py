"""JSON over HTTP: kept connections, answers of bounded size and time, and patience with a busy server."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import ssl
import time
import urllib.request
import weakref
from collections.abc import Iterable, Mapping
from urllib.parse import SplitResult

from lormika.errors import InputError, ModelError
from lormika.models import json_text
from lormika.models.model_files import megabytes
from lormika.models.sockets import TimedSocket, open_socket
from lormika.types import JsonObject, JsonValue

_BUSY = (429, 502, 503, 504)
_FIRST_PAUSE, _LONGEST_PAUSE = 0.2, 10.0  # seconds before another try; doubled each time
_CHUNK = 1 << 16
_LONGEST_MESSAGE = 300
_LONGEST_EXPLANATION = 10_000  # of an answer that is looked at for a message
_TOKEN, _VALUE = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+"), re.compile(r"[\t -~]*")
_SHORTEST_SECRET = 4
_SCHEMES = ("basic", "bearer", "digest", "negotiate", "token")  # words of a header that are no secret
# A connection that was kept, but closed by the server since the last request.
_GONE = (ConnectionError, ssl.SSLEOFError, ssl.SSLZeroReturnError)


class _UnreachedError(Exception):
    """The server could not be reached, or closed the connection; worth another try."""


class _Connection(http.client.HTTPConnection):
    """HTTP over an open socket, which is never reopened."""

    def __init__(self, url: SplitResult, opened: TimedSocket) -> None:
        self.default_port = _usual_port(url)
        super().__init__(url.hostname or "", url.port or self.default_port)
        self.auto_open = 0
        self.sock = self.timed = opened


class Server:
    """The server of a URL. Threads may share it: each request takes an idle connection, or opens one."""

    def __init__(
        self, url: SplitResult, *, timeout: float, retries: int, headers: Mapping[str, str], max_size: int
    ) -> None:
        self._url, self._timeout, self._retries, self._max_size = url, timeout, retries, max_size
        _check_headers(headers)
        self._headers = {"Accept": "application/json", "Content-Type": "application/json", **headers}
        self._secrets = _secrets(headers.values())
        self._context = ssl.create_default_context() if url.scheme == "https" else None
        self._idle: list[_Connection] = []
        weakref.finalize(self, _close_all, self._idle)  # of a model that nobody closed

    def close(self) -> None:
        """Close all connections."""
        _close_all(self._idle)

    def clean(self, text: str, longest: int = _LONGEST_MESSAGE) -> str:
        """Text from the server as it can be shown: short, without control characters or values of our headers."""
        text = "".join(c if c.isprintable() else " " for c in text[:_LONGEST_EXPLANATION])
        return self._secrets.sub("…", " ".join(text.split()))[:longest]

    def ask(self, method: str, path: str, body: JsonObject | None = None) -> JsonValue:
        """Send a request and read its JSON answer; retry if the server is busy or cannot be reached."""
        data = None if body is None else json.dumps(body, allow_nan=False).encode()
        address = f"{self._url.scheme}://{self._url.netloc}{path}"
        tries = 0
        while True:
            try:
                status, reason, fields, content = self._send(method, path, data, address)
            except _UnreachedError as error:
                status, problem, wish = 0, f"{address} cannot be reached: {error}{self._proxy_hint()}", None
            else:
                if status == 200:
                    return self._parse(content, address)
                problem = f"{address} answered {status} {self.clean(reason)}".rstrip() + self._message(content)
                wish = fields.get("Retry-After")
            if status and status not in _BUSY:
                break
            if tries == self._retries:
                again = f" (after {tries} more {'try' if tries == 1 else 'tries'})" if tries else ""
                raise ModelError(problem + again)
            time.sleep(_pause(tries, wish))
            tries += 1
        if 300 <= status < 400:
            place = self.clean(fields.get("Location", ""))
            raise ModelError(f"{problem}, and sends us on to {place!r}: give the final address")
        raise ModelError(problem)

    def _parse(self, content: bytearray, address: str) -> JsonValue:
        try:
            return json_text.parse(content, self._max_size)
        except json_text.TooLargeError:
            raise ModelError(
                f"{address} answered what takes more than {megabytes(self._max_size)} once it is read; send less at a "
                "time with batch_rows, or allow more with max_size (--max-size)"
            ) from None
        except json_text.TooDeepError:
            raise ModelError(f"{address} answered JSON that is nested too deeply: no answer of the protocol") from None
        except ValueError:
            raise ModelError(f"{address} answered something that is not JSON{self._message(content)}") from None

    def _send(
        self, method: str, path: str, data: bytes | None, address: str
    ) -> tuple[int, str, http.client.HTTPMessage, bytearray]:
        deadline = time.monotonic() + self._timeout  # of everything, from the connection to the last byte
        try:
            while connection := self._take_idle():
                with contextlib.suppress(*_GONE):  # no fault: take another
                    return self._exchange(connection, method, path, data, address, deadline)
            return self._exchange(self._open(deadline), method, path, data, address, deadline)
        except TimeoutError:  # it may still be at work, and another request would only add to that
            raise ModelError(
                f"{address} gave no answer within {self._timeout:g} s; allow more with timeout (--time-limit), or "
                "send less at a time with batch_rows"
            ) from None
        except ssl.SSLError as error:
            raise ModelError(f"{address}: no secure connection: {self.clean(str(error))}") from None
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise _UnreachedError(self.clean(str(error)) or type(error).__name__) from None

    def _exchange(
        self, connection: _Connection, method: str, path: str, data: bytes | None, address: str, deadline: float
    ) -> tuple[int, str, http.client.HTTPMessage, bytearray]:
        """One request and its answer; the connection is kept for the next one, if both sides agree."""
        keep = False
        try:
            connection.timed.deadline = deadline
            connection.request(method, path, data, self._headers)
            with connection.getresponse() as answer:  # left open, it would hold the socket, or wait for more of it
                content = self._read(answer, address)
                keep = not answer.will_close
                return answer.status, answer.reason, answer.headers, content
        finally:
            if keep:
                self._idle.append(connection)
            else:
                connection.close()

    def _take_idle(self) -> _Connection | None:
        try:
            return self._idle.pop()
        except IndexError:
            return None

    def _open(self, deadline: float) -> _Connection:
        port = self._url.port or _usual_port(self._url)
        return _Connection(self._url, open_socket(self._url.hostname or "", port, self._context, deadline))

    def _read(self, answer: http.client.HTTPResponse, address: str) -> bytearray:
        content = bytearray()
        while chunk := answer.read1(_CHUNK):
            content += chunk
            if len(content) > self._max_size:
                raise ModelError(
                    f"{address} answered more than {megabytes(self._max_size)}; allow more with max_size (--max-size)"
                )
        if answer.length:
            raise http.client.IncompleteRead(bytes(content), answer.length)
        return content

    def _message(self, content: bytearray) -> str:
        """What the server has to say, in short."""
        text = content[:_LONGEST_EXPLANATION].decode("utf-8", "replace")
        if len(content) <= _LONGEST_EXPLANATION:
            with contextlib.suppress(ValueError, KeyError, TypeError, json_text.TooDeepError):
                text = str(json_text.parse(content)["error"])
        text = self.clean(text)
        return f": {text}" if text else ""

    def _proxy_hint(self) -> str:
        """Say that a proxy from the environment is not used, if one would apply."""
        proxies = urllib.request.getproxies()
        if self._url.scheme in proxies and not urllib.request.proxy_bypass(self._url.hostname or ""):
            return f" (the proxy in {self._url.scheme}_proxy is not used)"
        return ""


def _close_all(connections: list[_Connection]) -> None:
    while connections:
        connections.pop().close()


def _usual_port(url: SplitResult) -> int:
    return 443 if url.scheme == "https" else 80


def _check_headers(headers: Mapping[str, str]) -> None:
    """Refuse what cannot be sent. A value may be a secret: it is never part of a message."""
    if not isinstance(headers, Mapping):
        raise InputError(f"headers is a {type(headers).__name__}: give a dict, such as {{'Authorization': 'Bearer …'}}")
    for name, value in headers.items():
        is_text = isinstance(name, str) and isinstance(value, str)
        if not is_text or not _TOKEN.fullmatch(name) or not _VALUE.fullmatch(value):
            raise InputError(
                f"headers: {name!r} cannot be sent: a name and its value are letters, digits and signs of one line only"
            )


def _secrets(values: Iterable[str]) -> re.Pattern[str]:
    """A pattern for header values in a text, or words of them: a server that echoes one may leave out the rest.

    >>> _secrets(["Bearer abc123", "1"]).sub("…", "'ABC123' is no bearer token 1")
    "'…' is no bearer token 1"
    """
    parts = {part.strip() for value in values for part in [value, *re.split(r'[\s,;="]+', value)]}
    secrets = [part for part in parts if len(part) >= _SHORTEST_SECRET and part.lower() not in _SCHEMES]
    longest_first = sorted(secrets, key=len, reverse=True)
    return re.compile("|".join(map(re.escape, longest_first)) or "(?!)", re.IGNORECASE)


def _pause(tries: int, wish: str | None) -> float:
    """Seconds before another try; as many as the server wants, if that is not too long.

    >>> _pause(0, "3"), _pause(0, "²"), _pause(0, "9" * 999)
    (3.0, 0.2, 10.0)
    """
    pause = _FIRST_PAUSE * 2.0**tries
    if wish is not None and re.fullmatch("[0-9]+", wish):
        pause = max(pause, float(wish))
    return min(pause, _LONGEST_PAUSE)
