"""The OpenAPI document: what can be asked, for programs that read such things."""

from __future__ import annotations

from lormika.serving.limits import Limits
from lormika.types import JsonObject
from lormika.version import __version__

_CASE: JsonObject = {
    "description": "A row of the data, perhaps with other values; or all values.",
    "oneOf": [
        {
            "type": "object",
            "required": ["row"],
            "additionalProperties": False,
            "properties": {
                "row": {"type": "integer", "minimum": 0},
                "changes": {"$ref": "#/components/schemas/Values"},
            },
        },
        {
            "type": "object",
            "required": ["values"],
            "additionalProperties": False,
            "properties": {"values": {"$ref": "#/components/schemas/Values"}},
        },
    ],
}
_OPTIONS: JsonObject = {
    "type": "object",
    "additionalProperties": False,
    "properties": {
        "objective": {"enum": ["support", "coverage", "confidence", "lift", "leverage"]},
        "k": {"type": "integer", "minimum": 1, "maximum": 100},
        "target": {"type": ["string", "number", "boolean"]},
        "at_least": {"type": "number", "minimum": 0, "maximum": 1},
        "spread": {"type": "boolean"},
        "constraints": {"type": ["object", "array"]},
    },
}
_SCHEMAS: JsonObject = {
    "Case": _CASE,
    "Options": _OPTIONS,
    "Values": {"type": "object", "additionalProperties": {"type": ["string", "number", "boolean", "null"]}},
    "Job": {
        "type": "object",
        "properties": {
            "job": {"type": "string"},
            "state": {"enum": ["running", "stopping", "done"]},
            "doing": {"type": "string"},
            "seconds": {"type": "number"},
            "calls": {"type": "integer"},
            "rows": {"type": "integer"},
        },
    },
    "Error": {
        "type": "object",
        "required": ["error"],
        "properties": {
            "error": {
                "type": "object",
                "required": ["kind", "message"],
                "properties": {"kind": {"type": "string"}, "message": {"type": "string"}},
            }
        },
    },
}
_ASKING: JsonObject = {
    "case": {"$ref": "#/components/schemas/Case"},
    "options": {"$ref": "#/components/schemas/Options"},
    "detail": {"enum": ["plain", "detailed"]},
    "wait": {"type": "number", "minimum": 0, "maximum": 60},
    "job": {"type": "string", "pattern": "^[A-Za-z0-9-]{8,64}$"},
}
_LETTER: JsonObject = {
    "template": {"enum": ["adverse-action", "explanation"]},
    "fields": {"type": "object", "additionalProperties": {"type": "string"}},
    "codes": {"type": ["object", "array"]},
    "time": {"type": "string"},
    "paper": {"enum": ["A4", "letter"]},
    "top": {"type": "integer", "minimum": 1, "maximum": 4},
    "format": {"enum": ["html", "json"]},
}


def describe_interface(name: str, limits: Limits) -> JsonObject:
    """The document."""
    return {
        "openapi": "3.1.0",
        "info": {
            "title": f"lormika: {name}",
            "version": __version__,
            "description": "Explains single predictions of a model with if-then rules. See docs/serve.md.",
        },
        "security": [{"bearer": []}, {"cookie": []}],
        "paths": _page_paths() | _api_paths() | _model_paths(limits),
        "components": {
            "schemas": _SCHEMAS,
            "securitySchemes": {
                "bearer": {"type": "http", "scheme": "bearer"},
                "cookie": {"type": "apiKey", "in": "cookie", "name": "lormika-PORT"},
            },
        },
    }


def _page_paths() -> JsonObject:
    return {
        "/": {"get": _get("The page.", "text/html")},
        "/favicon.ico": {"get": _get("The icon of the page.", "image/svg+xml")},
        "/static/{name}": {"get": _get("A file of the page.", "text/plain", _path("name"))},
        "/healthz": {"get": _get("Whether the server is alive.")},
        "/openapi.json": {"get": _get("This document.")},
    }


