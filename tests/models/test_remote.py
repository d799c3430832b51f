"""A model behind a real server of the Open Inference Protocol, well-behaved or not."""

from __future__ import annotations

import gc
import json
import socket
import time

import numpy as np
import pandas as pd
import pytest
from loans import MIXED, NUMBERS, TABLE, assert_same, explain, fails, forest, mixed_forest, refuses
from server import Service, drip, hang_up, reply, serving

from lormika import Explainer, InputError, models

CHANCES = {"name": "predict_proba", "datatype": "FP64", "shape": [-1, 2]}
LABELS = {"name": "predict", "datatype": "BYTES", "shape": [-1]}
NAMES = {"classes": json.dumps(["accepted", "rejected"])}
ONE_TABLE = [{"name": "table", "datatype": "FP64", "shape": [-1, 5]}]
COLUMNS = [
    {"name": name, "datatype": "FP64" if name in NUMBERS else "BYTES", "shape": [-1, 1]} for name in MIXED
]  # fmt: skip


@pytest.fixture
def service():
    with serving(Service(forest(), ONE_TABLE, [LABELS, CHANCES], NAMES)) as service:
        yield service


def load(service, **options):
    return models.load(service.url, **{"timeout": 5.0} | options)


def test_one_tensor_gives_the_same_rules_as_in_python(service):
    with load(service) as model:
        assert model.classes_ == ("accepted", "rejected")
        assert_same(explain(model), explain(forest()))
    assert len(service.connections) == 1  # kept from one request to the next


def test_an_input_per_column_gives_the_same_rules_as_in_python():
    parameters = CHANCES | {"parameters": {"class_names": ["accepted", "rejected"]}}
    with serving(Service(mixed_forest(), COLUMNS, [LABELS, parameters])) as service, load(service) as model:
        assert model.feature_names_in_ == list(MIXED)
        assert_same(explain(model, MIXED), explain(mixed_forest(), MIXED))


def test_a_version_of_the_model(service):
    service.url += "/versions/1/"
    with load(service) as model:
        assert model.predict(TABLE[:3]).tolist() == forest().predict(TABLE[:3]).tolist()


def test_labels_alone():
    with serving(Service(forest(), ONE_TABLE, [LABELS])) as service, load(service) as model:
        assert model.predict_proba is None
        explanation = explain(model)
        assert [explanation.prediction] == forest().predict(TABLE.iloc[[5]]).tolist()


def test_probabilities_alone_with_names_from_the_user():
    with serving(Service(forest(), ONE_TABLE, [CHANCES])) as service, load(service) as model:
        assert model.classes_ is None
        assert_same(explain(model, class_names=["accepted", "rejected"]), explain(forest()))


def test_rows_go_in_batches(service):
    with load(service, batch_rows=150) as model:
        answer = model.predict_proba(TABLE)
    np.testing.assert_array_equal(answer, forest().predict_proba(TABLE))
    assert [request["inputs"][0]["shape"] for request in service.requests] == [[150, 5], [150, 5], [100, 5]]


def test_missing_values_are_null():
    columns = [{"name": "a", "datatype": "FP32", "shape": [-1]}, {"name": "b", "datatype": "BYTES", "shape": [-1]}]

    class Model:
        def predict(self, table):
            return ["x"] * len(table)

    with serving(Service(Model(), columns, [LABELS])) as service, load(service) as model:
        model.predict(pd.DataFrame({"a": [1.5, None], "b": [None, "y"]}))
        assert [one["data"] for one in service.requests[0]["inputs"]] == [[1.5, None], [None, "y"]]
        assert [one["shape"] for one in service.requests[0]["inputs"]] == [[2], [2]]
        with refuses("infinite"):
            model.predict(pd.DataFrame({"a": [np.inf], "b": ["y"]}))


def test_headers_are_sent_and_kept_secret(service):
    service.misbehave = lambda handler, number: reply(handler, 401, {"error": "who are you?"})
    with load(service, headers={"Authorization": "Bearer secret"}) as model:
        assert service.headers[0]["Authorization"] == "Bearer secret"
        with fails("401 Unauthorized: who are you?") as failure:
            model.predict(TABLE)
    assert "secret" not in str(failure.value)


