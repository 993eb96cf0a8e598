"""The records of a campaign: in lists for Python, or in arrays for machine code."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from floorline.core.machine_code import Native
from floorline.core.packing import take_apart
from floorline.core.pending import add_slots, new_pending, with_more_slots
from floorline.core.records import (
    Arms,
    MemorySizes,
    in_arrays,
    in_slots,
    new_arms,
    new_memory,
)
from floorline.live.bound_policy import BoundPolicy
from floorline.live.compiled_kernels import Records, new_arguments
from floorline.live.compiled_policy import CompiledPolicy
from floorline.live.plays import OpenPlays


class KeptRecords(BoundPolicy):
    """What the kernels of a policy read and write, and the switch between lists and arrays."""

    compiled: CompiledPolicy | None = None
    """The kernels in machine code, if in use: the records then have views of its arrays."""

    def start_records(self) -> None:
        """Start with no plays."""
        self.leave_machine_code()
        n_arms = len(self.settings.arms)
        self.open = OpenPlays(n_arms)
        self.book = self.open.book
        self.arms = in_slots(new_arms(n_arms))
        self.seen_by_proposer = in_slots(new_arms(n_arms))
        self._show_proposer()

    def prepare(self) -> None:
        """Build the policy from the settings and bind its kernels; call it again when they change.

        A new proposer starts with an empty memory. A floor that stays keeps its accounts.
        """
        self.leave_machine_code()
        super().prepare()

    def records(self) -> Records:
        """Return a copy of all records, in arrays."""
        return Records(
            self.plain_rules,
            in_arrays(new_arms(1), self.arms),
            in_arrays(new_memory(MemorySizes(1, 1, 1)), self.memory),
            in_arrays(new_pending(1, 1), self.book),
            new_arguments(self.settings.low, self.settings.high),
        )

    def record_form(self) -> Any:
        """Return the form of the records, on which compiled code depends; None if it cannot be.

        Sizes are no part of it.
        """
        parts = take_apart(
            Records(
                self.plain_rules,
                new_arms(1),
                new_memory(MemorySizes(1, 1, 1)),
                new_pending(1, 1),
                new_arguments(self.settings.low, self.settings.high),
            )
        )
        return parts.form if parts.packable else None

    def enter_machine_code(self, code: Sequence[Native]) -> None:
        """Continue with these compiled steps, on arrays instead of lists."""
        self._use_arrays(self.records(), code)

    def _use_arrays(self, records: Records, code: Sequence[Native]) -> None:
        """Continue on copies of these arrays, with these compiled steps."""
        compiled = CompiledPolicy(records, code)
        for kept, views in (
            (self.arms, compiled.arms),
            (self.memory, compiled.memory),
            (self.book, compiled.pending),
        ):
            for name, view in views._asdict().items():
                setattr(kept, name, view)
        self._show_proposer()
        self.open.grow = partial(self._grow, code)
        self.use(compiled)
        self.compiled = compiled

    def _grow(self, code: Sequence[Native]) -> None:
        """Double the slots for open plays."""
        records = self.records()
        self._use_arrays(records._replace(pending=with_more_slots(records.pending)), code)

    def leave_machine_code(self) -> None:
        """Continue with interpreted kernels on lists, which can be reordered and extended."""
        if self.compiled is None:
            return
        self.compiled = None
        records: tuple[Any, ...] = (self.arms, self.memory, self.book)
        for kept in records:
            for name in kept.__slots__:
                setattr(kept, name, getattr(kept, name).tolist())
        self.open.grow = partial(add_slots, self.book)
        self._show_proposer()
        self.interpret()

    def _show_proposer(self) -> None:
        """Let the proposer see the arms as they are kept now, with upper ends of its own."""
        seen: Any = self.seen_by_proposer
        for name in Arms._fields:
            setattr(seen, name, getattr(self.arms, name))
        seen.upper = self.book.optimistic_upper
