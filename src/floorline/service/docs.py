"""The interactive description at /docs: Swagger UI from an installed package, no internet."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from floorline.service.keys import KeyFile
from floorline.service.openapi import describe
from floorline.service.routes import OPERATIONS

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Floorline: API</title>
<link rel="stylesheet" href="/docs/files/swagger-ui.css">
</head>
<body>
<div id="api"></div>
<script src="/docs/files/swagger-ui-bundle.js"></script>
<script src="/docs/start.js"></script>
</body>
</html>
"""

START = 'SwaggerUIBundle({url: "/openapi.json", dom_id: "#api", deepLinking: true});\n'

SAFE = {"Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
        "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"}  # fmt: skip


def routes(keys: KeyFile) -> list[BaseRoute]:
    """The description as JSON and as a page."""

    async def openapi(request: Request) -> Response:
        return Response(_described(keys.required), media_type="application/json")

    async def page(request: Request) -> Response:
        return HTMLResponse(PAGE, headers=SAFE)

    async def start(request: Request) -> Response:
        return Response(START, media_type="text/javascript")

    return [
        Route("/openapi.json", openapi),
        Route("/docs", page),
        Route("/docs/start.js", start),
        Mount("/docs/files", StaticFiles(directory=_files())),
    ]


@cache
def _described(keys: bool) -> bytes:
    """The description, which takes long to make."""
    return msgspec.json.encode(describe(OPERATIONS, keys=keys))


def _files() -> Path:
    """Where Swagger UI's own files are."""
    found = find_spec("swagger_ui")
    if found is None or found.origin is None:  # pragma: no cover
        raise ImportError("the service needs the extra [service]: pip install 'floorline[service]'")
    return Path(found.origin).parent / "static"
