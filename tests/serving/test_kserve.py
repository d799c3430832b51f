"""KServe's v1 protocol, as it is written; with the real package in `test_kserve_package`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from lormika import Explanation


def _rows(loans, *rows: int) -> list[dict]:
    return json.loads(loans.background.iloc[list(rows)].to_json(orient="records"))


def test_models(client) -> None:
    assert client.get("/v1/models").json() == {"models": ["loans"]}
    assert client.get("/v1/models/loans").json() == {"name": "loans", "ready": True}
    for path in ("/v1/models/other", "/v1/models/..", "/v1/models/loans%2f.."):
        assert client.get(path).status_code == 404
    assert client.post("/v1/models/other:predict", json={"instances": []}).status_code == 404


def test_predict(client, loans) -> None:
    body = {"instances": _rows(loans, 3, 5, 8)}
    wanted = [["accepted", "rejected"][i] for i in loans.ask(loans.background.iloc[[3, 5, 8]]).argmax(axis=1)]
    assert client.post("/v1/models/loans:predict", json=body).json() == {"predictions": wanted}
    more = client.post("/v1/models/loans:predict", json=body | {"parameters": {"probabilities": True}}).json()
    assert more["classes"] == ["accepted", "rejected"]
    assert more["probabilities"][1] == pytest.approx(loans.ask(loans.background.iloc[[5]])[0].tolist(), abs=1e-9)
    lists = {"instances": [list(row.values()) for row in body["instances"]]}
    assert client.post("/v1/models/loans:predict", json=lists).json() == {"predictions": wanted}


def test_explain(client, loans) -> None:
    body = {"instances": _rows(loans, 3, 5), "parameters": {"k": 2, "objective": "confidence"}}
    explanations = client.post("/v1/models/loans:explain", json=body).json()["explanations"]
    explainer = client.server.service.explainer
    for row, explanation in zip((3, 5), explanations, strict=True):
        wanted = explainer.explain(loans.background.iloc[[row]], k=2, objective="confidence")
        assert explanation == wanted.to_dict()
        assert Explanation.from_dict(explanation).rules


@pytest.mark.parametrize(
    ("body", "status", "words"),
    [
        ({}, 400, "instances"),
        ({"instances": []}, 400, "instances"),
        ({"instances": "x"}, 400, "instances"),
        ([], 400, "instances"),
        ({"instances": [{"income": 3}]}, 400, "instance 0: "),
        ({"instances": [7]}, 400, "instance 0: "),
        ({"instances": [[1, 2]]}, 400, "instance 0: "),
        ({"instances": [[1, 2]] * 2000}, 413, "at most"),
        ({"instances": [{}], "parameters": 7}, 400, "instances"),
    ],
)
def test_what_cannot_be_asked(client, body, status, words) -> None:
    for verb in ("predict", "explain"):
        answer = client.post(f"/v1/models/loans:{verb}", json=body)
        assert answer.status_code == status
        assert words in answer.json()["error"]["message"]


def test_every_address_is_described(client) -> None:
    from lormika.serving.api import Interface
    from lormika.serving.kserve import Protocol
    from lormika.serving.pages import Pages

    document = client.get("/openapi.json").json()
    service = client.server.service
    routes = [*Interface(service).routes(), *Protocol(service).routes(), *Pages().routes()]
    wanted = {(route.path, method.lower()) for route in routes for method in route.methods or () if method != "HEAD"}
    wanted |= {("/healthz", "get"), ("/openapi.json", "get")}
    assert {(path, method) for path, methods in document["paths"].items() for method in methods} == wanted
    text = json.dumps(document)
    for reference in {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}:
        assert reference in document["components"]["schemas"]


def test_the_document_describes_what_is_answered(client) -> None:
    import jsonschema

    document = client.get("/openapi.json").json()
    body = document["paths"]["/api/explain"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    schema = body | {"components": document["components"]}
    for good in (
        {"case": {"row": 3, "changes": {"income": None}}, "options": {"k": 2}},
        {"case": {"values": {"a": 1}}},
    ):
        jsonschema.validate(good, schema)
    for bad in ({}, {"case": {"row": -1}}, {"case": {"row": 3}, "options": {"k": 0}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, schema)
    error = client.get("/api/cases/x").json()
    jsonschema.validate(error, document["components"]["schemas"]["Error"])


def test_the_documentation_names_every_address(client) -> None:
    text = (Path(__file__).parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")
    for path in client.get("/openapi.json").json()["paths"]:
        if path.startswith(("/api/", "/v1/")):
            assert path.replace("{name}", "NAME") in text, path


def test_the_documentation_shows_what_is_described(client) -> None:
    text = (Path(__file__).parents[2] / "docs" / "serve.md").read_text(encoding="utf-8")
    about = client.get("/api/description").json()
    named = [*about, *about["data"], *about["model"], *about["options"], *about["limits"], *about["features"][0]]
    for name in named:
        assert f'"{name}":' in text, name
    answer = client.post("/api/explain", json={"case": {"row": 8}}).json()
    for name in [*answer, *answer["rules"][0], *answer["kinds"][0], *answer["effects"][0], *answer["asked"]]:
        assert f'"{name}"' in text or f"`{name}`" in text, name
