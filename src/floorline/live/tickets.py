"""Ticket ids: how a decision is named, and found again."""

from __future__ import annotations

import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Any

from floorline.live.errors import DamagedLedger, UnknownTicket
from floorline.live.events import HMAC_IDS, UNSIGNED_IDS, VERSION, Event, float_text
from floorline.live.ledgers import LedgerReader
from floorline.live.messages import Ticket

TAG_BYTES = 8

RECENT = 4096
"""The least number of ids remembered: many rewards arrive soon after their decision."""


def new_campaign_id() -> str:
    """Return a short id that no other campaign has."""
    return secrets.token_hex(5)


class TicketIds:
    """The ids of a campaign's tickets: the campaign, the sequence number, and a tag.

    After a backup is restored, sequence numbers are reused. The tag depends on the time, which
    distinguishes lost decisions from those that took their numbers. It is a hash keyed by the
    ledger's secret, so nobody can guess the tickets of others; without a secret, it is a part of
    the time.
    """

    def __init__(self, campaign: str, secret: bytes | None, version: int = VERSION) -> None:
        self.campaign = campaign
        self._secret = secret
        self._keyed: hashlib.blake2s | None = None
        """The hash of the current version, to which number and time are added; None if the
        campaign is of an earlier one."""
        if secret is not None and version > HMAC_IDS:
            named = f"{campaign} ".encode()
            self._keyed = hashlib.blake2s(named, key=secret, digest_size=TAG_BYTES)
        self._issued: dict[str, tuple[int, float]] = {}
        self._issued_before: dict[str, tuple[int, float]] = {}

    def name(self, seq: int, time: float) -> str:
        """Return the id of the decision with this sequence number, made at this time."""
        if self._keyed is None:
            return f"{self.campaign}-{seq}-{self._earlier_tag(seq, time)}"
        tag = self._keyed.copy()  # in a third of the time of an HMAC
        tag.update(f"{seq} {float_text(time)}".encode())
        return f"{self.campaign}-{seq}-{tag.hexdigest()}"

    def _earlier_tag(self, seq: int, time: float) -> str:
        """Return a tag as earlier versions made it: an HMAC, or before that a part of the time."""
        if self._secret is None:
            return f"{int(time * 1000) & 0xFFFFFF:x}"
        text = f"{self.campaign} {seq} {float_text(time)}".encode()
        return hmac.digest(self._secret, text, "sha256")[:TAG_BYTES].hex()

    def issue(self, seq: int, time: float) -> str:
        """Return the id of a decision that was made just now, and remember it."""
        name = self.name(seq, time)
        if len(self._issued) >= RECENT:
            self._issued, self._issued_before = {}, self._issued
        self._issued[name] = seq, time
        return name

    def recall(self, name: str) -> tuple[int, float] | None:
        """Return sequence number and time of the decision with this id, if it is remembered.

        The decision may have been rolled back since.
        """
        try:
            return self._issued.get(name) or self._issued_before.get(name)
        except TypeError:  # not a text, but a list for instance
            return None

    def check(self, given: str, seq: int, time: float) -> None:
        """Raise UnknownTicket unless `given` is the id of this decision."""
        name = self.name(seq, time)
        # In constant time: the duration must not reveal how much of a guess is right.
        if not hmac.compare_digest(given.encode("utf-8", "surrogatepass"), name.encode()):
            raise no_such_decision(given)


def ticket_ids(ledger: LedgerReader, opened: Event) -> TicketIds:
    """Return the ids of the campaign that was opened by this event."""
    if opened.body["version"] <= UNSIGNED_IDS:
        return TicketIds(opened.body["id"], None)
    secret = ledger.secret
    if secret is None or fingerprint(secret) != opened.body["secret"]:
        raise DamagedLedger(f"{ledger.locator}: its secret is damaged or gone. Restore a backup")
    return TicketIds(opened.body["id"], bytes(secret), opened.body["version"])


def fingerprint(secret: bytes) -> str:
    """Return an identifier of a secret that does not reveal it; the opening event has it."""
    return hmac.digest(bytes(secret), b"fingerprint", "sha256")[:TAG_BYTES].hex()


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


def decision_of(ledger: LedgerReader, ids: TicketIds, name: str) -> Event:
    """Return the decision with this ticket id."""
    seq = seq_of(ids.campaign, name)
    event = ledger.event(seq)
    if event is None or event.kind != "decided":
        raise no_such_decision(name)
    ids.check(name, seq, event.time)
    return event


def no_such_decision(name: str) -> UnknownTicket:
    """Return the error for an id that belongs to no decision."""
    return UnknownTicket(f"ticket {name}: there is no such decision")


CHALLENGER_REASONS = ("explore", "exploit")
"""Reasons of decisions for an arm that was not the default at the time. All others are for the
default, except after the end, when the default no longer changes."""


def ticket_of(ids: TicketIds, arms: Sequence[str], event: Event) -> Ticket:
    """Return the ticket of a `decided` event in a campaign with these arms."""
    body = event.body
    arm, reason = body["arm"], body["reason"]
    probability, propensity = chances_of(body)
    return Ticket(
        ids.issue(event.seq, event.time),
        arm,
        arm == arms[0] if reason == "finished" else reason not in CHALLENGER_REASONS,
        body["candidate"],
        reason,
        body["guaranteed_budget"],
        probability,
        propensity,
    )


def chances_of(body: dict[str, Any]) -> tuple[float | None, float | None]:
    """Return the probability of a decision's arm given the candidate, and its propensity.

    Version 0.1 knew only the latter, and called it by the name of the former.
    """
    if "propensity" in body:
        return body["probability"], body["propensity"]
    return None, body["probability"]
