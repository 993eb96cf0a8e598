"""Which arms a campaign has: what may be added and retired, and why not."""

from __future__ import annotations

from floorline.core.checks import choice
from floorline.live.errors import Conflict
from floorline.live.names import check_arm_name
from floorline.live.settings import MAX_ARMS, plain_text
from floorline.live.state import State


def addable(state: State, name: str) -> str:
    """Return the name of an arm that may be added.

    Raises:
        ValueError: no arm may be called so, or one is.
        Conflict: this campaign takes no further arm.
    """
    if not isinstance(name, str):
        raise ValueError(f"arm: must be a name, not {name!r}")
    check_arm_name(name, "arm")
    if name in state.settings.arms:
        retired = name in state.retired
        was = f"was retired; what replaces it needs a name of its own, not {name!r}"
        raise ValueError(f"arm: {was if retired else f'{name!r} is an arm of this campaign'}")
    if len(state.settings.arms) >= MAX_ARMS:
        raise Conflict(f"arm: a campaign has at most {MAX_ARMS} arms, retired ones included")
    if not _has_shares_left(state):
        raise Conflict(
            "arm: this campaign was opened with arms_may_change=False, so its intervals have spent "
            "all of delta on the arms that it has; start a new epoch with arms_may_change=True"
        )
    return plain_text(name)


def _has_shares_left(state: State) -> bool:
    """Whether a further arm can have an interval, or needs none."""
    needs_intervals = state.floor.assumes_steady_means or state.settings.guardrails
    return state.settings.arms_may_change or not needs_intervals


def retirable(state: State, name: str) -> str:
    """Return the name of a challenger that may be retired; it may be retired already.

    Raises:
        ValueError: there is no such arm, or it is the default.
    """
    arms = state.settings.arms
    arm = choice("arm", name, arms)
    if arm == arms[0]:
        raise ValueError(f"arm: {arm} is the default, which cannot be retired")
    return arm
