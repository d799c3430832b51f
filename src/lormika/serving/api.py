"""The interface of the page: requests under `/api/`."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from functools import partial

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lormika.checks import check_integer
from lormika.errors import InputError
from lormika.live.describing import list_categories
from lormika.live.wording import definitions
from lormika.serving.bodies import read_json
from lormika.serving.faults import Fault, unknown
from lormika.serving.letters import read_letter
from lormika.serving.questions import Asked, Search, read_asked, read_body, read_search, read_wait
from lormika.serving.service import Service
from lormika.serving.work import Job
from lormika.types import JsonObject, JsonValue
from lormika.views.html import to_report
from lormika.views.letter import encode_page, encode_record

_QUESTION = ("case", "options", "detail", "wait", "job")
_HTML = "text/html; charset=utf-8"
_PAGE_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'"


class Interface:
    """Handlers of requests; whatever takes long is done at the desk, in a thread."""

    def __init__(self, service: Service) -> None:
        self._service, self._limits = service, service.limits

    def routes(self) -> list[Route]:
        """All of them."""
        return [
            Route("/api/description", self.describe),
            Route("/api/progress", self.progress),
            Route("/api/definitions", self.define),
            Route("/api/categories", self.categories),
            Route("/api/cases", self.find),
            Route("/api/cases/{row}", self.row),
            Route("/api/predict", self.predict, methods=["POST"]),
            Route("/api/explain", self.explain, methods=["POST"]),
            Route("/api/compare", self.compare, methods=["POST"]),
            Route("/api/report", self.report, methods=["POST"]),
            Route("/api/letter", self.letter, methods=["POST"]),
            Route("/api/json", self.payload, methods=["POST"]),
            Route("/api/jobs/{job}", self.fetch),
            Route("/api/jobs/{job}", self.stop, methods=["DELETE"]),
        ]

    async def describe(self, request: Request) -> Response:
        """Describe the data."""
        return to_json(await self._do(self._service.describe))

    async def progress(self, request: Request) -> Response:
        """Say how far the predictions of all rows are."""
        return to_json(self._service.forecasts.progress())

    async def define(self, request: Request) -> Response:
        """Say what figures mean."""
        return to_json(definitions())

    async def categories(self, request: Request) -> Response:
        """Search the categories of a feature."""
        schema, query = self._service.parts.schema, request.query_params
        name, text = query.get("column", ""), query.get("text", "").casefold()
        if name not in schema.places or schema.features[schema.index(name)].is_numeric:
            raise unknown("there is no such column of categories")
        offset, limit = _page(request, 50, self._limits.page)
        found = [
            one for one in list_categories(self._service.parts, schema.index(name)) if text in one["text"].casefold()
        ]
        return to_json({"total": len(found), "offset": offset, "categories": found[offset : offset + limit]})

    async def find(self, request: Request) -> Response:
        """Find cases."""
        query = request.query_params
        offset, limit = _page(request, 20, self._limits.page)
        text, order = query.get("text", ""), query.get("list", "all")
        prediction, around = query.get("prediction", ""), _row(query.get("around"))
        find = self._service.finder.find
        work = partial(find, text, order, offset, limit, self._limits.page, prediction=prediction, around=around)
        return to_json(await self._do(work))

    async def row(self, request: Request) -> Response:
        """Show one row."""
        number = _row(request.path_params["row"])
        return to_json(await self._do(partial(self._service.row, self._service.rows.check(number))))

    async def predict(self, request: Request) -> Response:
        """Ask the model about a case."""
        body = read_body(await read_json(request, self._limits), ("case", "wait", "job"))
        asked = self._asked(body)
        return await self._answer(body, lambda: self._service.predict(asked))

    async def explain(self, request: Request) -> Response:
        """Explain a case."""
        body, asked, search = await self._question(request)
        return await self._answer(body, lambda: self._service.explain(asked, search))

    async def compare(self, request: Request) -> Response:
        """Compare two cases."""
        body = read_body(await read_json(request, self._limits), ("cases", "options", "detail", "wait", "job"))
        cases = body.get("cases")
        if not isinstance(cases, list) or len(cases) != 2:
            raise InputError("cases: give a list of two cases")
        service, search = self._service, read_search(body)
        first, second = (read_asked(case, service.rows, service.parts.schema) for case in cases)
        return await self._answer(body, lambda: service.compare(first, second, search))

    async def report(self, request: Request) -> Response:
        """Write a report."""
        body, asked, search = await self._question(request)

        def work() -> Download:
            explanation = self._service.take_away("report", asked, search)
            page = to_report(explanation, self._service.call(asked))
            return Download(encode_page(page), _HTML, _file_name("why", asked, "html"))

        return await self._answer(body, work)

    async def payload(self, request: Request) -> Response:
        """Give the payload alone."""
        body, asked, search = await self._question(request)

        def work() -> Download:
            text = self._service.take_away("json", asked, search).to_json(indent=1)
            return Download(text.encode("utf-8", "surrogatepass"), "application/json", _file_name("why", asked, "json"))

        return await self._answer(body, work)

    async def letter(self, request: Request) -> Response:
        """Write a letter."""
        keys = ("template", "fields", "codes", "time", "paper", "top", "format")
        body, asked, search = await self._question(request, keys)
        wish = read_letter(body)

        def work() -> Download:
            explanation = self._service.take_away("letter", asked, search)
            wish.options["fingerprint"] = self._service.fingerprint()
            wish.options["instead_of"] = asked.own
            letter = explanation.letter(wish.template, **wish.options)
            if wish.as_record:
                return Download(encode_record(letter.record), "application/json", _file_name("letter", asked, "json"))
            return Download(encode_page(letter.html), _HTML, _file_name("letter", asked, "html"))

        return await self._answer(body, work)

    async def fetch(self, request: Request) -> Response:
        """Wait for a job."""
        job = self._service.desk.find(request.path_params["job"])
        return await self._wait(job, read_wait(request.query_params.get("wait", "0")))

    async def stop(self, request: Request) -> Response:
        """Stop a job."""
        job = self._service.desk.find(request.path_params["job"])
        job.stop()
        return to_json(job.report())

    async def _question(self, request: Request, more: tuple[str, ...] = ()) -> tuple[JsonObject, Asked, Search]:
        body = read_body(await read_json(request, self._limits), (*_QUESTION, *more))
        return body, self._asked(body), read_search(body)

    def _asked(self, body: JsonObject) -> Asked:
        if "case" not in body:
            raise InputError('case: is missing; give {"row": 5}, or {"values": {…}}')
        return read_asked(body["case"], self._service.rows, self._service.parts.schema)

    async def _do(self, work: Callable[[], JsonValue]) -> JsonValue:
        """Do something that is over soon."""
        desk = self._service.desk
        result = await desk.wait(desk.begin(work), self._limits.seconds)
        if isinstance(result, Job):
            result.stop()
            raise Fault(504, "late", f"there was no answer within {self._limits.seconds:g} s")
        return result

    async def _answer(self, body: JsonObject, work: Callable[[], object]) -> Response:
        seconds = read_wait(body.get("wait"))
        return await self._wait(self._service.desk.begin(work, body.get("job")), seconds)

    async def _wait(self, job: Job, seconds: float) -> Response:
        result = await self._service.desk.wait(job, seconds)
        if isinstance(result, Job):
            return to_json(result.report(), 202)
        return result.response() if isinstance(result, Download) else await asyncio.to_thread(to_json, result)


class Download:
    """A file to take away."""

    def __init__(self, content: bytes, kind: str, name: str) -> None:
        self._content, self._kind, self._name = content, kind, name

    def response(self) -> Response:
        """As an attachment that runs nothing, even if somebody opens it in place."""
        headers = {
            "Content-Disposition": f'attachment; filename="{self._name}"',
            "Content-Security-Policy": _PAGE_POLICY,
        }
        return Response(self._content, media_type=self._kind, headers=headers)


def to_json(content: JsonValue, status: int = 200) -> Response:
    """An answer as JSON; half a character, which UTF-8 does not have, is escaped."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        data = text.encode()
    except UnicodeEncodeError:
        data = json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
    return Response(data, status, media_type="application/json")


def _file_name(what: str, asked: Asked, suffix: str) -> str:
    changed = "-changed" if asked.changed else ""
    return f"{what}.{suffix}" if asked.row is None else f"{what}-{asked.row}{changed}.{suffix}"


def _row(text: str | None) -> int | None:
    """A row number; -1: no row has such a number."""
    if text is None:
        return None
    return int(text) if text.isdecimal() and len(text) < 16 else -1


def _page(request: Request, usual: int, most: int) -> tuple[int, int]:
    query = request.query_params
    numbers = {}
    for name, default in (("offset", 0), ("limit", usual)):
        text = query.get(name, str(default))
        if not text.isdecimal() or len(text) > 15:
            raise InputError(f"{name}: give a whole number")
        numbers[name] = int(text)
    check_integer("limit", numbers["limit"], 1, most)
    return numbers["offset"], numbers["limit"]
