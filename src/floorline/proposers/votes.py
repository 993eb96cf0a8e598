"""Thompson sampling by votes: Thompson sampling whose chances are known exactly."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

from floorline.core.checks import number, whole
from floorline.core.kernel import kernel
from floorline.core.random import uniform
from floorline.core.records import Arms, Floats
from floorline.proposers.base import Proposer
from floorline.proposers.posterior import pair_after, posterior_draw, posterior_of, seed_of

VOTERS = 8
LONGEST_TERM = 32
"""The largest number of rounds for which votes are kept."""
TERM_GROWTH = 16
"""Before that, votes are kept for one round, plus the rounds so far over this number."""

# Memory, for N arms: their chances; the round in which the votes are counted again; then the
# largest draw of each voter, and the arm of it.


class VoteRules(NamedTuple):
    """The posteriors, and how votes become chances."""

    noise_scale: float
    """Standard deviation of the rewards; 0 for Beta posteriors."""
    voters: int
    uniform_share: float
    """The part of the probability that is split equally among all arms."""
    low: float
    high: float
    """The range of the rewards, for Beta posteriors."""


@kernel
def count_votes(rules: VoteRules, arms: Arms, memory: Floats, round: int) -> None:
    """Set the chance of each arm in `memory`: each voter draws all means, and votes for one."""
    n_arms = len(arms.plays)
    largest = n_arms + 1
    voted = largest + rules.voters
    for voter in range(rules.voters):
        memory[largest + voter] = -math.inf
    number = seed_of(arms, round)
    for i in range(n_arms):
        memory[i] = rules.uniform_share / n_arms
        up, up_spread, down, down_spread = posterior_of(
            rules.noise_scale, rules.low, rules.high, arms, i
        )
        for voter in range(rules.voters):
            number, x, y = pair_after(number)
            mean = posterior_draw(up, up_spread, down, down_spread, x, y)
            if mean > memory[largest + voter]:
                memory[largest + voter] = mean
                memory[voted + voter] = i
    for voter in range(rules.voters):
        memory[int(memory[voted + voter])] += (1.0 - rules.uniform_share) / rules.voters


@kernel
def elected_arm(rules: VoteRules, arms: Arms, memory: Floats, round: int, rng: Any) -> int:
    """Return an arm, drawn with its share of the votes as its chance."""
    n_arms = len(arms.plays)
    if round >= memory[n_arms]:
        count_votes(rules, arms, memory, round)
        memory[n_arms] = round + min(1 + round // TERM_GROWTH, LONGEST_TERM)
    rest = uniform(rng)
    last = 0
    for i in range(n_arms):
        if memory[i] > 0.0:
            last = i  # rounding may leave a little over for the last arm that has a chance
            rest -= memory[i]
            if rest < 0.0:
                return i
    return last


@kernel
def vote_share(rules: VoteRules, arms: Arms, memory: Floats, candidate: int, arm: int) -> float:
    """Return the arm's share of the votes."""
    return memory[arm]  # type: ignore[no-any-return]


def thompson_votes(
    noise_scale: float | None = None,
    voters: int = VOTERS,
    uniform_share: float = 0.0,
    low: float = 0.0,
    high: float = 1.0,
) -> Proposer:
    """Return Thompson sampling by votes: each of a few voters draws a mean for every arm.

    An arm's share of the votes is its chance, which is therefore known exactly, as off-policy
    estimates need it. The votes are kept for a while: drawing for all voters is slow where it is
    interpreted, and Thompson sampling in batches loses no more. They depend only on the records of
    the round in which they are counted (`proposers.posterior`).

    Args:
        noise_scale: standard deviation of Gaussian rewards; None for rewards in [low, high], whose
            posteriors are Beta with a uniform prior: each reward counts as a part of a success.
        voters: how many voters. Before the votes are known, an arm is as likely as in Thompson
            sampling, whatever their number. More voters give more arms a chance in each round, and
            take longer.
        uniform_share: this part of the probability is split equally among all arms, so that no
            chance is below `uniform_share` over the number of arms, and estimates exist for every
            policy.
        low: no reward is below this; for Beta posteriors.
        high: no reward is above this; for Beta posteriors.
    """
    number("high", high, low, math.inf, open_low=True)
    if noise_scale is not None:
        number("noise_scale", noise_scale, 0, math.inf, open_low=True)
    rules = VoteRules(
        float(noise_scale or 0.0),
        whole("voters", voters, 1),
        number("uniform_share", uniform_share, 0, 1),
        float(low),
        float(high),
    )
    return Proposer(
        elected_arm,
        rules=rules,
        memory=1,
        shared_memory=1 + 2 * voters,
        chance=vote_share,
        unit_rewards=noise_scale is None and (low, high) == (0, 1),
        keeps_draws=True,
    )
