"""Which alerts there are, and when a campaign raises them."""

from __future__ import annotations

from dataclasses import dataclass

from floorline.live import Status
from floorline.live.amounts import exact_percent, sure_percent

FLOOR, DRIFT, LEARNING, REWARDS, WINNER, RETIRED, UNAVAILABLE = (
    "floor-in-doubt",
    "drift",
    "learning-stalled",
    "rewards-stopped",
    "winner-found",
    "arm-retired",
    "campaign-unavailable",
)
DISK, KEYS = "disk-full", "key-misuse"
KINDS = (FLOOR, DRIFT, LEARNING, REWARDS, WINNER, RETIRED, UNAVAILABLE, DISK, KEYS)
"""The last two concern the service, the others a campaign."""

ENDED = ("finished", "stopped")
"""The states of campaigns that raise nothing any more."""

EXPECTED_REWARDS = 20.0
"""Rewards that would have been expected by now. By chance, none arrives in 1 of e^20 cases."""


@dataclass
class RewardFlow:
    """Rewards reported for a campaign, and how many decisions came since the last one."""

    reported: int = 0
    decisions: int = 0
    """When the last reward had arrived."""
    epoch: int | None = None
    """None before the first check."""
    is_known: bool = False
    """Whether a reward arrived between two checks: before one does, they may have long stopped."""

    def has_stopped(self, status: Status) -> bool:
        """Return whether rewards are overdue at the rate so far; call it at each check."""
        if status.state in ENDED:
            self.is_known = True
            return False
        if status.reported != self.reported or status.epoch != self.epoch:
            self.is_known = self.is_known or self.epoch is not None
            self.reported, self.decisions = status.reported, status.decisions
            self.epoch = status.epoch
            return False
        if self.decisions == 0:  # none ever came: learning is stalled, which has its own alert
            return False
        rate = self.reported / self.decisions
        # Decisions whose window is open owe nothing yet.
        silent = status.decisions - self.decisions - status.pending
        return rate * silent >= EXPECTED_REWARDS


def alerts_of(status: Status, flow: RewardFlow) -> dict[str, str]:
    """Return the alerts that a campaign raises now, by kind, each as a sentence."""
    found: dict[str, str] = {}
    stopped = flow.has_stopped(status)
    if status.state in ENDED:
        return found
    if not status.holds:
        found[FLOOR] = (
            f"only {sure_percent(status.guaranteed_share)} of the default is guaranteed, and "
            f"{exact_percent(status.promised_share)} was promised: rewards since the last "
            "decisions for challengers were lower than all that was known allowed"
        )
    if status.alarm is not None:
        changed = "" if status.same_rounds else "the default seems to have changed: "
        found[DRIFT] = f"{changed}{status.alarm}"
    if status.problems:
        found[LEARNING] = "; ".join(status.problems)
    if stopped:
        found[REWARDS] = (
            f"no reward in the last {status.decisions - flow.decisions:,} decisions, after "
            f"{flow.reported:,} in the {flow.decisions:,} before"
        )
    broken = [arm for arm in status.retired if arm not in status.withdrawn]
    if broken:
        found[RETIRED] = f"broke the limit of a guardrail: {', '.join(broken)}"
    if status.winner is not None:
        found[WINNER] = status.headline
    return found
