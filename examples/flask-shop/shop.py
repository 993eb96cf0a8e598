"""A shop that tests a new checkout page. Revenue is reported days later, or never."""

from __future__ import annotations

import os
import secrets

from flask import Flask, Response, abort, jsonify, request

from floorline.client import Client

URL = os.environ.get("FLOORLINE_URL", "http://127.0.0.1:8400")
CAMPAIGN = "checkout"

tickets: dict[str, str | None] = {}
"""The ticket of each order. A real shop stores it with the order."""


def create_app(queue_file: str = "rewards.jsonl") -> Flask:
    """Return the shop. Each process of a web server has one, with its own client and file."""
    app = Flask(__name__)
    client = Client(URL, defaults={CAMPAIGN: "classic"}, queue_file=queue_file)
    app.extensions["floorline"] = client

    @app.get("/checkout")
    def checkout() -> Response:
        visit = request.cookies.get("visit") or secrets.token_hex(16)
        response = jsonify(checkout=client.decide(CAMPAIGN, visit).arm)
        response.set_cookie("visit", visit)
        return response

    @app.post("/orders")
    def order() -> Response:
        decision = client.decide(CAMPAIGN, request.cookies["visit"])  # the same as before
        number = secrets.token_hex(4)
        tickets[number] = decision.ticket
        return jsonify(order=number)

    @app.post("/orders/<number>/paid")
    def paid(number: str) -> Response:
        if number not in tickets:
            abort(404)
        return jsonify(reported=client.reward(tickets[number], float(request.args["amount"])))

    return app
