"""Servers that want to keep us, to fill our memory, or to put words into our mouth."""

from __future__ import annotations

import itertools
import json
import shutil
import socket
import ssl
import subprocess
import threading
import tracemalloc

import numpy as np
import pytest
from hostile import DESCRIPTION, answer, for_ever, load_patiently, once, outcome, read_request, talking
from loans import fails, refuses
from server import Service, serving

from lormika import ModelError, models
from lormika.models import json_text

OK = b"HTTP/1.1 200 OK\r\n"
CHUNKED = OK + b"Transfer-Encoding: chunked\r\n\r\n"


def never_read(connection):
    """Describe the model, and then leave the rows unread."""
    read_request(connection)
    yield answer(DESCRIPTION)
    yield from itertools.repeat(b"")


TALKS = {
    "silence": for_ever(b"", b""),
    "a slow status line": for_ever(b"HTTP/1.1 200 ", b"O"),
    "a slow header": for_ever(OK + b"X: ", b"x"),
    "many slow headers": for_ever(OK, b"X: x\r\n"),
    "endless 100 Continue": for_ever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "endless headers of 100 Continue": for_ever(b"HTTP/1.1 100 Continue\r\n", b"X"),
    "a slow body": for_ever(OK + b"Content-Length: 1000000\r\n\r\n", b" "),
    "a slow body without a length": for_ever(OK + b"\r\n", b" "),
    "slow chunks": for_ever(CHUNKED, b"1\r\n \r\n"),
    "a slow length of a chunk": for_ever(CHUNKED, b"0"),
    "a slow extension of a chunk": for_ever(CHUNKED + b"1;", b"x"),
    "endless trailers": for_ever(CHUNKED + b"0\r\n", b"X: x\r\n"),
    "a busy server that is slow, too": for_ever(b"HTTP/1.1 503 Busy\r\nContent-Length: 1000000\r\n\r\n", b" "),
}


@pytest.mark.parametrize("name", TALKS)
def test_a_slow_server_is_left_at_the_deadline(name):
    with talking(TALKS[name]) as url:
        error = load_patiently(url, timeout=0.5)
    assert isinstance(error, ModelError)
    assert f"{url} gave no answer within 0.5 s; allow more with timeout" in str(error)


@pytest.mark.parametrize("name", ["endless 100 Continue", "endless trailers"])
def test_a_quick_server_without_an_end_is_left_at_the_deadline(name):
    with talking(TALKS[name], pause=0) as url:
        error = load_patiently(url, timeout=0.5)
    assert "no answer within 0.5 s" in str(error)


@pytest.mark.parametrize("first", [b"", b"\x16\x03\x03\x40\x00"])
def test_a_slow_handshake_is_left_at_the_deadline(first):
    def talk(connection):
        connection.recv(1)
        yield first
        yield from itertools.repeat(b"\x02" if first else b"")

    with talking(talk) as url:
        error = load_patiently(url.replace("http", "https"), timeout=0.5)
    assert "no answer within 0.5 s" in str(error)


def test_a_server_that_does_not_read_is_left_at_the_deadline():
    with talking(never_read) as url, models.load(url, timeout=0.5, retries=0, batch_rows=10**6) as model:
        error = outcome(lambda: model.predict_proba(np.full((100_000, 5), 1 / 3)))
    assert "no answer within 0.5 s" in str(error)


def test_a_slow_look_up_is_left_at_the_deadline(monkeypatch):
    over = threading.Event()
    monkeypatch.setattr(socket, "getaddrinfo", lambda *details, **more: over.wait())
    try:
        error = load_patiently("http://model.example/v2/models/loans", timeout=0.5)
    finally:
        over.set()
    assert "no answer within 0.5 s" in str(error)


def test_the_successor_of_a_dead_connection_is_left_at_the_deadline():
    visits = itertools.count()

    def talk(connection):
        if next(visits):
            yield from itertools.repeat(b"")
        read_request(connection)
        yield answer(DESCRIPTION)

    with talking(talk) as url, models.load(url, timeout=0.5, retries=0) as model:
        error = outcome(lambda: model.predict_proba(np.zeros((3, 5))))
    assert "no answer within 0.5 s" in str(error)


