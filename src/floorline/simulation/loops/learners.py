"""One learner for each kind of visitor, in addition to the floor's records of all visitors.

Sets of records follow each other in the same arrays: set 0 is for all visitors, set k + 1 for
those of kind k. Where visitors do not differ there is only set 0, and it learns.
"""

from __future__ import annotations

from floorline.core.kernel import Function, kernel, slot
from floorline.core.records import Arms, Memory, MemorySizes
from floorline.environments import Environment
from floorline.environments.moments import learners_of


@slot
def learner_of(kind: int) -> int:
    """Return the number of the set of the learner for a kind of visitor."""
    raise NotImplementedError


@slot
def arms_of(arms: Arms, number: int, n_arms: int) -> Arms:
    """Return the arms of set `number`."""
    raise NotImplementedError


@slot
def memory_of(memory: Memory, number: int, sets: int) -> Memory:
    """Return the memory of set `number`."""
    raise NotImplementedError


@kernel
def the_only_learner(kind: int) -> int:
    """Return 0, where visitors do not differ."""
    return 0


@kernel
def the_only_arms(arms: Arms, number: int, n_arms: int) -> Arms:
    """Return all arms, where there is one set."""
    return arms


@kernel
def the_only_memory(memory: Memory, number: int, sets: int) -> Memory:
    """Return the whole memory, where there is one set."""
    return memory


@kernel
def learner_for_kind(kind: int) -> int:
    """Return the number of the kind's own set; set 0 is for all visitors."""
    return kind + 1


@kernel
def some_arms(arms: Arms, number: int, n_arms: int) -> Arms:
    """Return the slice of each array that belongs to set `number`."""
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
    """Return the slice of each array that belongs to set `number`."""
    proposer = len(memory.proposer) // sets
    floor = len(memory.floor) // sets
    boundary = len(memory.boundary) // sets
    return Memory(
        memory.proposer[number * proposer : (number + 1) * proposer],
        memory.floor[number * floor : (number + 1) * floor],
        memory.boundary[number * boundary : (number + 1) * boundary],
    )


def sets_for(environment: Environment) -> int:
    """Return the number of sets of records."""
    learners = learners_of(environment)
    return learners + 1 if learners > 1 else 1


def learner_choices(environment: Environment) -> dict[Function, Function]:
    """Return the kernels that select the sets."""
    if sets_for(environment) == 1:
        return {
            learner_of: the_only_learner,
            arms_of: the_only_arms,
            memory_of: the_only_memory,
        }
    return {learner_of: learner_for_kind, arms_of: some_arms, memory_of: some_memory}


def in_sets(sizes: MemorySizes, sets: int) -> MemorySizes:
    """Return the memory sizes for this many sets."""
    return MemorySizes(*(size * sets for size in sizes))
