"""Why a decision was made as it was: what was known just before it, by a replay."""

from __future__ import annotations

from floorline.live import Settings
from floorline.live.events import Event
from floorline.live.history import record
from floorline.live.ledger import Ledger
from floorline.live.replay import state_before
from floorline.live.state import State
from floorline.live.tickets import ticket_number
from floorline.service.calls import Call
from floorline.service.history import answer_of, reading
from floorline.service.messages import ArmThen, Check, Explanation
from floorline.service.problems import Problem

MOST_EVENTS = 100_000
"""How many events are replayed for an explanation."""

WORDS = {
    "explore": "{candidate} was played to learn about it. The budget stays at least "
    "{budget:.4g} even if it earns as little as its interval allows.",
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
    settings = entry.settings

    def read(ledger: Ledger) -> Explanation:
        seq = ticket_number(entry.id, ticket)
        made = ledger.event(seq)
        if made is None or made.kind != "decided":
            raise Problem(404, "unknown-ticket", f"ticket {ticket}: there is no such decision")
        return explanation(ledger, entry.id, made, settings)

    return await reading(entry, read)


def explanation(ledger: Ledger, campaign: str, made: Event, settings: Settings) -> Explanation:
    """The decision, its reason in words, and what was known."""
    body = made.body
    words = WORDS[body["reason"]].format(
        candidate=body["candidate"], budget=body["guaranteed_budget"]
    )
    answer = Explanation(
        answer_of(record(campaign, made, ledger.about(made.seq))), words, None, None,
        1 - settings.max_loss, None,
    )  # fmt: skip
    state = state_before(ledger, made.seq, MOST_EVENTS)
    if state is not None:
        state.refresh()
        arms = state.arms
        answer.round, answer.epoch = state.decisions + 1, state.epoch
        answer.arms = [
            ArmThen(
                name,
                int(arms.plays[arm]),
                int(arms.seen[arm]),
                float(arms.lower[arm]),
                float(arms.upper[arm]),
            )
            for arm, name in enumerate(settings.arms)
        ]
        if body["candidate"] is not None and body["reason"] not in ("paused", "drift"):
            answer.check = _check(state, state.index[body["candidate"]])
    return answer


def _check(state: State, candidate: int) -> Check:
    """What the floor asks about a candidate."""
    arms, round = state.arms, state.clock + 1
    default_plays = int(arms.plays[0]) + (candidate == 0)
    earned = float(arms.earned[0]) + (float(arms.lower[candidate]) if candidate else 0.0)
    ahead = default_plays - (1 - state.settings.max_loss) * round
    worse = arms.upper[0] if ahead < 0 else arms.lower[0]
    budget = state.budget_after(candidate)
    return Check(round, default_plays, ahead, earned, float(worse), budget)
