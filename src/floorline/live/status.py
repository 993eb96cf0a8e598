"""The status of a campaign, in numbers and in a sentence."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from floorline.core.display import Displayed, Table
from floorline.core.words import counted
from floorline.live.estimates import Gain, Rewards, estimates_of, expected_rewards, gain_of
from floorline.live.guardrails import GuardrailStatus
from floorline.live.headline import headline_of
from floorline.live.learning import learning_problems, reported
from floorline.live.plays import TICK
from floorline.live.same_rounds import SameRounds, same_rounds_of
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.live.verdict import in_flight_alarm, state_word, verdict_of

LEAST_SHARE = -10.0
"""Shown in place of any lower share, which only rewards below zero can cause."""

AGES = (60.0, 600.0, 3600.0, 86_400.0)
"""Seconds that separate the age groups of open decisions."""


@dataclass(frozen=True)
class ArmStatus:
    """What is known of one arm in this epoch."""

    name: str
    plays: int
    """Decisions for it, voided ones not counted."""
    seen: int
    """Rewards known, zeros for missing rewards included."""
    pending: int
    """Decisions whose reward may still come."""
    lost: int
    """Decisions whose window ended without a reward."""
    voided: int
    turned_away: int
    """Proposals of it that the floor turned to the default."""
    turned_to: int
    """Proposals of others that the floor turned to it, while it was the default."""
    as_default: int
    """Decisions made while it was the default, without voided ones for it."""
    in_equal_split: float
    """Decisions that an equal split would have given it: of each decision, the same share to every
    arm that could be served then; voided ones included."""
    estimated_from: int
    """Rewards behind the estimate: those of decisions whose window is over; without a window, all
    that are known, and none if most are missing."""
    average: float | None
    """Estimate of its mean: the average of those rewards, held inside its interval; None before the
    first. Of a default whose mean was given, the average of what it earned."""
    lower: float
    upper: float


@dataclass(frozen=True, repr=False)
class Status(Displayed):
    """The status of a campaign."""

    id: str
    time: float
    """When this is, by the campaign's clock, in seconds since 1970."""
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
    """Those for arms that were not the default then."""
    guaranteed_budget: float
    """Lower bound on the budget in units of reward, not shown below zero."""
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
    """What was earned beyond the default alone; None before that can be estimated."""
    over_equal_split: float | None
    """Estimated reward beyond that of an equal split of the same traffic, among the arms that could
    be served at the time; None where averages do not compare the arms, as under the randomised
    floor."""
    turned_away: int
    """Decisions in which the floor turned a proposal to the default."""
    price: float | None
    """Estimate of what the floor has cost: what the challengers that were proposed and not played
    would have earned beyond the default. Below zero, it has saved that much. None likewise."""
    same_rounds: SameRounds | None
    """Rewards received, against the default's in the same rounds; None under floors that keep the
    reward to be expected."""
    problems: list[str]
    """What keeps the campaign from learning as it is configured, and what is wrong with the clock;
    empty if nothing is."""
    alarm: str | None
    """What the drift watch has found, or that a statement about pending rewards was false; None if
    there is no alarm."""
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
    """What a status and a point of a series have in common, by the names of the former."""

    epoch: int
    decisions: int
    guaranteed_budget: float
    arms: list[ArmStatus]
    reasons: dict[str, int]
    same_rounds: SameRounds | None


def standing_of(state: State, now: float) -> Standing:
    """Return where a campaign in this state stands; it takes half the time of a status."""
    return Standing(
        state.epoch,
        state.decisions,
        max(0.0, state.budget()),
        arms_of(state, now),
        dict(state.reasons),
        same_rounds_of(state),
    )


