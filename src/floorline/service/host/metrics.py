"""The service's metrics, for Prometheus."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from threading import Lock

from prometheus_client import CollectorRegistry, Gauge, Histogram
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest

from floorline.live import Status
from floorline.live.clock import SteadyClock
from floorline.service.host.request_counts import RequestCounts

MEDIA_TYPE = CONTENT_TYPE_PLAIN_0_0_4
SECONDS_BUCKETS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0)
GROUP_SIZE_BUCKETS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 1024)

STATUS_GAUGES = {
    "guaranteed_budget": "Lower bound on the budget, in units of reward.",
    "guaranteed_share": "Lower bound on expected reward over the default's.",
    "promised_share": "The share of the default's reward that is promised.",
    "pending": "Decisions whose reward may still come.",
    "late": "Rewards that came too late to be used, in this epoch.",
    "duplicates": "Rewards that came again since the service started.",
}
"""Fields of a status that are gauges of their own."""


class Metrics:
    """Counts requests and commits; the metrics of a campaign are read from its status."""

    def __init__(self, clock: SteadyClock) -> None:
        """Start with nothing counted; `clock` is that of the campaigns."""
        registry = self._registry = CollectorRegistry()
        self._requests = RequestCounts(SECONDS_BUCKETS)
        registry.register(self._requests)
        self._group_size = Histogram(
            "floorline_commit_operations",
            "Operations committed together.",
            buckets=GROUP_SIZE_BUCKETS,
            registry=registry,
        )
        self._commit_seconds = Histogram(
            "floorline_commit_seconds",
            "Seconds for a group of operations.",
            buckets=SECONDS_BUCKETS,
            registry=registry,
        )
        Gauge(
            "floorline_clock_step_seconds",
            "By how much the campaigns' clock was set while the service ran; 0: it is trusted.",
            registry=registry,
        ).set_function(clock.current_step)
        self.refused_requests = 0
        """Answered with 401 or 403."""
        self._lock = Lock()
        self._statuses = _StatusCollector()
        registry.register(self._statuses)

    def set_alerts(self, raised: Sequence[tuple[str | None, str]]) -> None:
        """Show these alerts as raised: the campaign (None: the service) and the kind of each."""
        self._statuses.alerts = raised

    def request(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        if status in (401, 403):
            self.refused_requests += 1
        self._requests.add(path, method, status, seconds)

    def commit(self, size: int, seconds: float) -> None:
        """Count a committed group of operations."""
        self._group_size.observe(size)
        self._commit_seconds.observe(seconds)

    def text(self, available: Mapping[str, bool], statuses: Mapping[str, Status | None]) -> bytes:
        """Return all metrics in Prometheus' text format, from any thread.

        Args:
            available: all campaigns, and whether they can be used.
            statuses: of the campaigns that have been open; None where it is not known.
        """
        with self._lock:
            self._statuses.available, self._statuses.statuses = available, statuses
            return generate_latest(self._registry)


class _StatusCollector:
    """Metrics from the campaigns' statuses."""

    alerts: Sequence[tuple[str | None, str]] = ()
    available: Mapping[str, bool] = {}
    statuses: Mapping[str, Status | None] = {}

    def collect(self) -> Iterable[Metric]:
        """Return all metric families."""
        available = GaugeMetricFamily(
            "floorline_campaign_available", "1 if the ledger can be used.", labels=["campaign"]
        )
        reasons = CounterMetricFamily(
            "floorline_decisions", "Decisions in this epoch.", labels=["campaign", "reason"]
        )
        plays = CounterMetricFamily(
            "floorline_plays", "Decisions for an arm in this epoch.", labels=["campaign", "arm"]
        )
        means = GaugeMetricFamily(
            "floorline_arm_mean", "Ends of an arm's interval.", labels=["campaign", "arm", "end"]
        )
        alarms = GaugeMetricFamily(
            "floorline_drift_alarm", "1 if the default seems changed.", labels=["campaign"]
        )
        gauges = {
            field: GaugeMetricFamily(f"floorline_{field}", text, labels=["campaign"])
            for field, text in STATUS_GAUGES.items()
        }
        raised = GaugeMetricFamily(
            "floorline_alert", "1 while an alert is raised.", labels=["campaign", "kind"]
        )
        for campaign, kind in self.alerts:
            raised.add_metric([campaign or "", kind], 1)
        for name, is_available in self.available.items():
            available.add_metric([name], is_available)
        for name, status in self.statuses.items():
            if status is None:
                continue
            for reason, count in status.reasons.items():
                reasons.add_metric([name, reason], count)
            for arm in status.arms:
                plays.add_metric([name, arm.name], arm.plays)
                means.add_metric([name, arm.name, "lower"], arm.lower)
                means.add_metric([name, arm.name, "upper"], arm.upper)
            for field, family in gauges.items():
                family.add_metric([name], getattr(status, field))
            alarms.add_metric([name], status.alarm is not None)
        return [available, reasons, plays, means, alarms, raised, *gauges.values()]