def test_threads_share_a_model(service):
    with load(service) as model:
        explainer = Explainer(model, TABLE, n_generated=100)
        found = list(explainer.explain_many(TABLE[:6], n_jobs=3, progress=False))
        wanted = list(Explainer(forest(), TABLE, n_generated=100).explain_many(TABLE[:6], progress=False))
    for one, other in zip(found, wanted, strict=True):
        assert_same(one, other)


# Servers with troubles


def test_a_busy_server_is_asked_again(service):
    busy = iter([503, 429, 502, 504])
    service.misbehave = lambda handler, number: number <= 4 and reply(handler, next(busy), {"error": "busy"})
    with load(service, retries=4) as model:
        assert_same(explain(model), explain(forest()))


def test_a_server_that_stays_busy(service):
    service.misbehave = lambda handler, number: number > 2 and reply(handler, 503, {"error": "too many rows"})
    with load(service, retries=2, batch_rows=100) as model:
        with fails(service.url, "503", "too many rows", "after 2 more tries", "200 of 400 rows"):
            model.predict_proba(TABLE)
        assert service.posts == 5


def test_a_wish_to_wait_is_heard(service):
    service.misbehave = lambda handler, number: number == 1 and reply(handler, 429, b"", Retry_After="1")
    with load(service) as model:
        start = time.monotonic()
        model.predict(TABLE)
        assert time.monotonic() - start >= 1


@pytest.mark.parametrize("status", [400, 404, 413, 500])
def test_other_errors_are_not_repeated(service, status):
    service.misbehave = lambda handler, number: reply(handler, status, {"error": "no,\x1b[31m never"})
    with load(service) as model:
        with fails(service.url, str(status), "no, [31m never", "0 of 400 rows"):
            explain(model)
        assert service.posts == 1


def test_a_server_that_dies_half_way(service):
    with load(service, batch_rows=100, retries=1) as model:
        service.misbehave = lambda handler, number: number > 3 and hang_up(handler)
        with fails(service.url, "cannot be reached", "after 1 more try", "300 of 400 rows"):
            model.predict(TABLE)


def test_half_an_answer(service):
    def cut(handler, number):
        handler.send_response(200)
        handler.send_header("Content-Length", "1000")
        handler.end_headers()
        handler.wfile.write(b'{"outputs": [')
        return hang_up(handler)

    service.misbehave = cut
    with load(service, retries=0) as model, fails(service.url, "0 of 400 rows"):
        model.predict(TABLE)


def test_a_connection_that_the_server_closed_meanwhile_is_no_failure(service):
    def close_after(handler, number):
        handler.close_connection = True  # without saying so
        return False

    service.misbehave = close_after
    with load(service, retries=0) as model:
        for _ in range(3):
            assert len(model.predict(TABLE[:10])) == 10
            time.sleep(0.05)


@pytest.mark.parametrize("hang", [lambda handler: time.sleep(4) or hang_up(handler), lambda handler: drip(handler, 4)])
def test_a_server_that_hangs(service, hang):
    service.misbehave = lambda handler, number: hang(handler)
    with load(service, timeout=0.4) as model:
        start = time.monotonic()
        with fails(service.url, "0.4 s", "timeout", "0 of 400 rows"):
            model.predict(TABLE)
        assert time.monotonic() - start < 3
        assert service.posts == 1


def test_a_server_that_never_stops_talking(service):
    service.misbehave = lambda handler, number: reply(handler, 200, b" " * 3_000_000)
    with load(service, max_size=1_000_000) as model, fails(service.url, "more than 1 MB", "max_size"):
        model.predict(TABLE)


def test_redirects_are_not_followed(service):
    service.misbehave = lambda handler, number: reply(handler, 302, b"", Location="file:///etc/passwd")
    with load(service) as model, fails("302", "'file:///etc/passwd'", "final address"):
        model.predict(TABLE)


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (b"<html>hello</html>", "not JSON: <html>"),
        ({"outputs": []}, "no output 'predict_proba'"),
        ([], "cannot be read"),
        ({"outputs": [CHANCES | {"shape": [3, 2], "data": [1, 0]}]}, "cannot be read"),
        ({"outputs": [CHANCES | {"shape": [1, 2], "data": [1, 0]}]}, "shape [1, 2] for 400 rows"),
        ({"outputs": [CHANCES | {"shape": [400, 2], "data": [None] * 800}]}, "nan"),
    ],
)
def test_answers_that_are_none(service, body, words):
    service.misbehave = lambda handler, number: reply(handler, 200, body)
    with load(service) as model, fails(words):
        explain(model)