def test_the_second_address_of_a_host_is_tried(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = free.getsockname()

    with talking(once(answer(b"[]"))) as url:
        port = int(url.split(":")[2].partition("/")[0])
        kind = (socket.AF_INET, socket.SOCK_STREAM, 0, "")
        found = [(*kind, closed), (*kind, ("127.0.0.1", port))]
        monkeypatch.setattr(socket, "getaddrinfo", lambda *details, **more: found)
        with fails("does not describe a model"):
            models.load(url)


# Answers of a few bytes that would become many objects


@pytest.mark.parametrize("start", [b"[", b'{"a":', b'[{"a":'])
@pytest.mark.parametrize("status", [b"HTTP/1.1 200 OK", b"HTTP/1.1 500 No"])
def test_a_deep_answer(start, status):
    with talking(once(answer(start * 100_000, status))) as url, fails(url, "deep" if b"200" in status else "500 No"):
        models.load(url, retries=0)


@pytest.mark.parametrize("piece", [b"[],", b"{},", b'{"a":1},', b"1.5,", b'"ab",'])
def test_a_swelling_answer(piece):
    body = b"[" + piece * 100_000 + b"1]"
    with talking(once(answer(body))) as url:
        with fails(url, "takes more than 2 MB once it is read", "batch_rows", "max_size (--max-size)"):
            models.load(url, retries=0, max_size=2_000_000)
        with fails(url, "does not describe a model"):
            models.load(url, retries=0, max_size=50_000_000)


@pytest.mark.parametrize("piece", ["[]", "{}", '{"a":1}', "1.5", '"ab"', "[1]", '[{"b":[]}]', '"é"', '"\U0001f600"'])
def test_what_is_read_takes_no_more_than_was_measured(piece):
    content = f"[{','.join([piece] * 10_000)}]".encode()
    keys = json.dumps({f"key {number}": number for number in range(10_000)}).encode()
    for text in (content, keys):
        tracemalloc.start()
        try:
            held = json_text.parse(text)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert held
        assert peak <= json_text.memory(text)


@pytest.mark.parametrize("depth", [1, 64])
def test_brackets_inside_of_texts_are_not_depth(depth):
    text = b"[" * depth + rb'"[[[\"[[[", "' + b"[{" * 1000 + b'"' + b"]" * depth
    held = json_text.parse(text)
    for _ in range(depth - 1):
        (held,) = held
    assert held == ['[[["[[[', "[{" * 1000]


@pytest.mark.parametrize("opening", [b"[", b'{"a":'])
def test_more_depth_than_any_answer_has(opening):
    with pytest.raises(json_text.TooDeepError):
        json_text.parse(opening * 65)


def test_class_names_that_are_nested_deeply():
    description = DESCRIPTION | {"parameters": {"classes": "[" * 100_000}}
    with talking(once(answer(description))) as url, models.load(url, retries=0) as model:
        assert model.classes_ is None


@pytest.mark.parametrize("data", [[10**400, 0], [[[["x" * 10**6]]]], [{}, 0], "ab"])
@pytest.mark.parametrize("shape", [[1, 2], [1e400, 2], [10**30, 2], [1] * 100])
def test_outputs_that_are_none(data, shape):
    def talk(connection):
        read_request(connection)
        yield answer(DESCRIPTION)
        read_request(connection)
        yield answer({"outputs": [{"name": "predict_proba", "datatype": "FP64", "shape": shape, "data": data}]})

    with talking(talk) as url, models.load(url, retries=0) as model, fails(url, "cannot be read", "0 of 1") as failure:
        model.predict_proba(np.zeros((1, 5)))
    assert len(str(failure.value)) < 3000


# What a server says is shown, but not everything


@pytest.mark.parametrize("status", [b"404", b"503", b"302"])
def test_a_reason_is_shown_without_control_characters(status):
    reason = b"HTTP/1.1 " + status + b" No\x1b[31m way\x07\x9b"
    with talking(once(answer(b"\x1b[2Jhello", reason))) as url, fails(url, "No [31m way: [2Jhello") as failure:
        models.load(url, retries=0)
    assert str(failure.value).isprintable()


@pytest.mark.parametrize(
    "said",
    [
        b"\x1b[31mno HTTP at all\r\n",
        b"HTTP/9.9\x1b 200 OK\r\n\r\n",
        b"HTTP/1.1 302 There\r\nLocation: http://\x1b[31m\r\nContent-Length: 0\r\n\r\n",
        answer({"inputs": [{"name": "a", "datatype": "\x1b[31m", "shape": [1]}], "outputs": DESCRIPTION["outputs"]}),
        answer({"inputs": DESCRIPTION["inputs"], "outputs": [{"name": "\x1b", "datatype": "FP\x1b", "shape": [1]}]}),
    ],
)
def test_no_message_holds_control_characters(said):
    with talking(once(said)) as url:
        error = load_patiently(url)
    assert str(error).isprintable()
    assert url in str(error)


def echo(before: bytes, after: bytes = b"", part: bytes = b"Authorization: "):
    """A server that repeats a header of the request."""

    def talk(connection):
        value = read_request(connection).partition(part)[2].partition(b"\r\n")[0]
        yield before + value + after

    return talk


SECRET = "hunter2.Pa55"
ECHOES = {
    "as a status line": echo(b""),
    "in the reason": echo(b"HTTP/1.1 401 ", b"\r\n\r\n"),
    "as the place to go": echo(b"HTTP/1.1 302 Found\r\nLocation: ", b"\r\n\r\n"),
    "as the body": echo(b"HTTP/1.1 401 No\r\n\r\nyou said "),
    "as an error": echo(b'HTTP/1.1 401 No\r\n\r\n{"error": "you said ', b'"}'),
    "where a message is cut": echo(b"HTTP/1.1 401 No\r\n\r\n" + b"x" * 294),
    "alone": echo(b"HTTP/1.1 401 No\r\n\r\nwrong: ", part=b"Bearer "),
    "as no JSON": echo(OK + b"\r\n"),
    "as a type": echo(OK + b'\r\n{"inputs": [{"name": "a", "shape": [1], "datatype": "',
                      b'"}], "outputs": [{"name": "a", "shape": [1], "datatype": "INT8"}]}'),
}  # fmt: skip


@pytest.mark.parametrize("name", ECHOES)
def test_a_secret_that_is_echoed_is_not_shown(name):
    with talking(ECHOES[name]) as url:
        error = load_patiently(url, headers={"Authorization": f"Bearer {SECRET}"})
    assert isinstance(error, ModelError | ValueError)
    assert url in str(error)
    while error is not None:  # and what a traceback would show
        assert SECRET[:4] not in str(error)
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


@pytest.mark.parametrize("headers", [{"A": 1}, {1: "a"}, {"A": None}, ["A: b"], {"A": "b\r\nC: d"}])
def test_headers_that_cannot_be_sent(headers):
    with refuses("headers"):
        models.load("http://127.0.0.1:1/v2/models/loans", headers=headers)


# Who is at the other end


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A self-signed certificate for the address of the tests, and one for another host; each with its key."""
    if shutil.which("openssl") is None:
        pytest.skip("the openssl command, which makes the certificates, is not installed")
    folder = tmp_path_factory.mktemp("certificates")
    for name, host in {"ours": "IP:127.0.0.1", "other": "DNS:other.example"}.items():
        command = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=test"]
        files = ["-addext", f"subjectAltName={host}", "-keyout", f"{name}.key", "-out", f"{name}.pem"]
        subprocess.run([*command, *files], cwd=folder, check=True, capture_output=True)
    return folder


def secure_service(certificates, name):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificates / f"{name}.pem", certificates / f"{name}.key")
    return serving(Service(None, DESCRIPTION["inputs"], DESCRIPTION["outputs"]), context)


def test_a_server_that_nobody_vouches_for_is_refused(certificates):
    with secure_service(certificates, "ours") as service:
        with fails(service.url, "no secure connection", "CERTIFICATE_VERIFY_FAILED"):
            models.load(service.url, headers={"Authorization": SECRET})
        assert not service.headers  # nothing was sent


def test_a_server_under_a_foreign_name_is_refused(certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "other.pem"))
    with secure_service(certificates, "other") as service:
        with fails(service.url, "no secure connection", "CERTIFICATE_VERIFY_FAILED", "127.0.0.1"):
            models.load(service.url, headers={"Authorization": SECRET})
        assert not service.headers


def test_a_server_that_is_vouched_for_is_asked(certificates, monkeypatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(certificates / "ours.pem"))
    with secure_service(certificates, "ours") as service, models.load(service.url) as model:
        assert service.headers
        assert model.predict_proba is not None
