"""The drawings of a report, as SVG."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import NamedTuple

from floorline.live.amounts import amount
from floorline.live.series import SeriesPoint
from floorline.report.axes import Scale, extent, round_times, round_values

WIDTH, HEIGHT = 920, 300
LEFT, RIGHT, TOP, BOTTOM = 84, 60, 10, 34
BARS = 46
COLOURS = 9
"""Classes c0 to c8 of the style; further arms share the last."""


class ChartLine(NamedTuple):
    """One line of a chart."""

    values: Sequence[float | None]
    look: str


def reward_chart(points: Sequence[SeriesPoint], label: str) -> str:
    """Return a chart of reward, default and floor over time, with the guaranteed range."""
    times = [point.time for point in points]
    lines = [
        ChartLine([point.reward for point in points], "c1"),
        ChartLine([point.default for point in points], "c0"),
        ChartLine([point.floor for point in points], "floor dashed"),
    ]
    ranges = [guaranteed_range(point) for point in points]
    # Early ranges are far wider than the lines, which they would flatten.
    low, high = extent([*(line.values for line in lines), ranges[-1]])
    x, y = _scales(times, low, high)
    edges = list(zip(times, ranges, strict=True))
    upper = [f"{x(time):.1f},{y(most):.1f}" for time, (_, most) in edges]
    lower = [f"{x(time):.1f},{y(least):.1f}" for time, (least, _) in reversed(edges)]
    look = "c1" if points[-1].floor_upper is None else "floor"
    drawn = [f'<path class="band {look}" d="M{"L".join([*upper, *lower])}Z"/>']
    for values, look in lines:
        known = [(t, v) for t, v in zip(times, values, strict=True) if v is not None]
        places = "L".join(f"{x(t):.1f},{y(v):.1f}" for t, v in known)
        drawn += [f'<path class="line {look}" d="M{places}"/>'] if known else []
    labels = [(value, amount(value)) for value in round_values(low, high, 5)]
    return _picture(label, [*_axes(x, y, labels), *drawn])


def guaranteed_range(point: SeriesPoint) -> tuple[float, float]:
    """Return the range of the reward, or of the floor where the reward received is known."""
    if point.floor_lower is not None and point.floor_upper is not None:
        return point.floor_lower, point.floor_upper
    return point.reward_lower, point.reward_upper


def traffic_chart(points: Sequence[SeriesPoint], arms: Sequence[str], label: str) -> str:
    """Return a chart of each arm's share of the decisions over time."""
    x, y = _scales([point.time for point in points], 0.0, 1.0)
    drawn = []
    for start, end, counts in _slices(points, arms, x):
        below, total = 0.0, sum(counts) or 1
        for arm, count in enumerate(counts):
            top = y(below + count / total)
            drawn.append(
                f'<rect class="{arm_look(arm)}" x="{x(start):.1f}" y="{top:.1f}" '
                f'width="{x(end) - x(start):.1f}" height="{y(below) - top:.1f}"/>'
            )
            below += count / total
    labels = [(share, f"{share:.0%}") for share in (0.0, 0.5, 1.0)]
    return _picture(label, [*_axes(x, y, labels), *drawn])


def arm_look(arm: int) -> str:
    """Return the class of an arm's colour."""
    return f"c{min(arm, COLOURS - 1)}"


def _slices(
    points: Sequence[SeriesPoint], arms: Sequence[str], x: Scale
) -> list[tuple[float, float, list[int]]]:
    """Return the slices of time with decisions: their start, their end, and counts by arm."""
    slices = []
    before = [0] * len(arms)
    width = (x.high - x.low) / BARS
    for number in range(BARS):
        start = x.low + number * width
        last = number == BARS - 1
        until = [point for point in points if last or point.time <= start + width]
        plays = [until[-1].plays.get(arm, 0) for arm in arms] if until else before
        if sum(plays) == sum(before):
            continue
        counts = [max(0, now - then) for now, then in zip(plays, before, strict=True)]
        slices.append((start, start + width, counts))
        before = plays
    return slices


def _scales(times: Sequence[float], low: float, high: float) -> tuple[Scale, Scale]:
    end = max(times[0] + 1, times[-1])
    return (
        Scale(times[0], end, LEFT, WIDTH - RIGHT),
        Scale(low, high, HEIGHT - BOTTOM, TOP),
    )


def _axes(x: Scale, y: Scale, values: Sequence[tuple[float, str]]) -> list[str]:
    parts = []
    for value, label in values:
        place = f"{y(value):.1f}"
        parts.append(
            f'<line class="rule" x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{place}" y2="{place}"/>'
        )
        parts.append(f'<text x="{LEFT - 8}" y="{y(value) + 4:.1f}" class="end">{label}</text>')
    for time, label in round_times(x.low, x.high, 6):
        parts.append(f'<text x="{x(time):.1f}" y="{HEIGHT - 10}" class="middle">{label}</text>')
    return parts


def _picture(label: str, parts: Sequence[str]) -> str:
    opening = f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(label)}">'
    return f'<div class="chart" tabindex="0">{opening}{"".join(parts)}</svg></div>'
