"""A shop that tests a new checkout page. Revenue is reported days later, or never."""

from __future__ import annotations

import os
import secrets
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import Cookie, FastAPI, HTTPException, Response

from floorline.client import AsyncClient

URL = os.environ.get("FLOORLINE_URL", "http://127.0.0.1:8400")
CAMPAIGN = "checkout"

tickets: dict[str, str | None] = {}
"""The ticket of each order. A real shop stores it with the order."""


@asynccontextmanager
async def lifespan(app: FastAPI) -> AsyncIterator[None]:
    """Keep a client open while the shop runs; it sends the waiting rewards at the end."""
    async with AsyncClient(URL, defaults={CAMPAIGN: "classic"}) as client:
        app.state.floorline = client
        yield


app = FastAPI(lifespan=lifespan)


@app.get("/checkout")
async def checkout(response: Response, visit: str | None = Cookie(None)) -> dict[str, str]:
    """Show the checkout that this visit gets: the same one however often it is loaded."""
    if visit is None:
        visit = secrets.token_hex(16)
        response.set_cookie("visit", visit)
    decision = await app.state.floorline.decide(CAMPAIGN, visit)
    return {"checkout": decision.arm}


@app.post("/orders")
async def order(visit: str = Cookie()) -> dict[str, str]:
    """Take an order, and keep the ticket of the visit's decision with it."""
    decision = await app.state.floorline.decide(CAMPAIGN, visit)  # the same as before
    number = secrets.token_hex(4)
    tickets[number] = decision.ticket
    return {"order": number}


@app.post("/orders/{number}/paid")
async def paid(number: str, amount: float) -> dict[str, bool]:
    """Report what was paid. The bank calls this, perhaps days later, perhaps twice."""
    if number not in tickets:
        raise HTTPException(404, "there is no such order")
    return {"reported": app.state.floorline.reward(tickets[number], amount)}
