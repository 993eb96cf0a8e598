"""Replay: a policy runs on logged decisions, by rejection (Li et al. 2011)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from floorline.core.checks import require, whole
from floorline.core.display import Displayed, Table
from floorline.core.words import counted
from floorline.offpolicy.estimates import Interval
from floorline.offpolicy.logged import LoggedData
from floorline.offpolicy.sequences import error_probability, lower_average
from floorline.policy import Policy
from floorline.simulation.stepping import Stepper


@dataclass(frozen=True, repr=False)
class Replay(Displayed):
    """What a policy earned on a log."""

    arms: tuple[str, ...]
    logged: int
    """Decisions in the log."""
    rounds: int
    """Rounds that the policy got to play, each a logged decision for the arm it chose."""
    plays: list[int]
    """Its plays of each arm."""
    reward: float
    """What it earned per round."""
    interval: Interval
    """For its average expected reward, each round's given the past; at all times simultaneously."""
    confidence: float
    logged_reward: float
    notes: list[str]
    """What the result is based on, and where it is biased."""

    def _table(self) -> Table:
        title = [
            f"{counted(self.rounds, 'round')} from {counted(self.logged, 'logged decision')}: "
            f"{self.reward:.6g} per round "
            f"(from {self.interval.lower:.6g} to {self.interval.upper:.6g}, "
            f"confidence {self.confidence:.6g}); logged: {self.logged_reward:.6g}",
            *self.notes,
        ]
        shares = [f"{count / max(self.rounds, 1):.1%}" for count in self.plays]
        rows = [
            (name, f"{count:,}", share)
            for name, count, share in zip(self.arms, self.plays, shares, strict=True)
        ]
        return Table("\n".join(title), ("arm", "plays", "share"), rows)


def replay(log: LoggedData, policy: Policy, *, seed: int = 1, confidence: float = 0.95) -> Replay:
    """Run a policy on a log, and return what it earned.

    The policy decides; where it chose the logged arm, the decision is kept with the probability
    (least propensity) / (its propensity) and the policy learns from its reward; all others are
    skipped, as if they had never happened. So each round that is kept has the arm that the policy
    would have played and a reward of that arm.

    Args:
        log: decisions with their propensities.
        policy: any policy, with a floor or without.
        seed: for its draws, and for the choice of decisions to keep.
        confidence: the confidence of the interval.

    Raises:
        ValueError: propensities are missing, or no decision could be kept.
    """
    require(isinstance(policy, Policy), "policy", "a Policy", policy)
    log.require_propensities()
    alpha = error_probability(confidence) / 2
    seed = whole("seed", seed, 0)
    rng, coin, keep = (np.random.default_rng([seed, use]) for use in range(3))
    stepper = Stepper(policy, len(log.arms), len(log), rng, coin)
    least = float(log.propensity.min())
    plays = [0] * len(log.arms)
    rewards: list[float] = []
    for arm, reward, propensity in zip(
        log.arm.tolist(), log.reward.tolist(), log.propensity.tolist(), strict=True
    ):
        decision = stepper.decide()
        if decision.arm == arm and keep.random() * propensity < least:
            plays[arm] += 1
            rewards.append(reward)
            stepper.learn(arm, reward, decision.fallback_probability)
    require(len(rewards) > 0, "log", "one in which the policy's arms were played", "it has none")
    scaled = (np.array(rewards) - log.low) / (log.high - log.low)
    ends = (lower_average(scaled, alpha), 1 - lower_average(1 - scaled, alpha))
    lower, upper = (log.low + (log.high - log.low) * min(max(end, 0.0), 1.0) for end in ends)
    return Replay(
        log.arms,
        len(log),
        len(rewards),
        plays,
        float(np.mean(rewards)),
        Interval(lower, upper),
        confidence,
        float(log.reward.mean()),
        notes_on(log, len(rewards), least),
    )


def notes_on(log: LoggedData, rounds: int, least: float) -> list[str]:
    """Return what the result is based on, and where it is biased."""
    notes = [
        f"This is about the policy's first {rounds:,} rounds, not about {len(log):,}: a policy "
        "that learns would do better later.",
        "It is unbiased if propensities are right, every arm always had a chance, and an arm's "
        "rewards do not change over time; these are assumptions.",
    ]
    if rounds < len(log) / 20:
        notes.append(
            f"Only {rounds / len(log):.1%} of the log was kept, since its least propensity is "
            f"{least:.3g}: expect a wide interval."
        )
    for reason, count in log.left_out.items():
        notes.append(
            f"Left out: {counted(count, 'decision')} {reason}, assuming that this does not depend "
            "on the reward."
        )
    return notes
