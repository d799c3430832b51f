"""Attacks from other pages and other machines: each is refused, and nothing is told."""

from __future__ import annotations

import socket

import pytest
from served_loans import HANGS, TOKEN, Client

from lormika import InputError
from lormika.serving.guard import HEADERS, Hosts, cookie_name, cookie_value
from lormika.serving.launch import check_token

PATHS = [
    "/",
    "/api/description",
    "/api/cases",
    "/healthz",
    "/openapi.json",
    "/static/board.css",
    "/v1/models",
    "/nothing",
]


def _raw(server, text: str) -> str:
    """What a server answers to bytes that no client would send."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=HANGS) as line:
        line.sendall(text.encode("latin-1"))
        line.shutdown(socket.SHUT_WR)
        pieces = []
        while piece := line.recv(65536):
            pieces.append(piece)
    return b"".join(pieces).decode("latin-1")


def test_who_has_no_token_keeps_no_connection(client) -> None:
    with Client(client.server, token=None) as stranger:
        for path in ("/", "/api/description", f"/?{'&'.join('a' * 150)}"):
            answer = stranger.get(path)
            assert (answer.status_code, answer.headers["connection"]) == (401, "close")
            assert answer.headers["content-security-policy"] == HEADERS["Content-Security-Policy"]


@pytest.mark.parametrize("host", ["evil.com@localhost", "localhost/evil", "localhost#.evil.com", "local\thost", "a b"])
def test_a_host_is_a_name_and_a_port(host) -> None:
    assert not Hosts("127.0.0.1").allow(host)


@pytest.mark.parametrize("path", PATHS)
def test_nothing_without_a_token(client, path) -> None:
    with Client(client.server, token=None) as stranger:
        assert stranger.get(path).status_code == 401
        assert stranger.post(path, json={}).status_code == 401


@pytest.mark.parametrize(
    "header",
    [
        {"Authorization": "Bearer"},
        {"Authorization": f"Bearer {TOKEN}x"},
        {"Authorization": f"Bearer {TOKEN[:-1]}"},
        {"Authorization": f"Basic {TOKEN}"},
        {"Authorization": TOKEN},
        {"Authorization": "Bearer \xff\xfe"},
        {"Cookie": f"lormika={TOKEN}"},
        {"Cookie": f"lormika-80={cookie_value(TOKEN)}"},
    ],
)
def test_a_wrong_token(client, header) -> None:
    with Client(client.server, token=None) as stranger:
        encoded = {name: value.encode("latin-1") for name, value in header.items()}
        answer = stranger.get("/api/description", headers=encoded)
    assert answer.status_code == 401
    assert answer.json()["error"]["kind"] == "token"


def test_the_token_in_the_address_is_for_the_page_alone(client) -> None:
    with Client(client.server, token=None) as stranger:
        assert stranger.get("/api/description", params={"token": TOKEN}).status_code == 401
        assert stranger.get("/", params={"token": TOKEN + "x"}).status_code == 401
        assert "set-cookie" not in stranger.get("/", params={"token": "x"}).headers


def test_opening_the_address_gives_a_cookie(client) -> None:
    with Client(client.server, token=None) as browser:
        opened = browser.get("/", params={"token": TOKEN})
        assert opened.status_code == 200
        cookie = opened.headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert TOKEN not in cookie
        assert TOKEN not in opened.text
        assert browser.get("/api/description").status_code == 200
        assert browser.get("/").status_code == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:80",
        "127.0.0.1.evil.example",
        "localhost.evil.example",
        "10.0.0.7",
        "",
        "[::1",
        "a@127.0.0.1.x",
    ],
)
def test_a_foreign_host(client, host) -> None:
    """A name of somebody else's that leads to this machine: DNS rebinding."""
    answer = _raw(
        client.server, f"GET /api/description HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n"
    )
    assert answer.startswith("HTTP/1.1 40")
    assert "income" not in answer


def test_two_hosts_or_none(client) -> None:
    port = client.server.port
    for hosts in (f"Host: 127.0.0.1:{port}\r\nHost: evil.example\r\n", ""):
        answer = _raw(client.server, f"GET /healthz HTTP/1.1\r\n{hosts}Authorization: Bearer {TOKEN}\r\n\r\n")
        assert answer.startswith("HTTP/1.1 40")


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://127.0.0.1.evil.example", "http://127.0.0.1:1"]
)
def test_a_foreign_origin(client, origin) -> None:
    for method, path in (("POST", "/api/predict"), ("GET", "/api/description"), ("OPTIONS", "/api/predict")):
        answer = client.request(method, path, headers={"Origin": origin}, json={"case": {"row": 1}})
        assert answer.status_code == 403
        assert answer.json()["error"]["kind"] == "origin"
        assert "access-control-allow-origin" not in answer.headers


