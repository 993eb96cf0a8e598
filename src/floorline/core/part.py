"""What proposers, floors and boundaries have in common: kernels, and a memory of their own."""

from __future__ import annotations

from floorline.core.kernel import Function


class Part:
    """A part of a policy. Its rules are a named tuple of numbers and one-dimensional arrays."""

    memory: int = 0
    """How many numbers of its own the part keeps for each arm; they start at 0."""
    shared_memory: int = 0
    """How many further numbers it keeps; they come after those of the arms."""

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot that this part fills."""
        raise NotImplementedError

    def memory_size(self, n_arms: int) -> int:
        """Return how many numbers the part keeps in total."""
        return self.memory * n_arms + self.shared_memory
