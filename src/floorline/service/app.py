"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

from floorline.service import docs, pages
from floorline.service.config import Config
from floorline.service.endpoint import Endpoint, send_problem
from floorline.service.folder import Folder
from floorline.service.gate import Gate
from floorline.service.keys import KeyFile
from floorline.service.metrics import Metrics
from floorline.service.problems import KeysError, Problem, problem_of
from floorline.service.registry import Registry
from floorline.service.routes import OPERATIONS


class Service:
    """All that requests share."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.folder = Folder(config.data)
        self.metrics = Metrics()
        self.keys = KeyFile(self.folder.keys)
        self.gate = Gate(self.keys, config.rate)
        self.registry = Registry(self.folder, self.metrics.commit)
        self.ready = False
        self.router = Router(
            routes=[*self._api(), *docs.routes(self.keys), *pages.routes()],
            default=_unknown, lifespan=self._run, redirect_slashes=False,
        )  # fmt: skip

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request."""
        scope["app"] = self
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:  # of pages; the API's own endpoints send what goes wrong
            problem = Problem(error.status_code, "page", error.detail, error.headers)
            await send_problem(send, problem, problem.document(), scope["path"])
        except KeysError as error:  # of pages too
            problem = problem_of(error)
            await send_problem(send, problem, problem.document(), scope["path"])

    def _api(self) -> list[BaseRoute]:
        paths = list(dict.fromkeys(operation.path for operation in OPERATIONS))
        return [
            Route(path, Endpoint(self, [one for one in OPERATIONS if one.path == path]))
            for path in paths
        ]

    @asynccontextmanager
    async def _run(self, app: object) -> AsyncIterator[None]:
        """Serve between opening the ledgers and closing them."""
        await self.registry.open_all()
        self.ready = True
        yield
        self.ready = False
        await self.registry.close()


async def _unknown(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        problem = Problem(404, "unknown-path", f"there is nothing at {scope['path']}")
        await send_problem(send, problem, problem.document(), scope["path"])
