"""The handler of a campaign's series, as columns for charts."""

from __future__ import annotations

from collections.abc import Sequence

from floorline.live import Campaign
from floorline.live.series import SeriesPoint, point_of
from floorline.service.api.responses import Series
from floorline.service.http.operations import Call


async def series(call: Call) -> Series:
    """Return the campaign's history up to its last decision, with what is known about it now."""
    hosted = await call.host.registry.get(call.path["name"])

    def points_now(campaign: Campaign) -> list[SeriesPoint]:
        points = hosted.series.points
        last_stored = points[-1].time if points else campaign.now()
        when = hosted.series.last_decision_at or last_stored
        return [*points, point_of(0, when, campaign.status(), hosted.settings)]

    return series_of(await hosted.queue.submit(points_now), hosted.settings.arms)


def series_of(points: Sequence[SeriesPoint], arms: Sequence[str]) -> Series:
    """Return the points as columns."""
    reasons = sorted({reason for point in points for reason in point.reasons})
    return Series(
        time=[point.time for point in points],
        epoch=[point.epoch for point in points],
        decisions=[point.decisions for point in points],
        reward=[point.reward for point in points],
        reward_lower=[point.reward_lower for point in points],
        reward_upper=[point.reward_upper for point in points],
        default=[point.default for point in points],
        floor=[point.floor for point in points],
        guaranteed_budget=[point.guaranteed_budget for point in points],
        plays={arm: [point.plays.get(arm, 0) for point in points] for arm in arms},
        reasons={reason: [point.reasons.get(reason, 0) for point in points] for reason in reasons},
        floor_lower=[point.floor_lower for point in points],
        floor_upper=[point.floor_upper for point in points],
        challengers=[point.challengers for point in points],
        missed=[point.missed for point in points],
        missed_upper=[point.missed_upper for point in points],
        default_probability=[point.default_probability for point in points],
    )
