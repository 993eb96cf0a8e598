"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

from floorline.service.alerts.delivery import AlertDelivery
from floorline.service.alerts.watch import Watch
from floorline.service.alerts.webhooks import WebhookFile
from floorline.service.api import docs, pages
from floorline.service.api.routes import OPERATIONS
from floorline.service.config import Config
from floorline.service.host.folder import Folder
from floorline.service.host.host import Host
from floorline.service.http.cors import Cors
from floorline.service.http.endpoint import Endpoint
from floorline.service.http.gate import Gate
from floorline.service.http.keys import KeyFile
from floorline.service.http.problems import KeysError, Problem, problem_of
from floorline.service.http.transfer import send_problem


class Service:
    """The API, its description and the dashboard, on the campaigns of one data folder."""

    def __init__(self, config: Config) -> None:
        self.config = config
        self.host = Host(Folder(config.data, create=config.create))
        self.keys = KeyFile(self.host.folder.keys)
        self.gate = Gate(self.keys, config.rate, Cors(config.cors_origins))
        delivery = AlertDelivery(WebhookFile(self.host.folder.path))
        self.watch = Watch(self.host, delivery, config.alert_interval)
        self.router = Router(
            routes=[*self._api(), *docs.routes(self.keys), *pages.routes(self.gate)],
            default=_unknown_path,
            lifespan=self._run,
            redirect_slashes=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request."""
        scope["app"] = self  # so that Starlette raises errors instead of sending them as text
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:  # from pages; endpoints of the API send their own problems
            problem = Problem(error.status_code, "page", error.detail, error.headers)
            await send_problem(send, problem, problem.document(), scope["path"])
        except KeysError as error:  # from pages too
            problem = problem_of(error)
            await send_problem(send, problem, problem.document(), scope["path"])

    def _api(self) -> list[BaseRoute]:
        paths = dict.fromkeys(operation.path for operation in OPERATIONS)
        return [
            Route(path, Endpoint(self.host, self.gate, [o for o in OPERATIONS if o.path == path]))
            for path in paths
        ]

    @asynccontextmanager
    async def _run(self, app: object) -> AsyncIterator[None]:
        """Open the campaigns, serve, close them."""
        await self.host.start()
        self.watch.start()
        yield
        await self.watch.stop()
        await self.host.stop()


async def _unknown_path(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        problem = Problem(404, "unknown-path", f"there is nothing at {scope['path']}")
        await send_problem(send, problem, problem.document(), scope["path"])
