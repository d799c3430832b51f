"""Guard: who may ask. Every request passes here before anything else sees it.

A page of another site must not reach a server on this machine, whatever its address bar says: so the Host, the Origin
and a token are checked. The token comes as a header, or as a cookie that no script can read and no other site can send.
"""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
import re
import socket
from collections.abc import Iterable
from urllib.parse import parse_qsl, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from lormika.serving.faults import Fault

_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
HEADERS = {
    "Content-Security-Policy": _POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}
"""Of every answer, unless it has stricter ones."""

_CLOSED = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>lormika</title>
<h1>This page needs its key</h1>
<p>Open the whole address that <code>lormika serve</code> printed, from http to the last letter.</p>
<p>If you came by a link that you had kept, open it once more after that: the browser then has the key.</p></html>"""
# Not a redirect: after a link on another site, a browser would not send the strict cookie along.
_OPENED = """<!DOCTYPE html><html lang="en"><meta charset="utf-8"><title>lormika</title>
<script src="/static/open.js"></script><noscript><a href="/">Go on</a></noscript></html>"""
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(:[0-9]{1,5})?")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "[::1]")


class Hosts:
    """Names under which a server may be addressed."""

    def __init__(self, host: str, names: Iterable[str] = ()) -> None:
        self._is_loopback = is_loopback(host)
        own = _LOOPBACK_NAMES if self._is_loopback else (*_LOOPBACK_NAMES, host, socket.gethostname(), socket.getfqdn())
        self._names = {name.lower() for name in (*own, *names)}

    def allow(self, host: str) -> bool:
        """Whether a Host header names this server: an address as digits cannot be rebound by somebody's DNS."""
        if not _HOST.fullmatch(host):
            return False
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        if name.lower() in self._names or f"[{name}]" in self._names:
            return True
        return not self._is_loopback and _is_address(name)


class Guard:
    """Checks Host, Origin and token, and gives every answer its headers."""

    def __init__(self, app: ASGIApp, token: str, hosts: Hosts) -> None:
        self._app, self._hosts = app, hosts
        self._token, self._ticket = (_digest(text) for text in (token, cookie_value(token)))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            return
        refusal = self._refusal(scope)
        if refusal is not None:
            if refusal.status_code >= 400:  # who has no token keeps no connection, of which there are only so many
                refusal.headers["Connection"] = "close"
            await refusal(scope, receive, _with_headers(send))
            return
        await self._app(scope, receive, _with_headers(send))

    def _refusal(self, scope: Scope) -> Response | None:
        headers = Headers(scope=scope)
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._hosts.allow(hosts[0]):
            return _refuse(Fault(403, "origin", "this server is not known under that name (Host)"))
        own = {f"{scheme}://{hosts[0]}" for scheme in ("http", "https")}
        if not own.issuperset(headers.getlist("origin")):
            return _refuse(Fault(403, "origin", "another site must not ask this server (Origin)"))
        opened = self._opening(scope, hosts[0])
        if opened is not None:
            return opened
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return _refuse(Fault(403, "origin", "another site must not ask this server"))
        return None if self._is_known(headers, hosts[0]) else self._closed(scope)

    def _opening(self, scope: Scope, host: str) -> Response | None:
        """The address that was printed: the browser gets a cookie, and the token leaves the address."""
        if scope["method"] != "GET" or scope["path"] != "/":
            return None
        try:
            query = parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True, max_num_fields=100)
        except ValueError:  # more than anybody needs
            return None
        tokens = [value for name, value in query if name == "token"]
        if not tokens:
            return None
        if not hmac.compare_digest(_digest(tokens[0]), self._token):
            return self._closed(scope)
        response = HTMLResponse(_OPENED)
        secure = scope["scheme"] == "https"  # behind a proxy
        name, value = cookie_name(host), cookie_value(tokens[0])
        response.set_cookie(name, value, httponly=True, samesite="strict", path="/", secure=secure)
        return response

    def _is_known(self, headers: Headers, host: str) -> bool:
        scheme, _, token = headers.get("authorization", "").partition(" ")
        if scheme.lower() == "bearer":
            return hmac.compare_digest(_digest(token.strip()), self._token)
        wanted = cookie_name(host)
        for part in headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == wanted and hmac.compare_digest(_digest(value), self._ticket):
                return True
        return False

    def _closed(self, scope: Scope) -> Response:
        if scope["path"] == "/":
            return HTMLResponse(_CLOSED, status_code=401)
        return _refuse(
            Fault(401, "token", "a token is needed: Authorization: Bearer …", {"WWW-Authenticate": "Bearer"})
        )


def cookie_name(host: str) -> str:
    """Cookies do not tell ports apart: the name does, for two servers on one machine."""
    return f"lormika-{host.rpartition(':')[2] if host.rpartition(':')[2].isdecimal() else '80'}"


def cookie_value(token: str) -> str:
    """What the cookie holds: not the token itself, which opens the interface for programs, too."""
    return hashlib.sha256(b"lormika cookie " + token.encode()).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach an address.

    >>> is_loopback("127.0.0.1"), is_loopback("localhost"), is_loopback("::1"), is_loopback("0.0.0.0")
    (True, True, True, False)
    """
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _digest(text: str) -> bytes:
    """Of equal length, whatever the text, so that comparing takes the same time."""
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).digest()


def _refuse(fault: Fault) -> Response:
    return JSONResponse(fault.body(), status_code=fault.status, headers=fault.headers)


def _with_headers(send: Send) -> Send:
    async def wrapped(message: Message) -> None:
        if message["type"] == "http.response.start":
            headers = MutableHeaders(scope=message)
            for name, value in HEADERS.items():
                headers.setdefault(name, value)
        await send(message)

    return wrapped
