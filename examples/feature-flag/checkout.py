"""A feature flag through OpenFeature: only the set-up knows about the bandit."""

from __future__ import annotations

import os

from openfeature import api
from openfeature.evaluation_context import EvaluationContext
from openfeature.track import TrackingEventDetails

from floorline.client import Client
from floorline.client.openfeature import FloorlineProvider

URL = os.environ.get("FLOORLINE_URL", "http://127.0.0.1:8400")


def set_up() -> None:
    """Let the service decide flags; without this, every flag has the program's own value."""
    api.set_provider(FloorlineProvider(Client(URL)))


def serve(visit: str, buys: bool) -> str:
    """Return the checkout that a visit gets; report an order if it buys."""
    flags = api.get_client()
    flag = flags.get_string_details("flag-checkout", "classic", EvaluationContext(visit))
    ticket = flag.flag_metadata.get("ticket")  # there is none if the service did not answer
    if buys and ticket is not None:
        flags.track("order", None, TrackingEventDetails(1.0, {"ticket": ticket}))
    return flag.value


if __name__ == "__main__":
    set_up()
    print("show", serve("visit-1", buys=True))
    api.shutdown()  # sends waiting rewards