def _api_paths() -> JsonObject:
    pages = [_query("offset", "integer"), _query("limit", "integer")]
    find = [_query("text"), _query("prediction"), _query("list"), *pages, _query("around", "integer")]
    search = [_query("column"), _query("text"), *pages]
    job = _path("job")
    two = {name: entry for name, entry in _ASKING.items() if name != "case"}
    two["cases"] = {"type": "array", "items": _ASKING["case"], "minItems": 2, "maxItems": 2}
    predict = {name: _ASKING[name] for name in ("case", "wait", "job")}
    return {
        "/api/description": {"get": _get("The data, the model and the options.")},
        "/api/progress": {"get": _get("How far the predictions of all rows are.")},
        "/api/definitions": {"get": _get("What every figure means.")},
        "/api/categories": {"get": _get("Categories of a feature.", "application/json", *search)},
        "/api/cases": {"get": _get("Find cases.", "application/json", *find)},
        "/api/cases/{row}": {"get": _get("One row.", "application/json", _path("row", "integer"))},
        "/api/predict": {"post": _post("What the model says of a case.", predict)},
        "/api/explain": {"post": _post("What it says, and why.", _ASKING)},
        "/api/compare": {"post": _post("Two cases side by side.", two, "cases")},
        "/api/report": {"post": _post("A report.", _ASKING, kind="text/html")},
        "/api/letter": {"post": _post("A letter, or its record.", _ASKING | _LETTER, kind="text/html")},
        "/api/json": {"post": _post("The payload of an explanation.", _ASKING)},
        "/api/jobs/{job}": {
            "get": _get("Wait for a job.", "application/json", job, _query("wait", "number")),
            "delete": _get("Stop a job.", "application/json", job),
        },
    }


def _model_paths(limits: Limits) -> JsonObject:
    def body(most: int) -> JsonObject:
        one = {"oneOf": [{"$ref": "#/components/schemas/Values"}, {"type": "array"}]}
        instances = {"type": "array", "items": one, "minItems": 1, "maxItems": most}
        return {"instances": instances, "parameters": {"type": "object"}}

    name = _path("name")
    predict = _post("KServe v1: predictions.", body(limits.instances), "instances")
    explain = _post("KServe v1: explanations.", body(limits.explained), "instances")
    return {
        "/v1/models": {"get": _get("KServe v1: the models.")},
        "/v1/models/{name}": {"get": _get("KServe v1: whether a model is ready.", "application/json", name)},
        "/v1/models/{name}:predict": {"post": predict | {"parameters": [name]}},
        "/v1/models/{name}:explain": {"post": explain | {"parameters": [name]}},
    }


def _get(summary: str, kind: str = "application/json", *parameters: JsonObject) -> JsonObject:
    return {"summary": summary, "parameters": list(parameters), "responses": _responses(kind)}


def _post(summary: str, properties: JsonObject, needed: str = "case", kind: str = "application/json") -> JsonObject:
    schema = {"type": "object", "required": [needed], "properties": properties}
    content = {"application/json": {"schema": schema}}
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": content},
        "responses": _responses(kind) | {"202": _response("It takes longer: a job.", "Job")},
    }


def _responses(kind: str) -> JsonObject:
    return {
        "200": {"description": "The answer.", "content": {kind: {}}},
        "default": _response("What went wrong.", "Error"),
    }


def _response(text: str, schema: str) -> JsonObject:
    content = {"application/json": {"schema": {"$ref": f"#/components/schemas/{schema}"}}}
    return {"description": text, "content": content}


def _query(name: str, kind: str = "string") -> JsonObject:
    return {"name": name, "in": "query", "required": False, "schema": {"type": kind}}


def _path(name: str, kind: str = "string") -> JsonObject:
    return {"name": name, "in": "path", "required": True, "schema": {"type": kind}}
