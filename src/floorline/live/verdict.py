"""Whether the floor of a campaign holds, in a sentence."""

from __future__ import annotations

from floorline.live.amounts import exact_percent, sure_percent
from floorline.live.state import State


def state_word(state: State) -> str:
    """Return the state of a campaign in a word."""
    if state.stopped:
        return "stopped"
    if state.finished:
        return "finished"
    if state.paused:
        return "paused"
    return "drift" if state.drift_alarm else "running"


def in_flight_alarm(state: State) -> str | None:
    """Return how an assumption about pending rewards turned out false; None if it has not."""
    check = state.in_flight
    if check is None or check.failures == 0:
        return None
    settings = state.settings
    return (
        f"in_flight_rate={settings.in_flight_rate:g} and in_flight_burst="
        f"{settings.in_flight_burst:g} have not held at {check.failures:,} of the first "
        f"{check.checked:,} decisions"
    )


def verdict_of(state: State, share: float, holds: bool) -> str:
    """Return whether the floor holds, with the guaranteed share of the default's reward."""
    settings = state.settings
    promised = 1 - settings.max_loss
    default = "the default" if state.promoted_at == 0 else "the default of the time"
    promise = f"promised {exact_percent(promised)}, confidence {exact_percent(1 - settings.delta)}"
    sure = sure_percent(share)
    false_statement = in_flight_alarm(state)
    if false_statement is not None:
        return f"Nothing is promised of this epoch: {false_statement}. Start a new one"
    if state.drift_alarm:
        return f"Exploration is off: the default seems to have changed ({state.drift_alarm})"
    if holds:
        return f"The floor holds: at least {sure} of {default}, {promise}"
    if state.finished:
        return (
            "The floor held until it was finished. Since then nothing is promised, and only "
            f"{sure} of {default} is sure ({promise} until then)"
        )
    why = "" if state.stopped else ", so it is played until that is made up"
    return (
        f"The floor held at every decision. Rewards since then make only {sure} of {default} "
        f"sure ({promise}){why}"
    )
