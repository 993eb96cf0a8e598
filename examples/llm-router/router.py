"""A proxy in front of two language models: it explores the larger one, and keeps the quality.

The reward is a score of each answer, from 0 to 1, which a judge or a user gives later. Cost is a
guardrail of the router's own: while an answer has cost more than CAP on average, it proposes the
default. That depends on earlier requests only, so that the floor holds.
"""

from __future__ import annotations

import json
import os
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.request import Request, urlopen

from floorline.client import Client

URL = os.environ.get("FLOORLINE_URL", "http://127.0.0.1:8400")
CAMPAIGN = "router"
DEFAULT = "small"
CAP = float(os.environ.get("CAP", "0.004"))
"""Dollars an answer, on average."""


class Costs:
    """What answers have cost so far."""

    def __init__(self, cap: float) -> None:
        self._cap = cap
        self._total = 0.0
        self._answers = 0
        self._lock = threading.Lock()

    def add(self, cost: float) -> None:
        """Count an answer."""
        with self._lock:
            self._total += cost
            self._answers += 1

    @property
    def average(self) -> float:
        """Dollars an answer."""
        return self._total / max(1, self._answers)

    @property
    def candidate(self) -> str | None:
        """The arm to propose: the default while answers cost too much, else the campaign's own."""
        return DEFAULT if self.average > self._cap else None


class Router(ThreadingHTTPServer):
    """Answers prompts with one of the models, and takes scores."""

    def __init__(self, address: tuple[str, int], models: dict[str, str], url: str = URL) -> None:
        super().__init__(address, Handler)
        self.models = models
        self.costs = Costs(CAP)
        self.floorline = Client(url, defaults={CAMPAIGN: DEFAULT})

    def complete(self, prompt: str) -> dict[str, Any]:
        """An answer to the prompt, and the ticket with which to score it."""
        decision = self.floorline.decide(CAMPAIGN, candidate=self.costs.candidate)
        answer = post(self.models[decision.arm], {"prompt": prompt})
        self.costs.add(answer["cost"])
        return {"text": answer["text"], "model": decision.arm, "ticket": decision.ticket}

    def score(self, ticket: str, score: float) -> dict[str, bool]:
        """Report how good an answer was."""
        return {"reported": self.floorline.reward(ticket, score)}

    def server_close(self) -> None:
        """Send the scores that wait, and close."""
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
        """Say nothing."""


def post(url: str, body: dict[str, Any]) -> Any:
    """The response to a body, both in JSON."""
    headers = {"Content-Type": "application/json"}
    with urlopen(Request(url, json.dumps(body).encode(), headers), timeout=60) as response:
        return json.load(response)


if __name__ == "__main__":
    models = {name: os.environ[f"{name.upper()}_MODEL"] for name in ("small", "large")}
    with Router(("127.0.0.1", 8004), models) as router:
        router.serve_forever()
