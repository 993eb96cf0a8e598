"""The service as an ASGI application."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager

from starlette.exceptions import HTTPException
from starlette.routing import BaseRoute, Route, Router
from starlette.types import Receive, Scope, Send

from floorline.service.alerts.delivery import AlertDelivery
from floorline.service.alerts.watch import Watch
from floorline.service.api import docs, pages
from floorline.service.api.routes import OPERATIONS
from floorline.service.config import Config
from floorline.service.data import open_data
from floorline.service.host.host import Host
from floorline.service.http.cors import Cors
from floorline.service.http.endpoint import Endpoint
from floorline.service.http.forwarded import ForwardedRequests
from floorline.service.http.gate import Gate
from floorline.service.http.paths import PathTable
from floorline.service.http.peers import FORWARD_PATH
from floorline.service.http.problems import KeysError, Problem, problem_of
from floorline.service.http.transfer import send_problem


class Service:
    """The API, its description and the dashboard, on the campaigns of a folder or a database."""

    def __init__(self, config: Config) -> None:
        self.config = config
        data = open_data(config.data, create=config.create)
        self.keys, self.forwarder = data.keys, data.forwarder
        self.host = Host(data.source)
        self.gate = Gate(self.keys, config.rate, Cors(config.cors_origins))
        delivery = AlertDelivery(data.webhooks)
        self.watch = Watch(self.host, delivery, data.alerts, config.alert_interval)
        self._endpoints = PathTable(self._api())
        self.router = Router(
            routes=[
                *docs.routes(self.keys),
                *pages.routes(self.gate),
                *self._internal(),
            ],
            default=_unknown_path,
            lifespan=self._run,
            redirect_slashes=False,
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Respond to a request: an endpoint of the API, or else a page."""
        found = self._endpoints.find(scope["path"]) if scope["type"] == "http" else None
        if found is not None:
            endpoint, scope["path_params"] = found
            await endpoint(scope, receive, send)
            return
        scope["app"] = self  # so that Starlette raises errors instead of sending them as text
        try:
            await self.router(scope, receive, send)
        except HTTPException as error:
            problem = Problem(error.status_code, "page", error.detail, error.headers)
            await send_problem(send, problem, problem.document(), scope["path"])
        except KeysError as error:
            problem = problem_of(error)
            await send_problem(send, problem, problem.document(), scope["path"])

    def _api(self) -> Iterator[tuple[str, Endpoint]]:
        for path in dict.fromkeys(operation.path for operation in OPERATIONS):
            operations = [operation for operation in OPERATIONS if operation.path == path]
            yield path, Endpoint(self.host, self.gate, operations, self.forwarder)

    def _internal(self) -> list[BaseRoute]:
        """Return the routes for other servers, if there can be any."""
        if self.forwarder is None:
            return []
        return [Route(FORWARD_PATH, ForwardedRequests(self, self.forwarder.secret))]

    @asynccontextmanager
    async def _run(self, app: object) -> AsyncIterator[None]:
        """Open the campaigns, serve, close them."""
        await self.host.start()
        self.watch.start()
        yield
        await self.watch.stop()
        await self.host.stop()
        if self.forwarder is not None:
            self.forwarder.close()


async def _unknown_path(scope: Scope, receive: Receive, send: Send) -> None:
    if scope["type"] == "http":
        problem = Problem(404, "unknown-path", f"there is nothing at {scope['path']}")
        await send_problem(send, problem, problem.document(), scope["path"])
