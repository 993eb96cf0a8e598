"""A proxy in front of two language models: it explores the larger one, and keeps the quality.

The reward is a score of each answer, from 0 to 1, which a judge or a user gives later. The answer's
cost is reported with it: a guardrail, which retires a model that is surely too expensive.
"""

from __future__ import annotations

import json
import os
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

from floorline.client import Client

URL = os.environ.get("FLOORLINE_URL", "http://127.0.0.1:8400")
CAMPAIGN = "router"
DEFAULT = "small"


class Router(ThreadingHTTPServer):
    """Answers prompts with one of the models, and takes scores."""

    def __init__(self, address: tuple[str, int], models: dict[str, str], url: str = URL) -> None:
        super().__init__(address, Handler)
        self.models = models
        self.floorline = Client(url, defaults={CAMPAIGN: DEFAULT})
        self.costs: dict[str, float] = {}  # of answers that have no score yet, by ticket

    def complete(self, prompt: str) -> dict[str, Any]:
        """Return an answer to the prompt, and the ticket with which to score it."""
        decision = self.floorline.decide(CAMPAIGN)
        answer = post(self.models[decision.arm], {"prompt": prompt})
        if decision.ticket is not None:
            self.costs[decision.ticket] = answer["cost"]
        return {"text": answer["text"], "model": decision.arm, "ticket": decision.ticket}

    def score(self, ticket: str, score: float) -> dict[str, bool]:
        """Report how good an answer was, and what it cost."""
        cost = self.costs.get(ticket)  # None: scored before, or the router was restarted since
        taken = self.floorline.reward(ticket, score, None if cost is None else {"cost": cost})
        if taken:
            self.costs.pop(ticket, None)
        return {"taken": taken}

    def server_close(self) -> None:
        """Close the connections to the service, too."""
        self.floorline.close()
        super().server_close()


class Handler(BaseHTTPRequestHandler):
    """POST /complete and POST /scores, in JSON."""

    server: Router

    def do_POST(self) -> None:
        """Respond to a prompt or a score."""
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        known = {"/complete": self.server.complete, "/scores": self.server.score}
        handle = known.get(self.path)
        content = json.dumps({} if handle is None else handle(**body)).encode()
        self.send_response(404 if handle is None else 200)
        self.send_header("Content-Type", "application/json")
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


def post(url: str, body: dict[str, Any]) -> Any:
    """Return the response to a body, both in JSON."""
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=60) as response:
        return json.load(response)


if __name__ == "__main__":
    models = {name: os.environ[f"{name.upper()}_MODEL"] for name in ("small", "large")}
    with Router(("127.0.0.1", 8004), models) as router:
        router.serve_forever()
