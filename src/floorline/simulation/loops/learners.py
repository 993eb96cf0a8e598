"""One learner for each kind of visitor, beside the records of all visitors that the floor has.

Sets of records lie one after the other in the same arrays: number 0 is of all visitors, number
k + 1 of those of kind k. Where visitors do not differ there is only number 0, and it learns.
"""

from __future__ import annotations

from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Arms, Memory, MemorySizes
from floorline.environments import Environment
from floorline.environments.moments import kinds_of


@slot
def learner_of(kind: int) -> int:
    """The number of the set that the learner for a kind of visitor has."""
    raise NotImplementedError


@slot
def arms_of(arms: Arms, number: int, n_arms: int) -> Arms:
    """The arms as set number `number` has them."""
    raise NotImplementedError


@slot
def memory_of(memory: Memory, number: int, sets: int) -> Memory:
    """The memory of a policy's parts in that set."""
    raise NotImplementedError


@kernel
def the_only_learner(kind: int) -> int:
    """0: visitors do not differ."""
    return 0


@kernel
def the_only_arms(arms: Arms, number: int, n_arms: int) -> Arms:
    """The arms: there is one set."""
    return arms


@kernel
def the_only_memory(memory: Memory, number: int, sets: int) -> Memory:
    """The memory: there is one set."""
    return memory


@kernel
def learner_for_kind(kind: int) -> int:
    """The set after that of all visitors and those of the kinds before."""
    return kind + 1


@kernel
def some_arms(arms: Arms, number: int, n_arms: int) -> Arms:
    """A part of each array."""
    start = number * n_arms
    end = start + n_arms
    return Arms(
        arms.plays[start:end],
        arms.seen[start:end],
        arms.total[start:end],
        arms.average[start:end],
        arms.lower[start:end],
        arms.upper[start:end],
    )


@kernel
def some_memory(memory: Memory, number: int, sets: int) -> Memory:
    """A part of each array."""
    proposer = len(memory.proposer) // sets
    floor = len(memory.floor) // sets
    boundary = len(memory.boundary) // sets
    return Memory(
        memory.proposer[number * proposer : (number + 1) * proposer],
        memory.floor[number * floor : (number + 1) * floor],
        memory.boundary[number * boundary : (number + 1) * boundary],
    )


def sets_for(environment: Environment) -> int:
    """How many sets of records there are."""
    kinds = kinds_of(environment)
    return kinds + 1 if kinds > 1 else 1


def learner_choices(environment: Environment) -> dict[Function, Function]:
    """The kernels that find them."""
    if sets_for(environment) == 1:
        return {
            learner_of: the_only_learner,
            arms_of: the_only_arms,
            memory_of: the_only_memory,
        }
    return {learner_of: learner_for_kind, arms_of: some_arms, memory_of: some_memory}


def in_sets(sizes: MemorySizes, sets: int) -> MemorySizes:
    """The sizes of the memory for so many sets."""
    return MemorySizes(*(size * sets for size in sizes))
