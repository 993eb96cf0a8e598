"""How many requests there were, and how long they took, for Prometheus."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from prometheus_client.core import CounterMetricFamily, HistogramMetricFamily, Metric


class RequestCounts:
    """Counts requests in the event loop's thread.

    That takes no locks, which those of prometheus_client do; any thread may read the counts.
    """

    def __init__(self, buckets: Sequence[float]) -> None:
        """Start with none; `buckets` are the ends of the intervals of seconds."""
        self._ends = buckets
        self._labels = [*map(str, buckets), "+Inf"]
        self._counts: dict[tuple[str, str, int], int] = {}
        self._seconds: dict[str, tuple[list[int], list[float]]] = {}

    def add(self, path: str, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        key = path, method, status
        self._counts[key] = self._counts.get(key, 0) + 1
        times = self._seconds.get(path)
        if times is None:
            times = self._seconds[path] = [0] * len(self._labels), [0.0]
        times[0][bisect_left(self._ends, seconds)] += 1
        times[1][0] += seconds

    def collect(self) -> Iterable[Metric]:
        """Return all metric families."""
        requests = CounterMetricFamily(
            "floorline_requests", "Requests answered.", labels=["path", "method", "status"]
        )
        for (path, method, status), count in list(self._counts.items()):
            requests.add_metric([path, method, str(status)], count)
        times = HistogramMetricFamily(
            "floorline_request_seconds", "Seconds to an answer.", labels=["path"]
        )
        for path, (counts, total) in list(self._seconds.items()):
            buckets = list(zip(self._labels, accumulate(counts), strict=True))
            times.add_metric([path], buckets, total[0])
        return [requests, times]
