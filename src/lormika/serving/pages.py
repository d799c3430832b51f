"""The page and its files, read once from the package: no path from a request reaches the file system."""

from __future__ import annotations

import hashlib
from importlib.resources import files

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from lormika.serving.faults import unknown
from lormika.views.html import board_styles

_KINDS = {
    ".html": "text/html; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".woff2": "font/woff2",
}


class Pages:
    """The files of the page, in memory."""

    def __init__(self) -> None:
        folder = files("lormika.serving") / "page"
        self._files = {
            file.name: file.read_bytes() for file in folder.iterdir() if file.is_file() and _suffix(file.name) in _KINDS
        }
        self._files["board.css"] = board_styles().encode()
        self._tags = {name: f'"{hashlib.sha256(content).hexdigest()[:32]}"' for name, content in self._files.items()}

    def routes(self) -> list[Route]:
        """The page itself, and its files."""
        return [Route("/", self.index), Route("/favicon.ico", self.icon), Route("/static/{name}", self.static)]

    async def index(self, request: Request) -> Response:
        """The page."""
        return self._response(request, "index.html")

    async def icon(self, request: Request) -> Response:
        """The icon, which browsers ask for unbidden."""
        return self._response(request, "icon.svg")

    async def static(self, request: Request) -> Response:
        """A file of the page."""
        return self._response(request, request.path_params["name"])

    def _response(self, request: Request, name: str) -> Response:
        if name not in self._files:
            raise unknown("there is no such file")
        headers = {"ETag": self._tags[name], "Cache-Control": "no-cache"}
        if request.headers.get("if-none-match") == self._tags[name]:
            return Response(status_code=304, headers=headers)
        return Response(self._files[name], media_type=_KINDS[_suffix(name)], headers=headers)


def _suffix(name: str) -> str:
    return name[name.rfind(".") :].lower()
