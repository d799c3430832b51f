"""The application: all requests, behind the guard; whatever goes wrong gets a clear answer."""

from __future__ import annotations

import sys
import traceback

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Receive, Scope, Send

from lormika.serving.api import Interface, to_json
from lormika.serving.faults import Fault, as_fault
from lormika.serving.guard import Guard, Hosts
from lormika.serving.kserve import Protocol
from lormika.serving.openapi import describe_interface
from lormika.serving.pages import Pages
from lormika.serving.service import Service

_LONGEST_URL = 20_000  # characters


def make_app(service: Service, token: str, hosts: Hosts) -> ASGIApp:
    """Everything that a server answers."""
    routes = [*Pages().routes(), *Interface(service).routes(), *Protocol(service).routes(), *_own_routes(service)]
    return Guard(_Shield(Router(routes, redirect_slashes=False)), token, hosts)


def _own_routes(service: Service) -> list[Route]:
    async def health(request: Request) -> Response:
        return to_json({"status": "alive"})

    async def openapi(request: Request) -> Response:
        return to_json(describe_interface(service.about.name, service.limits))

    return [Route("/healthz", health), Route("/openapi.json", openapi)]


def _respond(fault: Fault) -> Response:
    return JSONResponse(fault.body(), fault.status, fault.headers)


class _Shield:
    """Turns errors into answers. What the program itself did wrong is told on standard error, without any value."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if len(scope["path"]) + len(scope["query_string"]) > _LONGEST_URL:
            await _respond(Fault(414, "large", "the address is too long"))(scope, receive, send)
            return
        scope["app"] = self._app  # with it, what is not there is an error like any other
        try:
            await self._app(scope, receive, send)
        except HTTPException as error:
            unknown = Fault(
                error.status_code, "unknown", "there is no such address, or not by this method", error.headers
            )
            await _respond(unknown)(scope, receive, send)
        except Exception as error:
            fault = as_fault(error)
            if fault is None:
                _tell(error)
                fault = Fault(500, "internal", f"lormika itself failed ({type(error).__name__}): please report it")
            await _respond(fault)(scope, receive, send)


def _tell(error: Exception) -> None:
    """Where it happened; messages may quote data, and are left out."""
    places = traceback.extract_tb(error.__traceback__)[-6:]
    lines = [f"  {place.filename}:{place.lineno} in {place.name}" for place in places]
    print(f"internal error: {type(error).__name__}", *lines, sep="\n", file=sys.stderr, flush=True)
