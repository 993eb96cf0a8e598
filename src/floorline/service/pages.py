"""The dashboard: two pages, and files of our own in `dashboard/`, with nothing from elsewhere."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope

FILES = Path(__file__).parent / "dashboard"

SAFE = {
    "Cache-Control": "no-cache",  # ask whether it is still the same, then use what is there
    "Content-Security-Policy": "default-src 'self'; base-uri 'none'; form-action 'self'; "
    "frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


class _Files(StaticFiles):
    """The dashboard's files, which a browser keeps until they change."""

    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers.update(SAFE)
        return response


def routes() -> list[BaseRoute]:
    """The pages, what they load, and what they may do."""
    return [
        Route("/", _page("overview.html")),
        Route("/campaigns/{name}", _page("campaign.html")),
        Route("/dashboard/access", access),
        Mount("/dashboard", _Files(directory=FILES)),
    ]


def _page(name: str) -> Callable[[Request], Awaitable[Response]]:
    async def page(request: Request) -> Response:
        return FileResponse(FILES / name, headers=SAFE)

    return page


async def access(request: Request) -> Response:
    """What the key of this request may do, so that a page can show what it may not."""
    gate = request.app.gate
    authorization = request.headers.get("authorization", "").encode("latin-1")
    return JSONResponse(
        {"required": gate.required, "scopes": gate.scopes(authorization)},
        headers={"Cache-Control": "no-store"},
    )
