"""What one decision has earned, as it is queued and sent."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from .checks import finite, reward_of, ticket_id


class Reward(NamedTuple):
    """The reward of a decision, with the metrics that were reported beside it."""

    ticket: str
    reward: float
    deferred_since: float | None = None
    """Unix time at which the service first refused it for a temporary reason, such as an unknown
    ticket."""
    metrics: tuple[tuple[str, float], ...] = ()
    """Names and values. A tuple, so that rewards can be compared and hashed."""

    @property
    def message(self) -> dict[str, object]:
        """Return the reward in the service's format."""
        item: dict[str, object] = {"ticket": self.ticket, "reward": self.reward}
        if self.metrics:
            item["metrics"] = dict(self.metrics)
        return item


def checked_reward(ticket: str, value: float, metrics: Mapping[str, float] | None = None) -> Reward:
    """Return the reward with these fields; raise ValueError if one of them cannot be sent."""
    return Reward(ticket_id(ticket), reward_of(value), None, _checked_metrics(metrics))


def _checked_metrics(metrics: Mapping[str, float] | None) -> tuple[tuple[str, float], ...]:
    if metrics is None:
        return ()
    if not isinstance(metrics, Mapping) or not all(isinstance(name, str) for name in metrics):
        raise ValueError(f"metrics: must be names with numbers, not {metrics!r}")
    return tuple((name, finite(f"metrics.{name}", value)) for name, value in metrics.items())
