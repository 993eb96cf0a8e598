"""The status of a campaign, in numbers and in a sentence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from floorline.core.display import Displayed, Table
from floorline.core.words import counted
from floorline.live.estimates import Gain
from floorline.live.guardrails import GuardrailStatus
from floorline.live.same_rounds import SameRounds


@dataclass(frozen=True)
class ArmStatus:
    """What is known about one arm in this epoch."""

    name: str
    plays: int
    """Decisions for it, not counting voided ones."""
    seen: int
    """Rewards known, including zeros for missing rewards."""
    pending: int
    """Decisions whose reward may still come."""
    lost: int
    """Decisions whose window ended without a reward."""
    voided: int
    turned_away: int
    """Proposals of it that the floor gave to the default."""
    turned_to: int
    """Proposals of others that the floor gave to it while it was the default."""
    as_default: int
    """Decisions made while it was the default, without voided ones for it."""
    in_equal_split: float
    """Decisions that an equal split would have given it: of each decision, the same share to every
    arm that could be served at the time; including voided ones."""
    estimated_from: int
    """Rewards behind the estimate: those of decisions whose window is over; without a window, all
    that are known, and none if most are missing."""
    average: float | None
    """Estimate of its mean: the average of those rewards, kept inside its interval; None before the
    first. For a default whose mean was given, the average of what it earned."""
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class Status(Displayed):
    """The status of a campaign."""

    id: str
    time: float
    """The time of this status by the campaign's clock, in seconds since 1970."""
    state: str
    """`running`, `paused`, `drift`, `finished` or `stopped`."""
    serves: str | None
    """The arm that everybody gets for good, once it is finished or stopped; None before."""
    winner: str | None
    """The arm that is surely better than all others that are not retired; None if none is."""
    epoch: int
    decisions: int
    """In this epoch."""
    on_challengers: int
    """Those for arms that were not the default at the time."""
    guaranteed_budget: float
    """Lower bound on the budget in units of reward, not shown below zero."""
    arithmetic: list[str]
    """How that bound was computed, one line for each step; the first introduces the others."""
    guaranteed_share: float
    """Lower bound on the expected reward, over what the default alone would be expected to earn."""
    promised_share: float
    holds: bool
    """Whether at least the promised share is guaranteed now."""
    confidence: float
    headline: str
    """Who leads, by how much, and what happens next; under a floor that compares the same rounds,
    what was won in them."""
    verdict: str
    """Whether the floor holds."""
    estimated_share: float | None
    """Estimate of the expected reward, over what the default alone would be expected to earn; where
    `same_rounds` is known, of reward received over the default's."""
    gain: Gain | None
    """What was earned beyond the default alone; None until it can be estimated."""
    over_equal_split: float | None
    """Estimated reward beyond that of an equal split of the same traffic, among the arms that could
    be served at the time; None where averages do not compare the arms, as under the randomised
    floor."""
    turned_away: int
    """Decisions in which the floor gave a proposal to the default."""
    price: float | None
    """Estimate of what the floor has cost: what the challengers that were proposed and not played
    would have earned beyond the default. Below zero, it has saved that much. None likewise."""
    same_rounds: SameRounds | None
    """Rewards received, against the default's in the same rounds; None under floors that keep
    expected reward."""
    problems: list[str]
    """What keeps the campaign from learning as it is configured, and what is wrong with the clock;
    empty if nothing is."""
    alarm: str | None
    """What the drift watch has found, or that an assumption about pending rewards was false; None
    without an alarm."""
    arms: list[ArmStatus]
    promised_mean: float | None
    """The promised share of the default's mean, as far as that is estimated; None where averages do
    not compare the arms."""
    reasons: dict[str, int]
    """Decisions by reason."""
    reported: int
    """Rewards reported in time."""
    lost: int
    """Decisions whose window ended without a reward."""
    pending: int
    oldest_pending: float | None
    """When the oldest open decision was made."""
    pending_by_age: list[int]
    """Open decisions younger than a minute, ten minutes, an hour, a day, and older; ages are
    rounded to ten seconds."""
    late: int
    """Rewards that arrived too late to be used."""
    refused: int
    """Decisions whose only reward was outside the range and refused; they count as unknown unless
    another one comes."""
    clipped: int
    """Rewards above the range that were clipped to its end."""
    guardrails: list[GuardrailStatus]
    """What is known of further metrics, by arm."""
    retired: list[str]
    """Arms that are not played any more: those that have surely broken a limit of a guardrail, and
    those in `withdrawn`."""
    withdrawn: list[str]
    """Arms that a person has retired."""
    labels: list[str]
    archived: bool
    duplicates: int
    """Rewards reported again since the campaign was opened in this process."""

    def _table(self) -> Table:
        title = [
            f"Campaign {self.id}, {self.state}, epoch {self.epoch}: "
            f"{counted(self.decisions, 'decision')}, {self.pending:,} waiting for a reward",
            self.headline,
            self.verdict,
            *self.problems,
        ]
        heads = ("arm", "plays", "rewards", "estimate", "surely from", "to")
        rows = [
            (
                arm.name,
                f"{arm.plays:,}",
                f"{arm.seen:,}",
                "-" if arm.average is None else f"{arm.average:.4g}",
                f"{arm.lower:.4g}",
                f"{arm.upper:.4g}",
            )
            for arm in self.arms
        ]
        return Table("\n".join(title), heads, rows)


class Standing(NamedTuple):
    """The fields of a `Status` that a series point needs."""

    epoch: int
    decisions: int
    guaranteed_budget: float
    arms: list[ArmStatus]
    reasons: dict[str, int]
    same_rounds: SameRounds | None