def test_the_own_origin(client) -> None:
    headers = {"Origin": client.server.origin, "Sec-Fetch-Site": "same-origin"}
    assert client.post("/api/predict", headers=headers, json={"case": {"row": 1}}).status_code == 200


def test_another_site_with_the_cookie(client) -> None:
    headers = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}
    assert client.get("/api/description", headers=headers).status_code == 403


def test_a_form_of_another_site_cannot_post(client) -> None:
    """A form can send any text as text/plain, and no JSON."""
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", ""):
        answer = client.post("/api/predict", content=b'{"case": {"row": 1}}', headers={"Content-Type": kind})
        assert answer.status_code == 415


@pytest.mark.parametrize("path", PATHS)
def test_headers_of_every_answer(client, path) -> None:
    for token in (TOKEN, None):
        with Client(client.server, token=token) as anybody:
            headers = anybody.get(path).headers
        for name in HEADERS:
            assert name.lower() in headers
        policy = headers["content-security-policy"]
        assert "script-src 'self'" in policy
        assert "unsafe" not in policy
        assert "frame-ancestors 'none'" in policy
        assert "server" not in headers


@pytest.mark.parametrize(
    "path",
    [
        "/static/../service.py", "/static/..%2fservice.py", "/static/%2e%2e/service.py", "/static/....//service.py",
        "/static//etc/passwd", "/static/%2fetc%2fpasswd", "/static/page.js%00.html", "/static/",
        "/static/index.html/..",
        "/static/..\\service.py", "//etc/passwd", "/static/PAGE.JS", "/static/page.js/",
    ],
)  # fmt: skip
def test_path_tricks(client, path) -> None:
    answer = _raw(
        client.server,
        f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n\r\n",
    )
    assert answer.startswith("HTTP/1.1 404")
    assert "import" not in answer


def test_methods_that_are_none(client) -> None:
    assert client.put("/api/predict", json={}).status_code == 405
    assert client.get("/api/predict").status_code == 405
    assert client.delete("/api/jobs/nobody-knows-it").status_code == 404
    assert client.request("TRACE", "/").status_code in (400, 405)


def test_static_files(client) -> None:
    page = client.get("/")
    assert page.headers["content-type"] == "text/html; charset=utf-8"
    assert "<script>" not in page.text
    assert "<style" not in page.text
    assert " onclick=" not in page.text
    style = client.get("/static/board.css")
    assert style.headers["content-type"] == "text/css; charset=utf-8"
    assert "{#" not in style.text
    again = client.get("/static/board.css", headers={"If-None-Match": style.headers["etag"]})
    assert again.status_code == 304


def test_other_machines_need_a_token_that_was_given() -> None:
    for host in ("0.0.0.0", "192.168.1.5", "example.com", "::"):
        with pytest.raises(InputError, match="other machines could then reach"):
            check_token(host, None)
        check_token(host, "long-enough-token")
    check_token("127.0.0.1", None)
    for token in ("short", "", "with blanks in it, and long"):
        with pytest.raises(InputError, match="at least 16"):
            check_token("127.0.0.1", token)


def test_hosts_of_a_server_for_others() -> None:
    hosts = Hosts("0.0.0.0", ["loans.bank.example"])
    assert hosts.allow("10.1.2.3:8080")  # digits cannot be rebound
    assert hosts.allow("loans.bank.example")
    assert hosts.allow("LOANS.bank.example:8080")
    assert not hosts.allow("evil.example:8080")
    assert not Hosts("127.0.0.1").allow("10.1.2.3:8080")
    assert cookie_name("127.0.0.1:8080") != cookie_name("127.0.0.1:8081")


def test_an_address_without_end(client) -> None:
    assert client.get("/api/cases", params={"text": "x" * 30_000}).status_code == 414
    assert client.get("/healthz", headers={"X": "y" * 500_000}).status_code in (400, 431)


def test_every_origin_is_looked_at(client) -> None:
    own = f"http://127.0.0.1:{client.server.port}"
    request = f"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{client.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
    for origins, status in (([own], 200), ([own, "http://evil.example"], 403), (["null"], 403)):
        lines = "".join(f"Origin: {origin}\r\n" for origin in origins)
        answer = _raw(client.server, f"{request}{lines}Connection: close\r\n\r\n")
        assert answer.startswith(f"HTTP/1.1 {status}")
