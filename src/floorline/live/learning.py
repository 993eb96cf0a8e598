"""Whether a campaign can learn as it is configured, in sentences."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from floorline.live.state import State

ENOUGH = 100
"""Decisions before problems are reported. What the settings rule out is reported at once."""

MIN_REFUSED, MAX_REFUSED_SHARE = 5, 0.01
"""Refused rewards are a problem from this number on if they are more than this share of all. A
single one is a mistake that its sender was told about; the page counts it in any case."""


def learning_problems(state: State) -> list[str]:
    """Return what keeps this campaign from learning; nothing if it learns. Call `refresh` first."""
    if state.serves is not None:
        return []
    found = [_out_of_range(state)]
    if state.decisions >= ENOUGH:
        found += [_silent(state), _unheard(state)]
    found.append(_unexplored(state))
    return [problem for problem in found if problem is not None]


def reported(state: State) -> int:
    """Return the number of rewards reported in time: those known, without zeros for silence."""
    zeros = sum(state.lost) if state.settings.missing == "zero" else 0
    return int(sum(state.arms.seen)) - zeros


def _out_of_range(state: State) -> str | None:
    """Return a sentence if too many rewards are refused; otherwise None."""
    rewards = reported(state) + state.refused
    if state.refused < MIN_REFUSED or state.refused <= MAX_REFUSED_SHARE * rewards:
        return None
    return (
        f"{state.refused:,} of {rewards:,} rewards were refused because they are outside the range "
        f"of {state.settings.low:g} to {state.settings.high:g} that this campaign was opened with; "
        "their decisions count as unknown, at their worst"
    )


def _silent(state: State) -> str | None:
    """Return a sentence if most rewards are missing and stay at their worst; otherwise None."""
    if state.settings.missing != "unknown" or 2 * len(state.open) <= state.decisions:
        return None
    return (
        f"{len(state.open):,} of {state.decisions:,} decisions have no reward. This campaign was "
        'opened with missing="unknown", which assumes the worst until a reward comes, so it '
        "learns little. Report zeros too; or, if silence means that nothing was earned, open a "
        'campaign with missing="zero" and a window'
    )


def _unheard(state: State) -> str | None:
    """Return a sentence if windows have ended without a single reward; otherwise None."""
    lost = sum(state.lost)
    if lost < ENOUGH or reported(state) > 0:
        return None
    return (
        f"not one reward has come in time for {lost:,} decisions whose window of "
        f"{state.settings.window:g} seconds is over: are rewards reported, and soon enough?"
    )


def _unexplored(state: State) -> str | None:
    """Return a sentence if no challenger is played though one could be; otherwise None."""
    arms = [arm for arm in state.active if arm > 0]
    if state.paused or not arms or any(state.book.open[i] or state.arms.plays[i] for i in arms):
        return None
    if any(state.book.voided[i] for i in arms):
        return None
    if state.settings.max_loss == 0:
        return "no challenger can ever be played: max_loss is 0"
    if state.settings.holdback == 1:
        return "no challenger is ever played: holdback is 1"
    if state.decisions < ENOUGH or not any(state.budget_after(i) >= 0 for i in arms):
        return None
    return (
        f"no challenger was played in {state.decisions:,} decisions, though the budget allows it: "
        "the proposer names the default each time"
    )
