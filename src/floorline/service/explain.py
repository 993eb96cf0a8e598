"""Why a decision was made as it was: in words, and by the arithmetic of its budget."""

from __future__ import annotations

from floorline.live import explain as live
from floorline.live.ledgers import LedgerReader
from floorline.live.tickets import seq_of
from floorline.service.answers import Explanation
from floorline.service.calls import Call
from floorline.service.history import answer_of, reading
from floorline.service.problems import Problem

MOST_EVENTS = 50_000
"""How many events are replayed for an explanation."""

WORDS = {
    "explore": "{candidate} was played to learn about it: the budget stays at least {budget:.4g} "
    "even if it earns as little as its interval allows.",
    "exploit": "{candidate} was played: its lower bound is above the default's upper bound.",
    "budget-low": "{candidate} was proposed, and the default was played: the budget would not "
    "have been sure to stay above zero.",
    "default-is-best": "The default itself was proposed.",
    "no-rewards": "{candidate} was proposed, and the default was played: no reward of the default "
    "is known yet.",
    "holdback": "A coin gave this decision to the default, to keep watching it.",
    "paused": "The campaign was paused, and the default is played then.",
    "drift": "The default seems to have changed, and it is played until a new epoch is started.",
}


async def explain(call: Call) -> Explanation:
    """Why a decision was made."""
    entry = call.service.registry.get(call.path["name"])
    ticket = call.path["ticket"]

    def read(ledger: LedgerReader) -> Explanation:
        seq = seq_of(entry.id, ticket)
        start = next((kept for kept in ledger.snapshots() if kept < seq), 0)
        if ledger.event(seq) is not None and seq - start > MOST_EVENTS:
            raise Problem(422, "too-far-back", "this decision lies too far back to be explained "
                          "here; use: floorline ledger show --ticket")  # fmt: skip
        found = live.explain(ledger, ticket)
        made = found.record
        words = WORDS[made.reason].format(candidate=made.candidate, budget=made.guaranteed_budget)
        return Explanation(
            answer_of(made), words, found.decisions, found.max_loss, found.terms,
            found.guaranteed_budget, found.candidate_budget,
        )  # fmt: skip

    async with call.service.registry.replays:
        return await reading(entry, read)
