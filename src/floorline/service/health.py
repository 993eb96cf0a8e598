"""Is it alive, is it ready, and how is it doing."""

from __future__ import annotations

from floorline.live import Campaign, Status
from floorline.service.answers import Live, Ready
from floorline.service.calls import Call, Reply
from floorline.service.entries import Entry
from floorline.service.metrics import MEDIA_TYPE
from floorline.service.problems import problem_of, unavailable


async def livez(call: Call) -> Live:
    """The process answers."""
    return Live("live")


async def readyz(call: Call) -> Ready:
    """Decisions are served."""
    if not call.service.ready:
        raise unavailable("the service is starting or stopping")
    entries = call.service.registry.all()
    failing = [e.name for e in entries if not isinstance(e, Entry) or e.writer.failure]
    return Ready("ready", len(entries), failing)


async def metrics(call: Call) -> Reply:
    """What Prometheus reads."""
    found: dict[str, Status | None] = {}
    for entry in call.service.registry.all():
        found[entry.name] = None
        if isinstance(entry, Entry):
            try:
                found[entry.name] = await entry.writer.submit(Campaign.status)
            except Exception as error:  # the others are shown
                problem_of(error)  # logs what should not happen
    return Reply(call.service.metrics.text(found), media_type=MEDIA_TYPE)
