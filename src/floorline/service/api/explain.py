"""The handler that explains a decision: in words, and by the arithmetic of its budget."""

from __future__ import annotations

from floorline.live import explain as live
from floorline.live.amounts import amount
from floorline.live.ledgers import LedgerReader
from floorline.live.tickets import seq_of
from floorline.service.api.reading import read_ledger
from floorline.service.api.responses import ExplanationAnswer
from floorline.service.http.operations import Call
from floorline.service.http.problems import Problem

MAX_REPLAYED_EVENTS = 50_000
"""Events that are replayed for one explanation."""

SENTENCES = {
    "explore": "{candidate} was played to learn about it: the budget stays at least {budget} "
    "even if it earns no more than its lower bound.",
    "exploit": "{candidate} was played: its lower bound is above the default's upper bound.",
    "budget-low": "{candidate} was proposed, and the default was played: the budget might have "
    "fallen below zero.",
    "default-is-best": "The default itself was proposed, as the best arm so far.",
    "default-unknown": "The default itself was proposed: most of its rewards are not known, so it "
    "may be better than any challenger.",
    "no-rewards": "{candidate} was proposed, and the default was played: no reward of the default "
    "is known yet.",
    "holdback": "A coin gave this decision to the default, to keep watching it.",
    "coin": "{candidate} was proposed, and the floor's coin gave this decision to the default.",
    "paused": "The campaign was paused, so the default was played.",
    "finished": "The campaign is finished, and everybody gets {arm}.",
    "retired": "{candidate} was proposed, and the default was played: {candidate} had been "
    "retired, by a person or by the limit of a guardrail.",
    "drift": "The default seems to have changed, and it is played until a new epoch is started.",
}
"""By reason."""

COIN = "{candidate} was proposed, and the floor's coin gave this decision to it."
"""Where the candidate won the randomised floor's coin. Under other floors the coin is only that of
the holdback, and not why the candidate was played."""


async def explain(call: Call) -> ExplanationAnswer:
    """Return why a decision was made."""
    hosted = await call.host.registry.get(call.path["name"])
    ticket = call.path["ticket"]

    def read(ledger: LedgerReader) -> ExplanationAnswer:
        seq = seq_of(hosted.id, ticket)
        start = next((snapshot for snapshot in ledger.snapshots() if snapshot < seq), 0)
        if ledger.event(seq) is not None and seq - start > MAX_REPLAYED_EVENTS:
            detail = (
                "this decision is too far back to be explained here; "
                "use: floorline ledger show --ticket"
            )
            raise Problem(422, "too-far-back", detail)
        explanation = live.explain(ledger, ticket)
        record = explanation.record
        tossed = hosted.settings.floor == "randomised" and record.coin == "candidate"
        sentence = (COIN if tossed else SENTENCES[record.reason]).format(
            arm=record.arm,
            candidate=record.candidate,
            budget=amount(record.guaranteed_budget, hosted.settings.unit),
        )
        return ExplanationAnswer(
            record,
            sentence,
            explanation.decisions,
            explanation.max_loss,
            explanation.terms,
            explanation.arithmetic,
            explanation.guaranteed_budget,
            explanation.candidate_budget,
        )

    async with call.host.registry.replays:
        return await read_ledger(hosted, read)
