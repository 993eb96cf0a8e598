"""The metrics of a service that no request shows."""

from __future__ import annotations

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest

from floorline.live.clock import SteadyClock
from floorline.service.host.metrics import SECONDS_BUCKETS, Metrics
from floorline.service.host.request_counts import RequestCounts


def test_the_step_is_that_of_the_campaigns_clock() -> None:
    """And it is seen although nobody else looks at the clock."""
    set_by = 0.0
    metrics = Metrics(SteadyClock(lambda: 1e9 + set_by, lambda: 0.0))
    assert b"floorline_clock_step_seconds 0.0" in metrics.text({}, {})
    set_by = 86_400.0
    assert b"floorline_clock_step_seconds 86400.0" in metrics.text({}, {})


def test_requests_are_counted_as_prometheus_client_counts_them() -> None:
    registry = CollectorRegistry()
    counter = Counter(
        "floorline_requests", "Requests answered.", ["path", "method", "status"], registry=registry
    )
    histogram = Histogram(
        "floorline_request_seconds",
        "Seconds to an answer.",
        ["path"],
        buckets=SECONDS_BUCKETS,
        registry=registry,
    )
    counts = RequestCounts(SECONDS_BUCKETS)
    for status, seconds in ((200, 0.0), (200, 0.001), (200, 0.0011), (401, 1.0), (500, 7.5)):
        for path in ("/livez", "/v1/rewards"):
            counter.labels(path, "POST", status).inc()
            histogram.labels(path).observe(seconds)
            counts.add(path, "POST", status, seconds)
    ours = CollectorRegistry()
    ours.register(counts)
    lines = generate_latest(registry).decode().splitlines()
    assert generate_latest(ours).decode().splitlines() == [
        line for line in lines if "_created" not in line
    ]
