"""A small server of one model, after the Open Inference Protocol (v2), that can be told to misbehave."""

from __future__ import annotations

import json
import ssl
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pandas as pd

Misbehaviour = Callable[
    [BaseHTTPRequestHandler, int], bool
]  # handler, number of the request -> whether it was answered


class Service:
    """What the server knows and has seen."""

    def __init__(self, model: Any, inputs: list[dict], outputs: list[dict], parameters: dict | None = None) -> None:
        self.model, self.inputs, self.outputs, self.parameters = model, inputs, outputs, parameters
        self.misbehave: Misbehaviour = lambda handler, number: False
        self.requests: list[dict[str, Any]] = []  # the bodies of what was asked
        self.headers: list[dict[str, str]] = []
        self.connections: set[Any] = set()
        self.posts = 0
        self.url = ""

    def describe(self) -> dict[str, Any]:
        known = {} if self.parameters is None else {"parameters": self.parameters}
        return {"name": "loans", "versions": ["1"], "platform": "test", "inputs": self.inputs} | (
            {"outputs": self.outputs} | known
        )

    def answer(self, body: dict[str, Any]) -> dict[str, Any]:
        columns = {one["name"]: np.array(one["data"], dtype=object).reshape(one["shape"]) for one in body["inputs"]}
        if len(columns) == 1:
            names = getattr(self.model, "feature_names_in_", None)
            table = pd.DataFrame(next(iter(columns.values())).astype(float), columns=names)
        else:
            table = pd.DataFrame({name: column.ravel() for name, column in columns.items()}).infer_objects()
        kinds = {one["name"]: one["datatype"] for one in self.outputs}
        return {"model_name": "loans", "outputs": [self._output(one["name"], kinds, table) for one in body["outputs"]]}

    def _output(self, name: str, kinds: dict[str, str], table: pd.DataFrame) -> dict[str, Any]:
        answer = np.asarray(getattr(self.model, name)(table))
        return {"name": name, "datatype": kinds[name], "shape": list(answer.shape), "data": answer.ravel().tolist()}


@contextmanager
def serving(service: Service, context: ssl.SSLContext | None = None) -> Iterator[Service]:
    """Serve on a free port of this machine; with a context, securely."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            service.headers.append(dict(self.headers))
            if self.path in ("/v2/models/loans", "/v2/models/loans/versions/1"):
                reply(self, 200, service.describe())
            else:
                reply(self, 404, {"error": f"no model at {self.path}"})

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            service.posts += 1
            service.connections.add(self.client_address)
            if service.misbehave(self, service.posts):
                return
            service.requests.append(body)
            reply(self, 200, service.answer(body))

        def log_message(self, *parts: Any) -> None:
            pass

    class Server(ThreadingHTTPServer):
        def handle_error(self, *parts: Any) -> None:
            """A client that hangs up is part of the tests."""

    server = Server(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    if context is not None:  # each thread shakes hands for itself, when it first reads
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    service.url = f"{'http' if context is None else 'https'}://127.0.0.1:{server.server_port}/v2/models/loans"
    try:
        yield service
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def reply(handler: BaseHTTPRequestHandler, status: int, body: Any, **headers: str) -> bool:
    content = body if isinstance(body, bytes) else json.dumps(body).encode()
    handler.send_response(status)
    for name, value in {"Content-Length": str(len(content)), **headers}.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(content)
    return True


def hang_up(handler: BaseHTTPRequestHandler) -> bool:
    handler.close_connection = True
    return True


def drip(handler: BaseHTTPRequestHandler, seconds: float) -> bool:
    """Send a byte now and then."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000000")
    handler.end_headers()
    end = time.monotonic() + seconds
    try:
        while time.monotonic() < end:
            handler.wfile.write(b" ")
            handler.wfile.flush()
            time.sleep(0.05)
    except OSError:
        pass
    return hang_up(handler)
