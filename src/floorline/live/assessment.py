"""The status of a campaign, computed from its state."""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Sequence

from floorline.live.estimates import Rewards, estimates_of, expected_rewards, gain_of
from floorline.live.headline import headline_of
from floorline.live.learning import learning_problems, reported
from floorline.live.plays import TICK
from floorline.live.same_rounds import SameRounds, same_rounds_of
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.live.status import ArmStatus, Standing, Status
from floorline.live.verdict import in_flight_alarm, state_word, verdict_of

LEAST_SHARE = -10.0
"""Shown in place of any lower share, which only rewards below zero can cause."""

AGES = (60.0, 600.0, 3600.0, 86_400.0)
"""Seconds that separate the age groups of open decisions."""


def standing_of(state: State, now: float) -> Standing:
    """Return the numbers that a series point needs, in half the time of a whole status."""
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
        arithmetic=state.explain_now().words,
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
    """Return what is known about each arm."""
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
    """Return the promised share of the default's mean; None until it can be estimated."""
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
    for since, number in reversed(state.open.ages.items()):
        group = bisect_right(AGES, now - since * TICK)
        if group == len(AGES):
            break  # all others are older still
        counts[group] += number
    counts[-1] = len(state.open) - sum(counts)
    return counts
