"""The dashboard: two pages and the files that they load, all from `dashboard/`."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

from floorline.service.http.gate import Gate

FILES = Path(__file__).parents[1] / "dashboard"

SECURITY_HEADERS = {
    "Cache-Control": "no-cache",  # revalidate before using a cached copy
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _Files(StaticFiles):
    """The dashboard's files, which a browser may cache until they change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(SECURITY_HEADERS)
        return response


def routes(gate: Gate) -> list[BaseRoute]:
    """Return the routes of the pages, their files, and the scopes of the viewer's key."""

    async def access(request: Request) -> Response:
        authorization = request.headers.get("authorization", "").encode("latin-1")
        return JSONResponse(
            {"required": gate.required, "scopes": gate.access(authorization).scopes},
            headers={"Cache-Control": "no-store"},
        )

    return [
        Route("/", _page("overview.html")),
        Route("/campaigns/{name}", _page("campaign.html")),
        Route("/dashboard/access", access),
        Mount("/dashboard", _Files(directory=FILES)),
    ]


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        return FileResponse(FILES / name, headers=SECURITY_HEADERS)

    return page
