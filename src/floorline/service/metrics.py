"""The service's numbers, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from floorline.live import Status

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
SIZES = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)


class Metrics:
    """Counts requests and commits; what concerns a campaign is read from its status."""

    def __init__(self) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter("floorline_requests", "Requests answered.",
                                 ["path", "method", "status"], registry=self._registry)  # fmt: skip
        self._seconds = Histogram("floorline_request_seconds", "Seconds to an answer.", ["path"],
                                  buckets=SECONDS, registry=self._registry)  # fmt: skip
        self._group = Histogram("floorline_commit_operations", "Operations made durable together.",
                                buckets=SIZES, registry=self._registry)  # fmt: skip
        self._commit = Histogram("floorline_commit_seconds", "Seconds for a group of operations.",
                                 buckets=SECONDS, registry=self._registry)  # fmt: skip
        self._children: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._campaigns = _Campaigns()
        self._registry.register(self._campaigns)

    def request(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        children = self._children.get((path, method, status))
        if children is None:  # looking them up by labels is slow
            children = self._requests.labels(path, method, status), self._seconds.labels(path)
            self._children[path, method, status] = children
        children[0].inc()
        children[1].observe(seconds)

    def commit(self, size: int, seconds: float) -> None:
        """Count a group of operations."""
        self._group.observe(size)
        self._commit.observe(seconds)

    def text(self, campaigns: Mapping[str, Status | None]) -> bytes:
        """All numbers, as Prometheus reads them. None is a campaign that is not available."""
        self._campaigns.found = campaigns
        return generate_latest(self._registry)


class _Campaigns:
    """Numbers from the campaigns' statuses."""

    found: Mapping[str, Status | None] = {}

    def collect(self) -> Iterable[Metric]:
        """One family after the other."""
        up = GaugeMetricFamily("floorline_campaign_available", "1 if the ledger can be used.",
                               labels=["campaign"])  # fmt: skip
        reasons = CounterMetricFamily("floorline_decisions", "Decisions in this epoch.",
                                      labels=["campaign", "reason"])  # fmt: skip
        plays = CounterMetricFamily("floorline_plays", "Decisions for an arm in this epoch.",
                                    labels=["campaign", "arm"])  # fmt: skip
        mean = GaugeMetricFamily("floorline_arm_mean", "Ends of an arm's interval.",
                                 labels=["campaign", "arm", "end"])  # fmt: skip
        numbers = {
            name: GaugeMetricFamily(f"floorline_{name}", words, labels=["campaign"])
            for name, words in NUMBERS.items()
        }
        alarm = GaugeMetricFamily("floorline_drift_alarm", "1 if the default seems changed.",
                                  labels=["campaign"])  # fmt: skip
        for name, status in self.found.items():
            up.add_metric([name], status is not None)
            if status is None:
                continue
            for reason, count in status.reasons.items():
                reasons.add_metric([name, reason], count)
            for arm in status.arms:
                plays.add_metric([name, arm.name], arm.plays)
                mean.add_metric([name, arm.name, "lower"], arm.lower)
                mean.add_metric([name, arm.name, "upper"], arm.upper)
            for word, family in numbers.items():
                family.add_metric([name], getattr(status, word))
            alarm.add_metric([name], status.alarm is not None)
        return [up, reasons, plays, mean, alarm, *numbers.values()]


NUMBERS = {
    "guaranteed_budget": "Lower bound on the budget, in units of reward.",
    "guaranteed_share": "Lower bound on expected reward over the default's.",
    "promised_share": "The share of the default's reward that is promised.",
    "pending": "Decisions whose reward may still come.",
    "late": "Rewards that came too late to be used, in this epoch.",
    "duplicates": "Rewards that came again since the service started.",
}
