"""Checks of changes to the arms of a campaign: which may be added, retired or promoted."""

from __future__ import annotations

from floorline.core.checks import choice, plain_text
from floorline.live.errors import Conflict
from floorline.live.names import check_arm_name
from floorline.live.settings import MAX_ARMS
from floorline.live.state import State


def addable(state: State, name: str) -> str:
    """Return the name of a challenger that may be added; it may exist already.

    Raises:
        ValueError: the name is invalid, or that of the default or of a retired arm.
        Conflict: this campaign accepts no further arms.
    """
    if not isinstance(name, str):
        raise ValueError(f"arm: must be a name, not {name!r}")
    check_arm_name(name, "arm")
    if name in state.retired:
        raise ValueError(f"arm: {name} was retired; what replaces it needs a name of its own")
    if name == state.settings.arms[0]:
        raise ValueError(f"arm: {name} is the default")
    if name in state.settings.arms:
        return plain_text(name)
    if len(state.settings.arms) >= MAX_ARMS:
        raise Conflict(f"arm: a campaign has at most {MAX_ARMS} arms, retired ones included")
    if not _has_shares_left(state):
        raise Conflict(
            "arm: this campaign was opened with arms_may_change=False, so its intervals have spent "
            "all of delta on the arms that it has; start a new epoch with arms_may_change=True"
        )
    return plain_text(name)


def _has_shares_left(state: State) -> bool:
    """Return whether a further arm can have an interval, or needs none."""
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
        raise ValueError(
            f"arm: {arm} is the default, which cannot be retired; promote another first"
        )
    return arm


def promotable(state: State, name: str) -> str:
    """Return the name of an arm that may become the default now; it may be the default already.

    Raises:
        ValueError: there is no such arm, or it was retired.
        Conflict: the default cannot change within an epoch here.
    """
    arm = promotable_anew(state, name)
    if arm == state.settings.arms[0]:
        return arm
    if state.drift_alarm:
        raise Conflict(
            "arm: the default seems to have changed, so what was promised of it is void; start a "
            f"new epoch with {arm} as its default"
        )
    if not state.floor.may_promote(state.memory.floor):
        raise Conflict(f"arm: {_why_not(state)}; start a new epoch with {arm} as its default")
    return arm


def promotable_anew(state: State, name: str) -> str:
    """Return the name of an arm that may be the default of a new epoch.

    Raises:
        ValueError: there is no such arm, or it was retired.
        Conflict: the default's mean was given.
    """
    arm = choice("arm", name, state.settings.arms)
    if arm in state.retired:
        raise ValueError(f"arm: {arm} was retired, and cannot become the default")
    if state.settings.default_mean is not None and arm != state.settings.arms[0]:
        raise Conflict(
            f"arm: the campaign was opened with the mean of {state.settings.arms[0]} "
            "(default_mean), which says nothing about another default; open another campaign"
        )
    return arm


def _why_not(state: State) -> str:
    """Return why the default cannot change within an epoch."""
    settings = state.settings
    if settings.floor not in ("confidence", "joint"):
        return f"the {settings.floor} floor tests its budget against one default"
    if not settings.arms_may_change:
        return "this campaign was opened with arms_may_change=False"
    if settings.voids:
        return "with voids=True it is not settled which default open decisions belong to"
    if not settings.to_boundary().kind.needs_range:
        return f"with boundary={settings.boundary!r} the joint floor tests one default"
    return "the default has changed as often in this epoch as the joint floor can take"
