"""What proposers, floors and boundaries have in common: kernels, and a memory of their own."""

from __future__ import annotations

from collections.abc import Sequence

from floorline.core.kernel import Function
from floorline.core.records import Floats


class Part:
    """A part of a policy. Its rules are a named tuple of numbers and one-dimensional arrays."""

    memory: int = 0
    """How many numbers of its own the part keeps for each arm; they start at 0. Those of one kind
    lie together, arm after arm."""
    shared_memory: int = 0
    """How many further numbers it keeps; they come after those of the arms."""

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot that this part fills."""
        raise NotImplementedError

    def memory_size(self, n_arms: int) -> int:
        """Return how many numbers the part keeps in total."""
        return self.memory * n_arms + self.shared_memory

    def rearranged(self, memory: Floats, n_arms: int, order: Sequence[int | None]) -> list[float]:
        """Return its memory of `n_arms` arms reordered by their old indices, None for a new one."""
        by_arm = [
            0.0 if place is None else memory[number * n_arms + place]
            for number in range(self.memory)
            for place in order
        ]
        return [*by_arm, *memory[self.memory * n_arms :]]
