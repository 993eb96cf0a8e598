"""The handler of a campaign's report."""

from __future__ import annotations

from floorline.live import Campaign
from floorline.service.host.elsewhere import ElsewhereError
from floorline.service.host.errors import Unavailable
from floorline.service.host.reports import report_elsewhere
from floorline.service.http.operations import Call, Reply
from floorline.service.http.problems import Problem, without_folder

MAX_REPORT_EVENTS = 1_000_000
"""Events that are replayed for one report."""

SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


async def report(call: Call) -> Reply:
    """A page to share: what was promised, earned and done, and how that was verified."""
    hosted = await call.host.registry.get(call.path["name"])
    # Windows that are over are recorded first, so that the report agrees with the status.
    await hosted.queue.submit(Campaign.status)
    if await hosted.queue.submit(lambda campaign: campaign.seq) > MAX_REPORT_EVENTS:
        detail = "this campaign is too long to be reported here; use: floorline report"
        raise Problem(422, "too-long", detail)
    async with call.host.registry.replays:
        try:
            page = await report_elsewhere(hosted.locator, hosted.name)
        except ElsewhereError as error:
            raise Unavailable(without_folder(f"no report: {error}")) from None
    return Reply(page, headers=SECURITY_HEADERS, media_type="text/html; charset=utf-8")
