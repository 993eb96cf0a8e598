"""A small world around the account of the randomised floor: campaigns with fair coins.

The tests fill `outcome` and `candidate_of` with worlds of their own, and replace single kernels
of the account by broken ones.
"""

from typing import Any, NamedTuple

import numpy as np

from floorline.core.compiler import compiled
from floorline.core.kernel import bind, kernel, slot
from floorline.core.random import uniform
from floorline.core.records import new_arms
from floorline.floors.randomised.account import charge, credit, fallback_probability
from floorline.floors.randomised.memory import account_size


class World(NamedTuple):
    """What the arms pay to each kind of visitor, default and challenger in turn; the delay."""

    means: Any
    kinds: int
    delay: int


class Ring(NamedTuple):
    """A ring buffer of pending decisions, indexed by round modulo the delay."""

    arm: Any
    kind: Any
    p: Any
    of_candidate: Any
    of_default: Any


@slot
def candidate_of(world, memory, wins, losses, kind, rng):
    """The arm that the learner would like to play."""
    raise NotImplementedError


@slot
def outcome(world, memory, p, kind, arm, round, rng):
    """What `arm` would earn in this round; settled before the coin."""
    raise NotImplementedError


@slot
def toss(rules, memory, p, rng):
    """The chance that is recorded, and whether the default wins; the chance is p if all is well."""
    raise NotImplementedError


@slot
def revise(ring, round):
    """Change outcomes that are not known yet: what no honest world may do."""
    raise NotImplementedError


@kernel
def fair_coin(rules, memory, p, rng):
    return p, uniform(rng) < p


@kernel
def no_revision(ring, round):
    return


@kernel
def thompson(world, memory, wins, losses, kind, rng):
    default = rng.beta(1.0 + wins[2 * kind], 1.0 + losses[2 * kind])
    challenger = rng.beta(1.0 + wins[2 * kind + 1], 1.0 + losses[2 * kind + 1])
    return 1 if challenger > default else 0


@kernel
def always_challenger(world, memory, wins, losses, kind, rng):
    return 1


@kernel
def clicks(world, memory, p, kind, arm, round, rng):
    return 1.0 if uniform(rng) < world.means[2 * kind + arm] else 0.0


@kernel
def means_themselves(world, memory, p, kind, arm, round, rng):
    return world.means[2 * kind + arm]


@kernel
def campaigns(rules, world, arms, memory, wins, losses, ring, horizon, rng, out):
    """Play a campaign for each row of `out`.

    A row: share of rounds on the challenger, the same in the last tenth, earned over the
    default's own, the round of the first breach (0: none), the lowest budget.
    """
    size = world.delay + 1
    for run in range(out.shape[0]):
        for i in range(len(memory)):
            memory[i] = 0.0
        for i in range(len(wins)):
            wins[i] = 0.0
            losses[i] = 0.0
        played = late_played = breach = 0
        earned = of_default = budget = lowest = 0.0
        for t in range(horizon + world.delay):
            if t < horizon:
                kind = int(world.kinds * uniform(rng))
                candidate = candidate_of(world, memory, wins, losses, kind, rng)
                p = fallback_probability(rules, arms, memory, t + 1, candidate)
                of_arm_0 = outcome(world, memory, p, kind, 0, t, rng)
                of_arm_1 = outcome(world, memory, p, kind, 1, t, rng)
                arm = 0
                if 0.0 < p < 1.0:
                    p, default_wins = toss(rules, memory, p, rng)
                    arm = 0 if default_wins else candidate
                charge(rules, arms, memory, arm, p)
                if arm != 0:
                    played += 1
                    late_played += 1 if t >= horizon - horizon // 10 else 0
                ring.arm[t % size] = arm
                ring.kind[t % size] = kind
                ring.p[t % size] = p
                ring.of_candidate[t % size] = of_arm_1
                ring.of_default[t % size] = of_arm_0
                revise(ring, t)
            if t >= world.delay:
                place = (t - world.delay) % size
                unseen = ring.of_default[place]
                reward = unseen if ring.arm[place] == 0 else ring.of_candidate[place]
                settle(rules, arms, memory, wins, losses, ring, place, reward)
                earned += reward
                of_default += unseen
                budget = earned - (1.0 - rules.max_loss) * of_default
                if budget < lowest:
                    lowest = budget
                    if breach == 0 and budget < -1e-9 * (t + 1):
                        breach = t - world.delay + 1
        out[run, 0] = played / horizon
        out[run, 1] = late_played / (horizon // 10)
        out[run, 2] = earned / max(of_default, 1e-300)
        out[run, 3] = breach
        out[run, 4] = lowest


@kernel
def settle(rules, arms, memory, wins, losses, ring, place, reward):
    """Credit the reward of the decision at `place` of the ring and let the learner know."""
    arm = ring.arm[place]
    credit(rules, arms, memory, arm, ring.p[place], reward, 0.0)
    y = (reward - rules.low) / rules.span
    cell = 2 * ring.kind[place] + (1 if arm != 0 else 0)
    wins[cell] += y
    losses[cell] += 1.0 - y


def play(
    rules,
    means,
    *,
    outcome_=clicks,
    candidate=thompson,
    horizon=50_000,
    runs=40,
    seed=1,
    delay=0,
    coin=fair_coin,
    revision=no_revision,
    broken=None,
    interpreted=False,
):
    """The rows of `campaigns` for so many runs, in a world of these means."""
    choices = {candidate_of: candidate, outcome: outcome_, toss: coin, revise: revision}
    choices |= broken or {}
    engine = bind(campaigns, choices) if interpreted else compiled(campaigns, choices)
    size = delay + 1
    ring = Ring(np.zeros(size, int), np.zeros(size, int), *(np.zeros(size) for _ in range(3)))
    out = np.zeros((runs, 5))
    flat = np.array(means, float).ravel()
    world = World(flat, flat.size // 2, delay)
    engine(
        rules,
        world,
        new_arms(2),
        np.zeros(account_size(rules)),
        np.zeros(flat.size),
        np.zeros(flat.size),
        ring,
        horizon,
        np.random.default_rng(seed),
        out,
    )
    return out
