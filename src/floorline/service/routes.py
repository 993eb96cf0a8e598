"""The API: one line of the table for everything that it does."""

from __future__ import annotations

from floorline.service import (
    answers,
    campaigns,
    decisions,
    explain,
    feed,
    health,
    history,
    ofrep,
    requests,
)
from floorline.service.calls import Operation
from floorline.service.limits import MAX_BATCH_BODY

CAMPAIGN = "/v1/campaigns/{name}"
TICKET = "/v1/decisions/{ticket}"

OPERATIONS = (
    # Those that are asked for most come first: routes are looked up in this order.
    Operation(
        "POST", f"{CAMPAIGN}/decisions", decisions.decide, "Decide which arm to play", "decide",
        answers.Decision | answers.Decisions, requests.DecisionBody,
        (requests.DecisionRequest, requests.DecisionRequests), body_needed=False,
        max_body=MAX_BATCH_BODY, problems=(404, 409),
    ),
    Operation(
        "GET", f"{CAMPAIGN}/decisions", history.decisions, "Page through the decisions", "read",
        answers.RecordPage, query=requests.PageQuery, problems=(404,),
    ),
    Operation(
        "POST", f"{TICKET}/reward", decisions.reward, "Report a reward", "reward",
        answers.Taken, requests.RewardBody, problems=(404, 409),
    ),
    Operation(
        "POST", "/v1/rewards", decisions.rewards, "Report many rewards", "reward",
        answers.RewardResults, requests.RewardsBody, max_body=MAX_BATCH_BODY,
    ),
    Operation(
        "POST", "/ofrep/v1/evaluate/flags/{key}", ofrep.evaluate,
        "Decide, in the protocol of feature flags (OFREP)", "decide", answers.OfrepAnswer,
        requests.OfrepBody, body_needed=False, problems=(404, 409),
        problem=ofrep.OfrepProblem, refine=ofrep.refine,
    ),
    Operation(
        "POST", f"{TICKET}/void", decisions.void, "Say that a decision reached nobody", "reward",
        answers.Taken, problems=(404, 409),
    ),
    Operation(
        "GET", "/v1/campaigns", campaigns.list_all, "List the campaigns", "read",
        answers.Campaigns,
    ),
    Operation(
        "POST", "/v1/campaigns", campaigns.create, "Open a campaign", "admin",
        answers.CampaignAnswer, requests.NewCampaign, status=(201, 200), problems=(409,),
    ),
    Operation(
        "GET", CAMPAIGN, campaigns.show, "Look at a campaign", "read", answers.CampaignAnswer,
        problems=(404,),
    ),
    *(
        Operation(
            "POST", f"{CAMPAIGN}/{word}", handler, summary, "admin", answers.CampaignAnswer,
            problems=(404, 409),
        )
        for word, handler, summary in (
            ("pause", campaigns.pause, "Play the default until resumed"),
            ("resume", campaigns.resume, "Go on after a pause"),
            ("stop", campaigns.stop, "End a campaign for good"),
            ("start-epoch", campaigns.start_epoch, "Begin anew, as after a drift alarm"),
        )
    ),
    Operation(
        "GET", f"{CAMPAIGN}/series", history.series, "See how a campaign went", "read",
        answers.Series, problems=(404,),
    ),
    Operation(
        "GET", f"{CAMPAIGN}/live", feed.live, "Watch a campaign: server-sent events", "read",
        "text/event-stream", problems=(404,),
    ),
    Operation(
        "GET", f"{CAMPAIGN}/events", history.events, "Page through the events", "read",
        answers.EventPage, query=requests.EventQuery, problems=(404,),
    ),
    Operation(
        "GET", f"{CAMPAIGN}/decisions/{{ticket}}", explain.explain, "Explain a decision", "read",
        answers.Explanation, problems=(404, 422),
    ),
    Operation(
        "GET", f"{CAMPAIGN}/export", history.export, "Download all decisions", "read",
        "text/csv", query=requests.ExportQuery, problems=(404,),
    ),
    Operation("GET", "/livez", health.livez, "Is the process alive", None, answers.Live),
    Operation("GET", "/readyz", health.readyz, "Are decisions served", None, answers.Ready),
    Operation("GET", "/metrics", health.metrics, "Numbers for Prometheus", "read", "text/plain"),
)  # fmt: skip