def test_no_server_at_all(monkeypatch):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}/v2/models/loans"
    monkeypatch.setenv("http_proxy", "http://proxy.example:3128")
    monkeypatch.setenv("no_proxy", "")
    with fails(url, "cannot be reached", "refused", "proxy in http_proxy is not used"):
        models.load(url, retries=0)


def test_a_plain_server_behind_https(service):
    with fails("https://", "secure"):
        models.load(service.url.replace("http", "https", 1), retries=0)


# Addresses and descriptions


@pytest.mark.parametrize("tail", ["", "/", "/v2", "/v2/models", "/v2/models/", "/v2/models/a/infer", "/v2/models/a?b"])
def test_an_address_without_a_model(tail):
    with refuses("names no model", "http://localhost:8080/v2/models/NAME"):
        models.load(f"http://localhost:8080{tail}")


@pytest.mark.parametrize(
    "host",
    [
        "",
        "host:99999",
        "host:x",
        "host:0",
        "[::1",
        "::1]",
        "[::1]:x",
        "[x]",
        "a b",
        "a\0b",
        ".",
        "a..b",
        "é" * 64,
        "ﷺ" * 9,
    ],
)
@pytest.mark.parametrize("scheme", ["http", "HTTPS"])
def test_an_address_without_a_host(scheme, host):
    url = f"{scheme}://{host}/v2/models/a"
    with refuses(url, "not right", "http://host:port"):
        models.load(url)


@pytest.mark.parametrize("name", ["a b", "é", "a\x7f", "\udc80"])
def test_an_address_that_cannot_be_sent(name):
    with refuses("names no model", "%20"):
        models.load(f"http://localhost:8080/v2/models/{name}")


@pytest.mark.parametrize("host", ["host", "host:x", "[::1", ""])
def test_a_password_in_the_address(host):
    with pytest.raises(InputError, match="headers") as refusal:
        models.load(f"http://me:secret@{host}/v2/models/a")
    assert "secret" not in str(refusal.value)


def test_a_model_that_is_not_there(service):
    service.url += "2"
    with fails("loans2", "404", "no model at /v2/models/loans2"):
        load(service)


def test_isolation_makes_no_sense_here(service):
    with refuses("isolate", service.url):
        load(service, isolate=True)


@pytest.mark.parametrize("option", [{"timeout": 0}, {"retries": -1}, {"batch_rows": 0}])
def test_wrong_options(service, option):
    with refuses(*option):
        load(service, **option)


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        ([], [LABELS], "does not say which inputs"),
        (ONE_TABLE, None, "does not say which outputs"),
        ([{"name": "x"}], [LABELS], "inputs cannot be read"),
        (["x"], [LABELS], "inputs cannot be read"),
    ],
)
def test_descriptions_that_lack_something(inputs, outputs, words):
    with serving(Service(forest(), inputs, outputs)) as service, fails(service.url, words):
        load(service)


@pytest.mark.parametrize(
    ("inputs", "outputs", "words"),
    [
        ([ONE_TABLE[0] | {"shape": [-1, 3, 8, 8]}], [LABELS], "a table or a column"),
        ([*ONE_TABLE, COLUMNS[0]], [LABELS], "2 inputs"),
        (ONE_TABLE, [CHANCES | {"shape": [-1, 1]}], "no classifier"),
    ],
)
def test_models_that_cannot_be_explained(inputs, outputs, words):
    with serving(Service(forest(), inputs, outputs)) as service, refuses(service.url, words):
        load(service)


def test_a_model_that_nobody_closes_leaves_no_connection(service):
    """A socket that is not closed warns when it is collected, and warnings are errors here."""
    model = load(service)
    del model
    gc.collect()
