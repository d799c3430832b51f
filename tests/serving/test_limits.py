"""Too much, too slow, too deep; and models that hang, fail or answer nonsense: a clear answer, and the server lives."""

from __future__ import annotations

import json
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from served_loans import HANGS, TOKEN

from lormika.serving.limits import Limits

SOON = Limits(seconds=0.4)


def _alive(client) -> bool:
    return client.get("/healthz").json() == {"status": "alive"}


def test_a_body_that_is_too_large(client) -> None:
    content = json.dumps({"case": {"row": 1}, "pad": "x" * 2_000_000}).encode()
    answer = client.post("/api/predict", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413

    def pieces():
        yield b'{"pad": "'
        for _ in range(300):
            yield b"x" * 10_000

    answer = client.post("/api/predict", content=pieces(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert _alive(client)


@pytest.mark.parametrize("content", ["[" * 100_000, '{"a":' * 50_000, "[" * 70 + "]" * 70])
def test_json_that_is_too_deep(client, content) -> None:
    answer = client.post("/api/predict", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413
    assert "deep" in answer.json()["error"]["message"] or "values" in answer.json()["error"]["message"]


def test_json_of_very_many_values(client) -> None:
    content = "[" + "1," * 499_000 + "1]"
    answer = client.post("/api/predict", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize("content", [b"", b"{", b"\xff\xfe", b"nan", b'{"case": {"row": 1}} x', b'"text"', b"null"])
def test_what_is_no_json_object(client, content) -> None:
    answer = client.post("/api/predict", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    assert answer.json()["error"]["kind"] == "input"


def _opened(client) -> socket.socket:
    return socket.create_connection(("127.0.0.1", client.server.port), timeout=HANGS)


def test_a_body_that_does_not_come(gated) -> None:
    client = gated(limits=Limits(body_seconds=0.2))
    with _opened(client) as line:
        head = f"Host: 127.0.0.1:{client.server.port}\r\nAuthorization: Bearer {TOKEN}\r\n"
        more = "Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"
        line.sendall(f"POST /api/predict HTTP/1.1\r\n{head}{more}".encode())
        answer = line.recv(65536).decode()
    assert answer.startswith("HTTP/1.1 408")
    assert _alive(client)


def test_connections_that_say_nothing(gated) -> None:
    client = gated(limits=Limits(header_seconds=1.0))
    silent, slow = _opened(client), _opened(client)
    with silent, slow:
        slow.sendall(b"GET / HTTP/1.1\r\nHost: 127")
        assert silent.recv(100) == b""  # closed by the server
        assert slow.recv(100) == b""
    assert _alive(client)


def test_more_than_allowed_at_once(gated, gate) -> None:
    client = gated(limits=Limits(most=3))
    gate.open.clear()
    with ThreadPoolExecutor(3) as pool:
        waiting = [pool.submit(client.ask, "predict", case={"row": row}) for row in range(3)]
        while client.server.service.desk.running < 3:
            pass
        refused = client.post("/api/predict", json={"case": {"row": 9}})
        assert refused.status_code == 429
        assert refused.headers["retry-after"] == "1"
        assert _alive(client)
        gate.open.set()
        assert all(one.result(HANGS)["prediction"] for one in waiting)
    assert client.ask("predict", case={"row": 9})["prediction"]


def test_a_model_that_hangs(gated, gate) -> None:
    client = gated(limits=SOON)
    gate.open.clear()
    late = client.ask("explain", 504, case={"row": 1})
    assert "0.4 s" in late["error"]["message"]
    assert _alive(client)
    kinds = {client.post("/api/predict", json={"case": {"row": 2}}).json()["error"]["kind"] for _ in range(4)}
    assert kinds == {"late", "hanging"}  # refused at once, when several calls have not come back
    gate.open.set()
    while client.post("/api/predict", json={"case": {"row": 2}}).status_code != 200:
        pass


@pytest.mark.parametrize(
    ("instead", "words"),
    [
        (lambda frame: 1 / 0, "ZeroDivisionError"),
        (lambda frame: np.full((len(frame), 2), np.nan), "probability nan"),
        (lambda frame: np.full((len(frame), 7), 1 / 7), "expected 2 probabilities"),
        (lambda frame: np.zeros((3, 2)), "shape"),
        (lambda frame: "yes", "shape"),
        (lambda frame: ["accepted", "no such class"] * (len(frame) // 2) + ["x"] * (len(frame) % 2), "label"),
        (lambda frame: __import__("sys").exit(3), "sys.exit"),
    ],
)
def test_a_model_that_fails_or_answers_nonsense(gated, gate, instead, words) -> None:
    client = gated()
    gate.instead = instead
    for what in ("predict", "explain"):
        answer = client.ask(what, 502, case={"row": 1})
        assert answer["error"]["kind"] == "model"
        assert words in answer["error"]["message"]
    gate.instead = None
    assert client.ask("explain", case={"row": 1})["rules"]


def test_slow_work_is_a_job(gated, gate) -> None:
    client = gated()
    gate.open.clear()
    job = client.ask("explain", 202, case={"row": 1}, wait=0.05, job="my-own-name")
    assert job == job | {"job": "my-own-name", "state": "running", "doing": "asking the model"}
    assert client.get("/api/jobs/my-own-name").status_code == 202
    taken = client.ask("predict", 400, case={"row": 1}, job="my-own-name")
    assert "there is one of this name" in taken["error"]["message"]
    gate.open.set()
    answer = client.get("/api/jobs/my-own-name", params={"wait": 50})
    assert answer.status_code == 200
    assert answer.json()["rules"]
    assert client.get("/api/jobs/my-own-name").status_code == 404  # answered once


def test_a_job_is_stopped(gated, gate) -> None:
    client = gated()
    gate.open.clear()
    job = client.ask("explain", 202, case={"row": 1}, wait=0)
    assert client.delete(f"/api/jobs/{job['job']}").json()["state"] in ("stopping", "done")
    answer = client.get(f"/api/jobs/{job['job']}", params={"wait": 50})
    assert answer.status_code == 409
    assert answer.json()["error"]["kind"] == "stopped"
    gate.open.set()
    assert client.ask("predict", case={"row": 1})["prediction"]


def test_stopping_ends_a_model_that_can_be_ended(loans, gate, gated) -> None:
    ended = threading.Event()
    client = gated(interrupt=ended.set)
    gate.open.clear()
    first = client.ask("explain", 202, case={"row": 1}, wait=0)
    assert gate.entered.acquire(timeout=HANGS)
    other = client.ask("explain", 202, case={"row": 2}, wait=0)
    client.delete(f"/api/jobs/{first['job']}")
    assert client.get(f"/api/jobs/{first['job']}", params={"wait": 50}).status_code == 409
    assert ended.wait(HANGS)  # nobody else waits for the call that is being made
    gate.open.set()
    assert client.get(f"/api/jobs/{other['job']}", params={"wait": 50}).status_code == 200


@pytest.mark.parametrize("name", ["short", "x" * 65, "with/slash-in-it", 7, "späße-und-mehr"])
def test_names_of_jobs(client, name) -> None:
    assert "job" in client.ask("predict", 400, case={"row": 1}, job=name)["error"]["message"]


@pytest.mark.parametrize("wait", [-1, 1000, "soon", [1]])
def test_how_long_to_wait(client, wait) -> None:
    assert "wait" in client.ask("predict", 400, case={"row": 1}, wait=wait)["error"]["message"]


def test_an_internal_error_tells_no_data(client, monkeypatch, capfd) -> None:
    def fail(*_: object) -> None:
        raise RuntimeError("secret value 4711")

    monkeypatch.setattr(client.server.service, "predict", fail)
    answer = client.post("/api/predict", json={"case": {"row": 1}})
    assert answer.status_code == 500
    assert "4711" not in answer.text
    printed = capfd.readouterr().err
    assert "RuntimeError" in printed
    assert "4711" not in printed
