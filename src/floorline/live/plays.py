"""Open plays: decisions whose reward may still come, in the order of decisions."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable
from functools import partial

import msgspec

from floorline.core.pending import (
    CLOSED,
    PendingPlays,
    add_slots,
    forget_plays,
    new_pending,
)
from floorline.core.records import in_slots
from floorline.live.order import Order, reorder

TICK = 10
"""Resolution, in seconds, of the ages of open plays."""

BY_ARM = ("length", "closed", "closed_least", "closed_most", "open", "voided", "first", "last")
"""The per-arm fields of the book, except those that can be derived."""

CUTS = ("cut_lower", "cut_upper", "next_walk")
"""Those that begin anew when arms change."""

SLOTS = 64
"""Initial number of slots for open plays; more are added as needed."""


class OpenPlay(msgspec.Struct, frozen=True, gc=False):
    """A decision whose reward may still come."""

    arm: int
    time: float
    since: float
    """When it was made, not counting outages. Windows are measured from here."""
    slot: int
    """Its index in the book of open plays."""
    block: int
    """If its arm was the default at the time, its block in that drift watch; else -1."""
    number: int
    """Its number among the decisions of the epoch, from 0."""
    probability: float
    """The fallback probability at which it was decided."""

    @property
    def side(self) -> int:
        """The arm as which floors account for it: 0 if it was the default, else a challenger."""
        return 0 if self.block >= 0 else self.arm or 1

    @property
    def was_default(self) -> bool:
        """Whether its arm was the default when it was decided."""
        return self.block >= 0


class OpenPlays(OrderedDict[int, OpenPlay]):
    """The open plays by the sequence number of their decision, and the book that counts them."""

    __slots__ = ("_free", "ages", "book", "grow")

    def __init__(self, n_arms: int) -> None:
        super().__init__()
        self.book: PendingPlays = in_slots(new_pending(n_arms, SLOTS))
        # A Counter would take three times as long.
        self.ages: defaultdict[float, int] = defaultdict(int)
        """How many there are, by the TICK of their decision."""
        self._free = list(range(SLOTS))
        self.grow: Callable[[], None] = partial(add_slots, self.book)
        """Doubles the slots of the book."""
        forget_plays(self.book)

    def add(
        self,
        seq: int,
        arm: int,
        time: float,
        since: float,
        block: int,
        number: int,
        probability: float,
    ) -> int:
        """Add a play and return its slot in the book; plays are added in order.

        The caller opens it in the book.
        """
        if not self._free:
            size = len(self.book.run)
            self.grow()
            self._free.extend(range(size, 2 * size))
        slot = self._free.pop()
        self[seq] = OpenPlay(arm, time, since, slot, block, number, probability)
        self.ages[time // TICK] += 1
        return slot

    def take(self, seq: int) -> OpenPlay:
        """Remove a play and return it; the caller records its outcome in the book."""
        play = self.pop(seq)
        age = play.time // TICK
        left = self.ages[age] - 1
        if left:
            self.ages[age] = left
        else:
            del self.ages[age]
        self._free.append(play.slot)
        return play

    def rearrange(self, order: Order) -> None:
        """Put the arms into another order."""
        fresh = OpenPlays(1).book
        for name in (*BY_ARM, "optimistic_upper"):
            reorder(getattr(self.book, name), order, getattr(fresh, name)[0])
        # Shares of delta may have changed.
        self.book.stale[:] = [CLOSED] * len(order)
        for name in CUTS:
            getattr(self.book, name)[:] = getattr(fresh, name) * len(order)
        now = {place: arm for arm, place in enumerate(order)}
        for seq, play in self.items():
            if play.arm != now[play.arm]:
                self[seq] = msgspec.structs.replace(play, arm=now[play.arm])
