"""Tickets: one live decision each."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import msgspec

from floorline.live.errors import UnknownTicket
from floorline.live.events import Event


class Ticket(msgspec.Struct, frozen=True, gc=False):
    """One decision: which arm to play, and why. It cannot change, and compares by its fields."""

    id: str
    """Letters, digits and a dash; the reward is reported with it."""
    arm: str
    is_default: bool
    candidate: str | None
    """The arm that was proposed; None where nobody was asked (paused, or a drift alarm)."""
    reason: str
    """`explore`, `exploit`, `budget-low`, `default-is-best`, `no-rewards`, `holdback`, `paused`
    or `drift`."""
    guaranteed_budget: float
    """Lower bound on the budget after this decision. Never negative for a challenger."""
    probability: float | None
    """How likely this arm was, given all before; None where that cannot be computed."""


def new_campaign_id() -> str:
    """A short name for a campaign that no other has."""
    return secrets.token_hex(5)


def ticket_id(campaign: str, seq: int) -> str:
    """The id of the decision at a place in a campaign's ledger."""
    return f"{campaign}-{seq}"


def ticket_number(campaign: str, ticket: Ticket | str) -> int:
    """The place in the ledger of a decision of this campaign."""
    name = ticket.id if isinstance(ticket, Ticket) else ticket
    if isinstance(name, str):
        begin, _, number = name.rpartition("-")
        if begin == campaign and number.isascii() and number.isdigit() and len(number) < 19:
            return int(number)
    raise UnknownTicket(f"ticket {name}: is not of this campaign")


def ticket_of(campaign: str, arms: Sequence[str], event: Event) -> Ticket:
    """The ticket of a `decided` event, in a campaign with these arms."""
    body = event.body
    arm = body["arm"]
    return Ticket(
        ticket_id(campaign, event.seq), arm, arm == arms[0], body["candidate"], body["reason"],
        body["guaranteed_budget"], body["probability"],
    )  # fmt: skip
