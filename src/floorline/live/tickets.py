"""Tickets: one live decision each."""

from __future__ import annotations

import secrets
from collections.abc import Sequence

import msgspec

from floorline.live.errors import UnknownTicket
from floorline.live.events import Event
from floorline.live.reader import LedgerReader


class Ticket(msgspec.Struct, frozen=True, gc=False):
    """One decision: which arm to play, and why. It cannot change, and compares by its fields."""

    id: str
    """Letters, digits and dashes; the reward is reported with it."""
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


def ticket_id(campaign: str, seq: int, time: float) -> str:
    """The id of a decision: its campaign, its place in the ledger, and a part of its time.

    After a backup is restored, places are taken again. By the time, decisions that were lost
    are told from those that took their places, and so their rewards are not mistaken.
    """
    return f"{campaign}-{seq}-{int(time * 1000) & 0xFFFFFF:x}"


def campaign_of(name: str) -> str:
    """The campaign that a ticket with this id would be of."""
    return name.partition("-")[0]


def place_of(campaign: str, name: str) -> int:
    """The place in the campaign's ledger of the decision with this id, if there is one."""
    begin, _, rest = name.partition("-") if isinstance(name, str) else ("", "", "")
    number = rest.partition("-")[0]
    if begin == campaign and number.isascii() and number.isdigit() and len(number) < 19:
        return int(number)
    raise UnknownTicket(f"ticket {name}: is not of this campaign")


def decision_of(ledger: LedgerReader, campaign: str, name: str) -> Event:
    """The decision with this id."""
    seq = place_of(campaign, name)
    event = ledger.event(seq)
    if event is None or event.kind != "decided" or name != ticket_id(campaign, seq, event.time):
        raise no_such_decision(name)
    return event


def no_such_decision(name: str) -> UnknownTicket:
    """What is raised where nothing was decided under this id."""
    return UnknownTicket(f"ticket {name}: there is no such decision")


def ticket_of(campaign: str, arms: Sequence[str], event: Event) -> Ticket:
    """The ticket of a `decided` event, in a campaign with these arms."""
    body = event.body
    arm = body["arm"]
    return Ticket(
        ticket_id(campaign, event.seq, event.time), arm, arm == arms[0], body["candidate"],
        body["reason"], body["guaranteed_budget"], body["probability"],
    )  # fmt: skip
