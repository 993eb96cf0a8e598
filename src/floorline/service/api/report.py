"""The handler of a campaign's report."""

from __future__ import annotations

from floorline.service.api.whole_ledger import from_whole_ledger
from floorline.service.host.reports import report_in_child
from floorline.service.http.operations import Call, Reply

SECURITY_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}


async def report(call: Call) -> Reply:
    """Return an HTML report: what was promised, earned and changed, and how it was verified."""
    hosted = await call.host.registry.get(call.path["name"])
    page = await from_whole_ledger(
        call, hosted, lambda now: report_in_child(hosted.locator, hosted.name, now)
    )
    return Reply(page, headers=SECURITY_HEADERS, media_type="text/html; charset=utf-8")
