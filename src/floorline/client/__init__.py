"""Ask a decision service from Python. Needs the standard library alone, and loads little of it."""

from floorline.client.answers import Decision, ServiceError
from floorline.client.asynchronous import AsyncClient
from floorline.client.synchronous import Client

__all__ = ["AsyncClient", "Client", "Decision", "ServiceError"]
