"""Opening a campaign: a new one in a new ledger, or the one that a ledger holds."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from typing import Any

from floorline.live import ledgers
from floorline.live.errors import LedgerError
from floorline.live.events import UNSIGNED_IDS, VERSION, Event
from floorline.live.ledgers import Ledger
from floorline.live.ledgers.reader import UNCHANGED
from floorline.live.recorder import Recorder
from floorline.live.replay import load
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.live.tickets import TicketIds, fingerprint, new_campaign_id, ticket_ids


def open_recorder(
    source: str | Ledger,
    clock: Callable[[], float] | None,
    settings: Mapping[str, Any],
    down_since: float | None = None,
    up_since: float | None = None,
) -> tuple[Recorder, TicketIds]:
    """Return the recorder of a campaign, a new one if the ledger holds none, and its ticket ids."""
    if isinstance(source, Ledger):
        ledger = source
    else:
        if not ledgers.exists(source):
            CampaignSettings.for_new(settings)  # invalid settings must leave no file behind
        ledger = ledgers.open_ledger(source)
    clock = clock or ledger.clock
    try:
        first = ledger.opening()
        _refuse_lost_tail(ledger)
        if first is None:
            return _begin(ledger, clock, CampaignSettings.for_new(settings))
        state = load(ledger)
        refuse_other_settings(first, state.settings, settings)
        ids = ticket_ids(ledger, first)
        recorder = Recorder(ledger, state, clock, first.body["version"])
        if up_since is not None:
            recorder.record_outage(down_since, up_since)
        return recorder, ids
    except BaseException:
        ledger.close(untouched=True)
        raise


def refuse_other_settings(
    opened: Event, settings: CampaignSettings, given: Mapping[str, Any]
) -> None:
    """Raise ValueError if a given setting differs from the campaign's.

    The arms may be the current ones, or those that it was opened with.
    """
    then = opened.body["settings"]["arms"]
    known = {"arms": None} if list(given.get("arms") or ()) == then else {}
    settings.refuse_others({**given, **known})


def _refuse_lost_tail(ledger: Ledger) -> None:
    lost_tail = ledger.lost_tail(ledger.mark())
    if lost_tail is not None:
        raise LedgerError(
            f"{ledger.locator}: {lost_tail}; {UNCHANGED}. Put back what is missing, or delete the "
            "mark of the last commit if this is an older copy that you restored"
        )


def _begin(
    ledger: Ledger, clock: Callable[[], float], settings: CampaignSettings
) -> tuple[Recorder, TicketIds]:
    for warning in settings.warnings:
        warnings.warn(warning, stacklevel=4)  # where the campaign is opened
    body: dict[str, Any] = {
        "version": UNSIGNED_IDS,
        "id": new_campaign_id(),
        "settings": settings.to_json(),
    }
    secret = ledger.secret
    if secret is not None:
        body |= {"version": VERSION, "secret": fingerprint(secret)}
    recorder = Recorder(ledger, State(settings), clock, body["version"])
    opened = recorder.run(recorder.record, "opened", None, None, body)
    return recorder, ticket_ids(ledger, opened)
