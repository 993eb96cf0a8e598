"""Guardrails: further metrics of each arm, with limits that an arm must not surely break.

A guardrail has a range to which its values are clipped. The intervals of all guardrails and arms
hold at all times simultaneously, except with probability `delta`, for the values that are reported:
if only some decisions report one, they say nothing about the others. Values count in the order in
which they arrive, so how late one comes must not depend on what it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from floorline.boundaries import Boundary
from floorline.boundaries.numbered import inverse_share
from floorline.core.checks import choice, number, require
from floorline.live.amounts import amount
from floorline.live.intervals import MeanIntervals
from floorline.live.order import Order, reorder

if TYPE_CHECKING:
    from floorline.live.settings import CampaignSettings

MAX_GUARDRAILS = 10
MAX_METRIC_NAME = 40
LARGEST_METRIC = 1e12
WORSE = ("above", "below")


@dataclass(frozen=True)
class Guardrail:
    """A metric that is reported with rewards.

    Args:
        name: what it is called in `metrics`.
        low: the lowest value that counts.
        high: the highest value that counts.
        limit: an arm whose mean is surely beyond it is retired; None for no limit.
        worse: whether values `above` or `below` the limit are beyond it.
    """

    name: str
    low: float
    high: float
    limit: float | None = None
    worse: str = "above"

    def __post_init__(self) -> None:
        fits = isinstance(self.name, str) and 1 <= len(self.name) <= MAX_METRIC_NAME
        expected = f"names of 1 to {MAX_METRIC_NAME} printable characters"
        require(fits and self.name.isprintable(), "guardrails", expected, self.name)
        field = f"guardrails.{self.name}"
        low = number(f"{field}.low", self.low, -LARGEST_METRIC, LARGEST_METRIC)
        high = number(f"{field}.high", self.high, low, LARGEST_METRIC, open_low=True)
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        if self.limit is not None:
            object.__setattr__(self, "limit", number(f"{field}.limit", self.limit, low, high))
        choice(f"{field}.worse", self.worse, WORSE)


def checked_guardrails(given: Sequence[Any]) -> tuple[Guardrail, ...]:
    """Return guardrails, which may be given as plain values; raise ValueError if one is wrong."""
    listed = isinstance(given, (list, tuple)) and len(given) <= MAX_GUARDRAILS
    require(listed, "guardrails", f"a list of at most {MAX_GUARDRAILS}", given)
    guardrails = []
    for one in given:
        if isinstance(one, Mapping):
            try:
                one = Guardrail(**one)
            except TypeError:
                fields = "name, low and high, and may have limit and worse"
                raise ValueError(f"guardrails: each must have {fields}, not {dict(one)}") from None
        require(isinstance(one, Guardrail), "guardrails", "a list of Guardrail", one)
        guardrails.append(one)
    names = [guardrail.name for guardrail in guardrails]
    require(len(set(names)) == len(names), "guardrails", "of different names", names)
    return tuple(guardrails)


def checked_metrics(
    guardrails: Sequence[Guardrail], metrics: Mapping[str, Any]
) -> dict[str, float]:
    """Return metrics clipped to their ranges; raise ValueError if one is unknown or invalid."""
    known = {guardrail.name: guardrail for guardrail in guardrails}
    require(isinstance(metrics, Mapping), "metrics", "names with numbers", metrics)
    if metrics and not known:
        raise ValueError("metrics: this campaign has no guardrails; leave them out")
    values = {}
    for name, value in metrics.items():
        choice("metrics", name, list(known))
        given = number(f"metrics.{name}", value, -LARGEST_METRIC, LARGEST_METRIC)
        values[name] = min(max(given, known[name].low), known[name].high)
    return values


@dataclass(frozen=True)
class MetricStatus:
    """What is known about one metric of one arm in this epoch."""

    arm: str
    seen: int
    average: float | None
    lower: float
    upper: float


@dataclass(frozen=True)
class GuardrailStatus:
    """What is known about one metric."""

    name: str
    limit: float | None
    worse: str
    arms: list[MetricStatus]


class GuardrailWatch:
    """The reported metrics of an epoch: numbers and sums for each guardrail and arm."""

    def __init__(self, settings: CampaignSettings, numbers: Sequence[int]) -> None:
        n_arms = len(settings.arms)
        self._seen = [[0] * n_arms for _ in settings.guardrails]
        self._total = [[0.0] * n_arms for _ in settings.guardrails]
        self._prepare(settings, numbers)

    def _prepare(self, settings: CampaignSettings, numbers: Sequence[int]) -> None:
        self._settings = settings
        self._intervals = [self._intervals_of(guardrail) for guardrail in settings.guardrails]
        n_arms = len(numbers)
        shares = [inverse_share(i) if settings.arms_may_change else n_arms for i in numbers]
        self._inverse_errors = [len(settings.guardrails) * n / settings.delta for n in shares]

    def rearrange(self, settings: CampaignSettings, numbers: Sequence[int], order: Order) -> None:
        """Put the arms into another order, that of the settings, with their numbers."""
        for values, fresh in ((self._seen, 0), (self._total, 0.0)):
            for by_arm in values:
                reorder(by_arm, order, fresh)
        self._prepare(settings, numbers)

    def _intervals_of(self, guardrail: Guardrail) -> MeanIntervals:
        settings, low, high = self._settings, guardrail.low, guardrail.high
        half = (high - low) / 2
        return MeanIntervals(
            Boundary(settings.boundary, settings.delta, half, low, high, settings.prior)
        )

    def observed(self, arm: int, metrics: Mapping[str, float]) -> None:
        """Count the metrics of a play."""
        for index, guardrail in enumerate(self._settings.guardrails):
            if guardrail.name in metrics:
                self._seen[index][arm] += 1
                self._total[index][arm] += metrics[guardrail.name]

    def interval(self, index: int, arm: int) -> tuple[float, float]:
        """Return the interval of a guardrail's mean for an arm."""
        guardrail, total = self._settings.guardrails[index], self._total[index][arm]
        low, high = self._intervals[index].ends(
            self._inverse_errors[arm], self._seen[index][arm], total, total
        )
        return max(low, guardrail.low), min(high, guardrail.high)

    def broken(self, arm: int) -> str | None:
        """Return which limit an arm surely breaks, as a sentence; None if it breaks none."""
        for index, guardrail in enumerate(self._settings.guardrails):
            limit = guardrail.limit
            if limit is None:
                continue
            low, high = self.interval(index, arm)
            if (guardrail.worse == "above" and low > limit) or (
                guardrail.worse == "below" and high < limit
            ):
                between = f"between {amount(low)} and {amount(high)}"
                return f"{guardrail.name} is surely {guardrail.worse} {amount(limit)}: {between}"
        return None

    def status(self) -> list[GuardrailStatus]:
        """Return what is known about each metric."""
        return [
            GuardrailStatus(
                guardrail.name,
                guardrail.limit,
                guardrail.worse,
                [self._metric(index, arm) for arm in range(len(self._settings.arms))],
            )
            for index, guardrail in enumerate(self._settings.guardrails)
        ]

    def _metric(self, index: int, arm: int) -> MetricStatus:
        seen, total = self._seen[index][arm], self._total[index][arm]
        average = total / seen if seen else None
        return MetricStatus(self._settings.arms[arm], seen, average, *self.interval(index, arm))

    def to_json(self) -> dict[str, Any]:
        """Return everything that cannot be derived, as plain values."""
        return {"seen": [list(x) for x in self._seen], "total": [list(x) for x in self._total]}

    def restore(self, values: dict[str, Any]) -> None:
        """Restore what `to_json` returned."""
        self._seen, self._total = values["seen"], values["total"]
