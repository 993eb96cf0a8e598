"""The interactive documentation at /docs: Swagger UI from an installed package, offline."""

from __future__ import annotations

from functools import cache
from importlib.util import find_spec
from pathlib import Path

import msgspec
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles

from floorline.service.api.openapi import describe
from floorline.service.api.routes import OPERATIONS
from floorline.service.http.keys import Keys

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Floorline: API</title>
<link rel="icon" href="/dashboard/icon.svg" type="image/svg+xml">
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

SECURITY_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; frame-ancestors 'none'"
}


def routes(keys: Keys) -> list[BaseRoute]:
    """Return the routes of the OpenAPI document and of the page that shows it."""

    async def openapi(request: Request) -> Response:
        return Response(_openapi_document(keys.required), media_type="application/json")

    async def page(request: Request) -> Response:
        return HTMLResponse(PAGE, headers=SECURITY_HEADERS)

    async def start(request: Request) -> Response:
        return Response(START, media_type="text/javascript")

    return [
        Route("/openapi.json", openapi),
        Route("/docs", page),
        Route("/docs/start.js", start),
        Mount("/docs/files", StaticFiles(directory=_files())),
    ]


@cache
def _openapi_document(keys: bool) -> bytes:
    """Return the OpenAPI document; cached, since it is slow to generate."""
    return msgspec.json.encode(describe(OPERATIONS, keys=keys))


def _files() -> Path:
    """Return the folder of Swagger UI's own files."""
    spec = find_spec("swagger_ui")
    if spec is None or spec.origin is None:  # pragma: no cover
        raise ImportError("the service needs the extra [service]: pip install 'floorline[service]'")
    return Path(spec.origin).parent / "static"
