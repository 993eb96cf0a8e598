"""The metrics of a service that no request shows."""

from __future__ import annotations

from floorline.live.clock import SteadyClock
from floorline.service.host.metrics import Metrics


def test_the_step_is_that_of_the_campaigns_clock() -> None:
    """And it is seen although nobody else looks at the clock."""
    set_by = 0.0
    metrics = Metrics(SteadyClock(lambda: 1e9 + set_by, lambda: 0.0))
    assert b"floorline_clock_step_seconds 0.0" in metrics.text({}, {})
    set_by = 86_400.0
    assert b"floorline_clock_step_seconds 86400.0" in metrics.text({}, {})