def status_of(
    campaign: str, state: State, duplicates: int, now: float, problems: Sequence[str] = ()
) -> Status:
    """Return the status of a campaign in this state; `problems` are further ones to show."""
    standing = standing_of(state, now)
    share = max(LEAST_SHARE, state.guaranteed_share())
    holds = share >= 1 - state.settings.max_loss - 1e-9
    arms, same = standing.arms, standing.same_rounds
    settings = state.settings
    running = [arm for arm in arms if arm.name not in state.retired]
    expected = None if same else expected_rewards(settings, arms)
    return Status(
        id=campaign,
        time=now,
        state=state_word(state),
        serves=state.serves,
        winner=winner_of(running),
        epoch=standing.epoch,
        decisions=standing.decisions,
        on_challengers=state.on_challengers,
        guaranteed_budget=standing.guaranteed_budget,
        guaranteed_share=share,
        promised_share=1 - settings.max_loss,
        holds=holds,
        confidence=1 - settings.delta,
        headline=headline_of(
            state_word(state), state.serves, arms if state.serves else running, settings.unit, same
        ),
        verdict=verdict_of(state, share, holds),
        estimated_share=_estimated_share(expected, same),
        gain=same.gain if same else gain_of(settings, arms, expected) if expected else None,
        over_equal_split=None if expected is None else expected.campaign - expected.equal_split,
        turned_away=sum(state.turned_away),
        price=None if expected is None else expected.turned_away,
        same_rounds=same,
        problems=[*problems, *learning_problems(state)],
        alarm=state.drift_alarm or in_flight_alarm(state),
        arms=arms,
        promised_mean=None if same else promised_mean(settings, arms),
        reasons=standing.reasons,
        reported=reported(state),
        lost=sum(state.lost),
        pending=len(state.open),
        oldest_pending=next((play.time for play in state.open.values()), None),
        pending_by_age=by_age(state, now),
        late=state.late,
        refused=state.refused,
        clipped=state.clipped,
        guardrails=state.guardrails.status(),
        retired=list(state.retired),
        withdrawn=list(state.withdrawn),
        labels=list(state.labels),
        archived=state.archived,
        duplicates=duplicates,
    )


def _estimated_share(expected: Rewards | None, same: SameRounds | None) -> float | None:
    if same is not None:
        return same.received / same.default if same.default > 0 else None
    return expected.campaign / expected.default if expected and expected.default else None


def arms_of(state: State, now: float) -> list[ArmStatus]:
    """Return what is known of each arm."""
    statuses = []
    estimates = estimates_of(state, now)
    split = state.equal_split.shares(state)
    for arm, name in enumerate(state.settings.arms):
        estimated_from, average = estimates[arm]
        pending = int(state.book.open[arm])
        lower, upper = state.ends(arm)
        uncounted = arm == 0 and state.settings.voids
        statuses.append(
            ArmStatus(
                name=name,
                plays=int(state.arms.plays[arm]) + (pending if uncounted else 0),
                seen=int(state.arms.seen[arm]),
                pending=pending,
                lost=state.lost[arm],
                voided=int(state.book.voided[arm]),
                turned_away=state.turned_away[arm],
                turned_to=state.turned_to[arm],
                as_default=state.as_default[arm],
                in_equal_split=split[arm],
                estimated_from=estimated_from,
                average=average,
                lower=lower,
                upper=upper,
            )
        )
    return statuses


def promised_mean(settings: CampaignSettings, arms: Sequence[ArmStatus]) -> float | None:
    """Return the promised share of the default's mean; None before that can be estimated."""
    mean = arms[0].average if settings.default_mean is None else settings.default_mean
    return None if mean is None else (1 - settings.max_loss) * mean


def winner_of(arms: list[ArmStatus]) -> str | None:
    """Return the arm whose interval lies above those of all others; None if there is none."""
    best = max(arms, key=lambda arm: arm.lower)
    others = [arm.upper for arm in arms if arm is not best]
    return best.name if best.lower > max(others, default=-math.inf) else None


def by_age(state: State, now: float) -> list[int]:
    """Return the number of open decisions in each age group: up to each of AGES, and older."""
    counts = [0] * (len(AGES) + 1)
    for since, number in state.open.ages.items():
        counts[bisect_right(AGES, now - since * TICK)] += number
    return counts
