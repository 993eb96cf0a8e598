"""Ticket ids: how a decision is named, and found again."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

from floorline.live.errors import UnknownTicket
from floorline.live.events import Event
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Ticket


def new_campaign_id() -> str:
    """Return a short id that no other campaign has."""
    return secrets.token_hex(5)


def ticket_id(campaign: str, seq: int, time: float) -> str:
    """Return the id of a decision: its campaign, its sequence number, and a part of its time.

    After a backup is restored, sequence numbers are used again. The time tells decisions that
    were lost from those that took their numbers, so their rewards are not confused.
    """
    return f"{campaign}-{seq}-{int(time * 1000) & 0xFFFFFF:x}"


def campaign_of(name: str) -> str:
    """Return the campaign that a ticket with this id would belong to."""
    return name.partition("-")[0]


def seq_of(campaign: str, name: str) -> int:
    """Return the sequence number that a ticket id names; the decision need not exist.

    Raises:
        UnknownTicket: it is not an id of this campaign.
    """
    prefix, _, rest = name.partition("-") if isinstance(name, str) else ("", "", "")
    number = rest.partition("-")[0]
    if prefix == campaign and number.isascii() and number.isdigit() and len(number) < 19:
        return int(number)
    raise UnknownTicket(f"ticket {name}: does not belong to this campaign")


def decision_of(ledger: LedgerReader, campaign: str, name: str) -> Event:
    """Return the decision with this ticket id."""
    seq = seq_of(campaign, name)
    event = ledger.event(seq)
    if event is None or event.kind != "decided" or name != ticket_id(campaign, seq, event.time):
        raise no_such_decision(name)
    return event


def no_such_decision(name: str) -> UnknownTicket:
    """Return the error for an id under which nothing was decided."""
    return UnknownTicket(f"ticket {name}: there is no such decision")


def ticket_of(campaign: str, arms: Sequence[str], event: Event) -> Ticket:
    """Return the ticket of a `decided` event in a campaign with these arms."""
    body = event.body
    arm = body["arm"]
    return Ticket(
        ticket_id(campaign, event.seq, event.time),
        arm,
        arm == arms[0],
        body["candidate"],
        body["reason"],
        body["guaranteed_budget"],
        body["probability"],
    )
