"""The randomised floor: its own coin decides between the default and the candidate.

It assumes only a known range of rewards, and that what the default would earn in a round is settled
before that round's coin. See docs/randomised-floor.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from floorline.boundaries import Boundary
from floorline.core import slots
from floorline.core.kernel import Function, kernel
from floorline.core.records import Arms, Floats
from floorline.floors.arithmetic import Arithmetic, InFlightCheck, Moment, Received
from floorline.floors.base import Floor
from floorline.floors.randomised.account import (
    charge,
    credit,
    fallback_probability,
    lower_bound,
    missed_now,
)
from floorline.floors.randomised.bound import RandomisedRules
from floorline.floors.randomised.check import CoinCheck
from floorline.floors.randomised.design import randomised_rules
from floorline.floors.randomised.memory import (
    CANDIDATE_SUM,
    DEFAULT_SUM,
    RETIRED,
    ROUNDS,
    RUNG,
    SETTLED,
    account_size,
    pending_at,
)
from floorline.floors.randomised.words import explain_coin


@kernel
def surest_budget(
    rules: RandomisedRules, arms: Arms, memory: Floats, round: int, arm: int
) -> float:
    """Return a lower bound on the budget for a coin with the largest probability of the default.

    Nothing is tried while it is below 0. It holds for any arm: what a round pays only adds to it.
    """
    return lower_bound(rules, memory, rules.ladder[0])


@kernel
def surest_budget_now(rules: RandomisedRules, arms: Arms, memory: Floats, rounds: int) -> float:
    """Return the same, whatever was played last."""
    return lower_bound(rules, memory, rules.ladder[0])


@kernel
def received_share(
    rules: RandomisedRules, arms: Arms, memory: Floats, default_plays: int, rounds: int
) -> float:
    """Return a lower bound on rewards received over what the default would have in the same rounds.

    Pending rewards of the default are on both sides; they lower the share only if it is above 1.
    Which pending ones belong to a former default is not known here, so all count.
    """
    low = rules.low / rules.span * rounds
    received = low + memory[DEFAULT_SUM] + memory[CANDIDATE_SUM]
    of_default = low + memory[DEFAULT_SUM] + missed_now(rules, memory)
    if received > of_default:
        waiting = 0.0
        for i in range(len(arms.plays)):
            waiting += arms.plays[i] - arms.seen[i]
        received += waiting
        of_default += waiting
    return received / of_default if of_default > 0.0 else 1.0


@kernel
def charge_pending(
    rules: RandomisedRules, arms: Arms, memory: Floats, arm: int, decision: int, probability: float
) -> None:
    """Count a decision and its coin."""
    charge(rules, arms, memory, arm, probability)


@kernel
def credit_late(
    rules: RandomisedRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    decision: int,
    probability: float,
    reward: float,
) -> None:
    """Count the reward of an earlier decision."""
    credit(rules, arms, memory, arm, probability, reward, 0.0)


@dataclass(frozen=True)
class RandomisedFloor(Floor):
    """Keeps rewards received above (1 - max_loss) of the default's own in the same rounds.

    This holds at every moment with probability at least 1 - delta, over its own coins alone,
    whatever visitors, seasons and the proposer do; the proposer may look at the request.

    Args:
        max_loss: the share of the default's rewards that may be lost.
        holdback: the smallest probability of the default where something else is proposed.
        delta: the probability, over the coins, that the floor ever fails.
        low: no reward is below this; at least 0.
        high: no reward is above this.
        in_flight_rate: with `in_flight_burst`, an assumption about late rewards: k coins that the
            default won, whose rewards are pending, earn at most rate k + burst together, in units
            of high - low. At 1 nothing is assumed.
        in_flight_burst: see `in_flight_rate`.

    >>> from floorline import Policy, RandomisedFloor, thompson_votes
    >>> policy = Policy(thompson_votes(), RandomisedFloor(max_loss=0.1))  # it needs no boundary
    """

    max_loss: float
    holdback: float = 0.05
    delta: float = 0.05
    low: float = 0.0
    high: float = 1.0
    in_flight_rate: float = 1.0
    in_flight_burst: float = 0.0

    tosses_coins = True
    reads_intervals = False
    counts_received = True
    live = True
    assumes_steady_means = False
    skips_lost_rewards = False
    live_holdback = 0.05

    def __post_init__(self) -> None:
        self._rules()  # which checks everything

    def _rules(self) -> RandomisedRules:
        return randomised_rules(
            self.max_loss,
            self.delta,
            low=self.low,
            high=self.high,
            holdback=self.holdback,
            in_flight_rate=self.in_flight_rate,
            in_flight_burst=self.in_flight_burst,
        )

    def rules(self, n_arms: int, horizon: int, boundary: Boundary | None) -> RandomisedRules:
        """Return the record for the kernels."""
        return self._rules()

    def memory_size(self, n_arms: int) -> int:
        """Return how many numbers the account takes."""
        return account_size(self._rules())

    def account(self, n_arms: int) -> Sequence[int]:
        """Return the indices of the sums, the last coin's rung and lambdas, and what is pending."""
        rules = self._rules()
        settled = range(SETTLED, SETTLED + len(rules.lambdas))
        start = int(pending_at(rules))
        pending = range(start, start + len(rules.ladder))
        return (ROUNDS, DEFAULT_SUM, CANDIDATE_SUM, RETIRED, RUNG, *settled, *pending)

    def may_promote(self, memory: Floats) -> bool:
        """Return True: each round is compared with what its own default would earn."""
        return True

    def in_flight_check(self) -> InFlightCheck | None:
        """Return a check of `in_flight_rate` and `in_flight_burst`; None if they assume nothing."""
        if self.in_flight_rate == 1.0:
            return None
        return CoinCheck(replace(self, in_flight_rate=1.0, in_flight_burst=0.0)._rules())

    def received(self, rules: RandomisedRules, memory: Floats) -> Received:
        """Return the sums of the account, in units of reward."""
        span = rules.span
        return Received(
            span * memory[DEFAULT_SUM],
            span * memory[CANDIDATE_SUM],
            span * missed_now(rules, memory),
        )

    def explain(self, moment: Moment) -> Arithmetic:
        """Return what was received, what the default would have received at most, and the coin."""
        return Arithmetic(explain_coin(moment), [])

    def kernels(self) -> dict[Function, Function]:
        """Return the kernel for each slot."""
        return {
            **super().kernels(),
            slots.fallback_probability: fallback_probability,
            slots.guaranteed_budget: surest_budget,
            slots.charge: charge,
            slots.credit: credit,
            slots.current_budget: surest_budget_now,
            slots.guaranteed_share: received_share,
            slots.await_reward: charge_pending,
            slots.take_late_reward: credit_late,
        }
