"""The handler of a campaign's series, as columns for charts."""

from __future__ import annotations

import time

from floorline.live import Campaign, Settings, Status
from floorline.service.api.responses import Series
from floorline.service.host.series import SeriesPoint
from floorline.service.http.operations import Call


async def series(call: Call) -> Series:
    """The campaign's history up to now."""
    hosted = call.host.registry.get(call.path["name"])

    def look(campaign: Campaign) -> tuple[list[SeriesPoint], Status]:
        return hosted.series.points, campaign.status()

    points, status = await hosted.queue.submit(look)
    return series_of([*points, SeriesPoint(0, time.time(), status)], hosted.settings)


def series_of(points: list[SeriesPoint], settings: Settings) -> Series:
    """The points as columns."""
    reasons = sorted({reason for point in points for reason in point.status.reasons})
    columns = Series(
        time=[],
        epoch=[],
        decisions=[],
        reward=[],
        reward_lower=[],
        reward_upper=[],
        default=[],
        floor=[],
        guaranteed_budget=[],
        plays={arm: [] for arm in settings.arms},
        reasons={reason: [] for reason in reasons},
    )
    for point in points:
        _append(columns, point, settings)
    return columns


def _append(series: Series, point: SeriesPoint, settings: Settings) -> None:
    status = point.status
    known_mean = settings.default_mean
    means = [_mean(arm.average, arm.lower, arm.upper) for arm in status.arms]
    reached = status.decisions - status.arms[0].voided  # a voided default counts nowhere
    default = reached * (means[0] if known_mean is None else known_mean)
    series.time.append(point.time)
    series.epoch.append(status.epoch)
    series.decisions.append(status.decisions)
    series.reward.append(sum(a.plays * m for a, m in zip(status.arms, means, strict=True)))
    series.reward_lower.append(sum(arm.plays * arm.lower for arm in status.arms))
    series.reward_upper.append(sum(arm.plays * arm.upper for arm in status.arms))
    series.default.append(default)
    series.floor.append((1 - settings.max_loss) * default)
    series.guaranteed_budget.append(status.guaranteed_budget)
    for arm in status.arms:
        series.plays[arm.name].append(arm.plays)
    for reason, counts in series.reasons.items():
        counts.append(status.reasons.get(reason, 0))


def _mean(average: float | None, lower: float, upper: float) -> float:
    return (lower + upper) / 2 if average is None else average
