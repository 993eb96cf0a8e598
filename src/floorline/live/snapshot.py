"""A state as plain values, to open a long campaign quickly; it can be deleted at any time."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

from floorline.core.pending import open_play
from floorline.live.settings import CampaignSettings
from floorline.live.state import State

SCALARS = ("seq", "time", "epoch", "paused", "stopped", "decisions", "late")
BY_ARM = ("length", "closed", "closed_least", "closed_most", "voided")
KNOWN = ("plays", "seen", "total", "average")
BY_PLAY = ("run", "run_least", "run_most")
NO_CUT = {"cut_lower": -math.inf, "cut_upper": math.inf}
"""The ends of an arm without a cut, which JSON cannot hold."""


def to_json(state: State) -> dict[str, Any]:
    """Return everything of a state that cannot be derived, as plain values."""
    return capture(state)()


def capture(state: State) -> Callable[[], dict[str, Any]]:
    """Return a function that returns `to_json` of the state as it is now, in any thread.

    Decisions wait while this runs, and 100,000 may be open. So they are only listed: a play never
    changes.
    """
    tickets, plays = list(state.open), list(state.open.values())
    book = {name: _copied(getattr(state.book, name)) for name in BY_PLAY}
    values = {
        "settings": state.settings.to_json(),
        **{name: getattr(state, name) for name in SCALARS},
        "finished": state.finished,
        "outage": state.outage,
        "serves": state.serves,
        "labels": list(state.labels),
        "archived": state.archived,
        "guardrails": state.guardrails.to_json(),
        "retired": list(state.retired),
        "withdrawn": list(state.withdrawn),
        "numbers": list(state.numbers),
        "on_challengers": state.on_challengers,
        "turned_away": list(state.turned_away),
        "turned_to": list(state.turned_to),
        "as_default": list(state.as_default),
        "equal_split": state.equal_split.to_json(),
        "promoted_at": state.promoted_at,
        "clipped": state.clipped,
        "refused": state.refused,
        "refused_open": sorted(state.refused_open),
        "clock": state.rounds,  # the name in version 1 of the file
        "default_rounds": state.default_rounds,
        "promised_decisions": state.promised_decisions,
        "missed": state.missed,
        "lost": list(state.lost),
        "reasons": dict(state.reasons),
        "drift": state.drift.to_json(),
        "early": None if state.early is None else state.early.to_json(),
        "known": {name: list(getattr(state.arms, name)) for name in KNOWN},
        "book": {name: list(getattr(state.book, name)) for name in BY_ARM},
        "cuts": {
            "next_walk": list(state.book.next_walk),
            **{name: _finite(getattr(state.book, name)) for name in NO_CUT},
        },
        "proposer": list(state.memory.proposer) if state.proposals.learns else [],
        "floor": [state.memory.floor[index] for index in state.floor.account(len(state.numbers))],
        "in_flight": None if state.in_flight is None else state.in_flight.to_json(),
    }

    def finish() -> dict[str, Any]:
        slots = [play.slot for play in plays]
        times, since = [play.time for play in plays], [play.since for play in plays]
        opened = {
            "tickets": tickets,
            "arms": [play.arm for play in plays],
            "times": times,
            "since": [] if since == times else since,
            "blocks": [play.block for play in plays],
            "numbers": [play.number for play in plays],
            "probabilities": [play.probability for play in plays],
            **{name: list(map(numbers.__getitem__, slots)) for name, numbers in book.items()},
        }
        return {**values, "open": opened}

    return finish


def _copied(values: Any) -> Any:
    """Return a quick copy of a list, or of the view that replaces it in machine code."""
    if isinstance(values, list):
        return values.copy()
    return memoryview(bytes(values)).cast(values.format)


def plain(state: State) -> dict[str, Any]:
    """Return `to_json` of a state as it is after being stored and read again."""
    values: dict[str, Any] = json.loads(json.dumps(to_json(state)))
    return values


def from_json(values: dict[str, Any]) -> State:
    """Return the state that `to_json` was given."""
    settings = CampaignSettings.from_ledger(values["settings"])
    state = State(settings, values.get("numbers"))  # not in snapshots of version 0.1
    for name in SCALARS:
        setattr(state, name, values[name])
    stopped_with = state.settings.arms[0] if state.stopped else None
    state.finished = values.get("finished", False)  # not in snapshots of version 0.1
    state.serves = values.get("serves", stopped_with)
    state.labels, state.archived = values.get("labels", []), values.get("archived", False)
    state.withdrawn = values.get("withdrawn", [])
    state.retire(values.get("retired", []))
    if "guardrails" in values:  # not in snapshots of version 0.1
        state.guardrails.restore(values["guardrails"])
    state.outage = values.get("outage", 0.0)
    explored = sum(values["reasons"].get(reason, 0) for reason in ("explore", "exploit"))
    state.on_challengers = values.get("on_challengers", explored)
    state.turned_away[:] = values.get("turned_away", state.turned_away)
    state.turned_to[:] = values.get("turned_to", _by_first(sum(state.turned_away), settings))
    uncounted = values["book"]["voided"][0] if settings.voids else 0
    counted = state.decisions - uncounted
    state.as_default[:] = values.get("as_default", _by_first(counted, settings))
    if "equal_split" in values:  # not in snapshots of version 0.1, whose arms stayed
        state.equal_split.restore(values["equal_split"])
    state.promoted_at = values.get("promoted_at", 0)
    state.clipped, state.refused = values.get("clipped", 0), values.get("refused", 0)
    state.refused_open.update(values.get("refused_open", []))
    state.rounds = values["clock"]
    state.default_rounds = values.get("default_rounds", values["known"]["plays"][0])
    state.promised_decisions = values.get("promised_decisions")
    if state.floor.counts_received:
        state.missed = values["missed"]
    state.lost[:] = values["lost"]
    state.reasons.update(values["reasons"])
    state.drift.restore(values["drift"])
    if state.early is not None:
        state.early.restore(values.get("early", []))  # not in snapshots of version 0.1
    _restore_memory(state, values)
    _restore_open(state, values["open"])
    for name in BY_ARM:
        getattr(state.book, name)[:] = values["book"][name]
    if cuts := values.get("cuts"):  # not in older snapshots, whose intervals have none
        state.book.next_walk[:] = cuts["next_walk"]
        for name, no_cut in NO_CUT.items():
            getattr(state.book, name)[:] = [no_cut if end is None else end for end in cuts[name]]
    return state


def _restore_memory(state: State, values: dict[str, Any]) -> None:
    """Restore what the arms' records, the proposer and the floor know."""
    for name in KNOWN:
        getattr(state.arms, name)[:] = values["known"][name]
    if remembered := values.get("proposer"):  # not in snapshots of version 0.1
        state.memory.proposer[:] = remembered
    account = state.floor.account(len(state.numbers))
    for index, value in zip(account, values.get("floor", []), strict=True):
        state.memory.floor[index] = value
    if state.in_flight is not None:
        state.in_flight.restore(values["in_flight"])


def _restore_open(state: State, opened: dict[str, Any]) -> None:
    """Restore the open decisions."""
    nothing = [0] * len(opened["tickets"])  # in snapshots of version 0.1, which has no use for it
    for opened_play in zip(
        opened["tickets"],
        opened["arms"],
        opened["times"],
        opened.get("since") or opened["times"],
        opened["blocks"],
        opened.get("numbers", nothing),
        opened.get("probabilities", nothing),
        strict=True,
    ):
        open_play(state.book, opened_play[1], state.open.add(*opened_play))
    for name in BY_PLAY:
        numbers = getattr(state.book, name)
        for play, number in zip(state.open.values(), opened[name], strict=True):
            numbers[play.slot] = number


def _finite(ends: Any) -> list[float | None]:
    """Return ends as a list, with None for those that are infinite."""
    return [end if math.isfinite(end) else None for end in ends]


def _by_first(count: int, settings: CampaignSettings) -> list[int]:
    """Return a count by arm that belongs to the first arm alone, as before promotions existed."""
    return [count] + [0] * (len(settings.arms) - 1)
