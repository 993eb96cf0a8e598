"""Call a decision service from Python. Needs only the standard library.

The same files are also a separate distribution, `floorline-client`, imported as `floorline_client`;
so modules in this folder import one another relatively, and nothing else from Floorline.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .messages import CampaignView, Decision, RewardReceipt, ServiceError
from .synchronous import Client

if TYPE_CHECKING:
    from .asynchronous import AsyncClient

__all__ = ["AsyncClient", "CampaignView", "Client", "Decision", "RewardReceipt", "ServiceError"]


if not TYPE_CHECKING:  # a type checker would accept any name

    def __getattr__(name: str) -> Any:
        if name == "AsyncClient":  # loading asyncio takes longer than loading everything else here
            from .asynchronous import AsyncClient

            return AsyncClient
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
