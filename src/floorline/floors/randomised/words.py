"""The randomised floor's arithmetic in words."""

from __future__ import annotations

from floorline.core.words import counted
from floorline.floors.arithmetic import Moment
from floorline.floors.randomised.account import lower_bound, missed_now
from floorline.floors.randomised.bound import RandomisedRules
from floorline.floors.randomised.memory import CANDIDATE_SUM, DEFAULT_SUM, ROUNDS


def explain_coin(moment: Moment) -> list[str]:
    """Return the lines for a decision: the sums before it, the bound on them, and its coin.

    For the present, without a coin.
    """
    rules: RandomisedRules = moment.rules
    memory, default = moment.memory, moment.names[0]
    rounds = memory[ROUNDS]
    low, unit = rules.low * rounds, moment.unit
    missed = rules.span * missed_now(rules, memory)
    before = "" if moment.arm is None else " before it"
    lines = [
        f"What is sure of the rewards{before}, pending ones at their worst:",
        f"{counted(rounds, 'decision')}"
        + (f", each worth at least {rules.low:g}{unit}" if rules.low else ""),
        f"{default} was played and earned {rules.span * memory[DEFAULT_SUM]:,.6g}{unit}",
        f"candidates were played and earned {rules.span * memory[CANDIDATE_SUM]:,.6g}{unit}",
        f"{default} would have earned at most {missed:,.6g}{unit} in their place",
        f"budget: {rules.max_loss:g} of the first, and the second, less {1 - rules.max_loss:g} of "
        f"the third"
        + (f", and {rules.max_loss:g} of {low:,.6g}{unit}" if low else "")
        + f" = {lower_bound(rules, memory, rules.ladder[0]):,.6g}{unit}",
    ]
    if moment.arm is None:
        return lines
    p = moment.fallback_probability
    if 0.0 < p < 1.0:
        lines.append(
            f"so a coin was tossed: {default} with probability {p:g}, the candidate with "
            f"{1 - p:g}; {moment.names[moment.arm]} won"
        )
    elif moment.arm > 0:
        lines.append("no coin was tossed: the campaign was finished with it")
    elif p >= 1.0:
        lines.append("so no coin could be tossed, and the default was played")
    else:
        lines.append("no coin was needed: it was proposed, and is the default")
    return lines
