"""Opening a campaign: a new one in a new file, or the one that a file holds."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from floorline.live.events import VERSION
from floorline.live.ledger import MEMORY, Ledger
from floorline.live.replay import load
from floorline.live.settings import Settings
from floorline.live.state import State
from floorline.live.tickets import new_campaign_id
from floorline.live.writer import Writer


def open_writer(
    path: str, clock: Callable[[], float], settings: Mapping[str, Any]
) -> tuple[Writer, str]:
    """The writer of the campaign at a path, begun now if there is none yet, and its id."""
    if path == MEMORY or not os.path.exists(path):
        Settings.from_json(settings)  # what is wrong with them shall leave no file behind
    ledger = Ledger(path)
    try:
        first = ledger.opening()
        if first is None:
            return _begin(ledger, clock, Settings.from_json(settings))
        state = load(ledger)
        state.settings.refuse_others(settings)
        return Writer(ledger, state, clock), first.body["id"]
    except BaseException:
        ledger.close(untouched=True)
        raise


def _begin(ledger: Ledger, clock: Callable[[], float], settings: Settings) -> tuple[Writer, str]:
    for warning in settings.warnings:
        warnings.warn(warning, stacklevel=4)  # where the campaign is opened
    writer = Writer(ledger, State(settings), clock)
    name = new_campaign_id()
    with writer:
        body = {"version": VERSION, "id": name, "settings": settings.to_json()}
        writer.happen("opened", body=body)
    return writer, name
