"""Sending alerts to webhooks: signed, retried, and with a bounded queue."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import logging
import secrets
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from http.client import HTTPException
from typing import TypeVar
from urllib.error import HTTPError, URLError

import msgspec

from floorline.service.alerts.posting import post
from floorline.service.alerts.webhooks import MAX_WEBHOOKS, Webhook, Webhooks

log = logging.getLogger("floorline.service")

T = TypeVar("T")

MAX_WAITING = 1000
"""Messages that may wait to be sent; further ones displace the oldest."""
RETRY_SECONDS = (1.0, 5.0, 30.0, 120.0, 600.0)
"""Between two attempts. After the last one the message is given up."""


class Alert(msgspec.Struct, frozen=True):
    """What a webhook is sent."""

    id: str
    """The same for every attempt: a receiver can ignore what it has seen."""
    time: float
    kind: str
    state: str
    """`raised` or `cleared`."""
    campaign: str | None
    """None if the alert concerns the service."""
    text: str


def new_alert(kind: str, state: str, campaign: str | None, text: str) -> Alert:
    """Return an alert with the current time and a new id."""
    return Alert(secrets.token_hex(8), time.time(), kind, state, campaign, text)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return the HMAC-SHA256 of a timestamp, a dot and a body, in hexadecimal digits."""
    signed = timestamp.encode() + b"." + body
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def send(webhook: Webhook, alert: Alert) -> None:
    """Send an alert once.

    Raises:
        OSError: it was not accepted.
    """
    body = msgspec.json.encode(alert)
    timestamp = str(int(time.time()))
    signed = f"t={timestamp},v1={signature(webhook.secret, timestamp, body)}"
    headers = {
        "Content-Type": "application/json",
        "User-Agent": "floorline",
        "Floorline-Signature": signed,
    }
    try:
        post(webhook.url, body, headers)
    except HTTPError as error:
        error.close()
        raise OSError(f"answered {error.code}") from None
    except URLError as error:
        raise OSError(str(error.reason)) from None
    except (HTTPException, ValueError) as error:  # an invalid response or address
        raise OSError(f"{type(error).__name__}: {error}") from None


class AlertDelivery:
    """Sends alerts in the background, each webhook in order."""

    def __init__(
        self, webhooks: Webhooks, retry_seconds: tuple[float, ...] = RETRY_SECONDS
    ) -> None:
        self.dropped = 0
        """Messages that were given up or displaced."""
        self._webhooks = webhooks
        self._retry_seconds = retry_seconds
        self._waiting: dict[str, deque[Alert]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}
        # One for each address, so that slow receivers delay nothing else.
        self._threads = ThreadPoolExecutor(MAX_WEBHOOKS + 1, "alerts")

    async def notify(self, alert: Alert) -> None:
        """Send an alert to every webhook that wants its kind, soon."""
        try:
            webhooks = await self._in_thread(self._webhooks.webhooks)
        except ValueError as error:
            log.error("the webhooks cannot be read", extra={"why": str(error)})
            return
        for webhook in webhooks:
            if alert.kind in webhook.kinds:
                self._add(webhook, alert)

    def _add(self, webhook: Webhook, alert: Alert) -> None:
        waiting = self._waiting.setdefault(webhook.id, deque())
        if len(waiting) >= MAX_WAITING:
            waiting.popleft()
            self._drop(webhook, "too many messages wait")
        waiting.append(alert)
        task = self._tasks.get(webhook.id)
        if task is None or task.done():
            self._tasks[webhook.id] = asyncio.create_task(self._send_all(webhook, waiting))

    async def _send_all(self, webhook: Webhook, waiting: deque[Alert]) -> None:
        while waiting:
            await self._deliver(webhook, waiting.popleft())

    async def _deliver(self, webhook: Webhook, alert: Alert) -> None:
        why = ""
        for wait in (0.0, *self._retry_seconds):
            await asyncio.sleep(wait)
            try:
                if webhook not in await self._in_thread(self._webhooks.webhooks):  # it was removed
                    return
                await self._in_thread(send, webhook, alert)
                return
            except (OSError, ValueError) as error:
                why = str(error)
        self._drop(webhook, why)

    def _in_thread(self, call: Callable[..., T], *arguments: object) -> asyncio.Future[T]:
        return asyncio.get_running_loop().run_in_executor(self._threads, call, *arguments)

    def _drop(self, webhook: Webhook, why: str) -> None:
        self.dropped += 1
        log.error("alert not delivered", extra={"webhook": webhook.id, "why": why})

    async def close(self) -> None:
        """Stop sending; what waits is not sent. Alerts still raised are sent at the next start."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        for task in tasks:
            with suppress(asyncio.CancelledError, Exception):
                await task
        self._threads.shutdown(wait=False)
