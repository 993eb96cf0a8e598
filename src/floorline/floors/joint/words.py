"""The joint floor's arithmetic in words."""

from __future__ import annotations

from floorline.core.kernel import bind
from floorline.core.words import counted, six_digits
from floorline.floors.arithmetic import Moment
from floorline.floors.joint.account import found_evidence, least_budget
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import JointRules, Tally
from floorline.floors.joint.known import known_budget
from floorline.floors.joint.late import ALL, CUT, DECISIONS, END, START, best_tally, tally_at
from floorline.floors.joint.memory import SURE, VOIDED
from floorline.floors.joint.succession_account import (
    ARM,
    ENDED,
    FORMER,
    LED,
    PLAYS,
    ROUNDS,
    TALLY,
    TENURE,
    TENURES,
    least_by_groups,
)
from floorline.floors.joint.sums import on_their_way


def explain_learned(moment: Moment) -> list[str]:
    """Return the lines for a default mean that is learned."""
    rules: JointRules = moment.rules
    memory, plays = moment.memory, moment.plays[0]
    budget = bind(least_budget, moment.kernels)(rules, memory, moment.rounds, plays)
    evidence = bind(found_evidence, moment.kernels)(
        rules, memory, rules.max_loss, moment.rounds, plays
    )
    ahead = default_deficit(rules.max_loss, moment.rounds, plays) < 0
    return [
        f"The least budget{moment.after_it} that all rewards together do not refute:",
        _default_sum(moment, moment.names[0], best_tally(memory), ahead),
        *_challenger_sums(moment),
        _owed(moment, moment.names[0], moment.rounds, plays),
        f"log evidence against a budget below zero: {_number(evidence)}, of "
        f"{rules.log_inverse_delta:.6g} needed",
        f"the least budget not refuted: {six_digits(budget)}{moment.unit}",
    ]


def explain_known(moment: Moment) -> list[str]:
    """Return the lines for a default mean that was given."""
    rules: JointRules = moment.rules
    budget = rules.width * known_budget(rules, moment.memory, moment.rounds, moment.plays[0])
    mean = rules.low + rules.width * rules.default_mean
    return [
        f"The budget that is sure{moment.after_it}:",
        *_challenger_sums(moment),
        f"their means surely add up to {_in_units(rules, moment.memory[SURE])} at least",
        f"{_owed(moment, moment.names[0], moment.rounds, moment.plays[0])}, at {mean:.6g} each",
        f"the budget that is sure: {six_digits(budget)}{moment.unit}",
    ]


def explain_defaults(moment: Moment) -> list[str]:
    """Return the lines where there were several defaults."""
    rules: JointRules = moment.rules
    memory, tally = moment.memory, best_tally(moment.memory)
    led = memory[LED] + (moment.arm == 0)
    least = bind(least_by_groups, moment.kernels)
    budget = rules.width * least(rules, memory, rules.max_loss, moment.rounds, led, tally)
    rounds = moment.rounds - memory[START]
    ahead = default_deficit(rules.max_loss, rounds, led) < 0
    sums = [_default_sum(moment, moment.names[0], tally, ahead)]
    owed = [_owed(moment, moment.names[0], rounds, led)]
    for number in reversed(range(int(memory[TENURES]))):
        place = FORMER + TENURE * number
        name, rounds = moment.names[int(memory[place + ARM])], memory[place + ROUNDS]
        former = f"{name}, the default until decision {memory[place + ENDED]:,.0f}"
        ahead = default_deficit(rules.max_loss, rounds, memory[place + PLAYS]) < 0
        sums.append(_default_sum(moment, former, tally_at(memory, place + TALLY), ahead))
        owed.append(_owed(moment, name, rounds, memory[place + PLAYS]))
    return [
        f"The least budget{moment.after_it} that all rewards together do not refute:",
        *sums,
        *_challenger_sums(moment),
        *owed,
        f"the least budget not refuted: {six_digits(budget)}{moment.unit}",
    ]


def _sum(moment: Moment, name: str, plays: float, seen: float, total: float, worst: str) -> str:
    """Return what was earned by some plays, and how much of it is missing."""
    missing = plays - seen
    rest = f", {missing:,.0f} missing and counted at the {worst}" if missing else ""
    return f"{name}: {counted(plays, 'play')}, earned {_in_units(moment.rules, total)}{rest}"


def _default_sum(moment: Moment, name: str, tally: Tally, ahead: bool) -> str:
    worst = "lowest" if ahead else "highest"
    return _sum(moment, name, tally.default_plays, tally.default_seen, tally.default_total, worst)


def _challenger_sums(moment: Moment) -> list[str]:
    """Return what all challengers earned, and what is left out."""
    memory = moment.memory
    tally = best_tally(memory)
    plays, seen, total = tally.challenger_plays, tally.challenger_seen, tally.challenger_total
    lines = [_sum(moment, "challengers together", plays, seen, total, "lowest")]
    if memory[VOIDED]:
        lines.append(f"of these, {counted(memory[VOIDED], 'play')} reached nobody and count as 0")
    others = plays * moment.kernels[on_their_way](moment.arms, plays)
    if tally != tally_at(memory, ALL) and tally == tally_at(memory, CUT):
        made = f"{memory[END]:,.0f} of {memory[DECISIONS]:,.0f}"
        rest = "" if others else ", and count as 0"
        lines.append(f"up to decision {made}: later rewards are not awaited{rest}")
    if others:
        more = f"{counted(others, 'other play')} of {moment.names[1]}"
        lines.append(f"the {more}, on their way or lost, count like these")
    return lines


def _owed(moment: Moment, name: str, rounds: float, plays: float) -> str:
    max_loss = moment.rules.max_loss
    deficit = default_deficit(max_loss, rounds, plays)
    return (
        f"owed: {1 - max_loss:g} x {counted(rounds, 'decision')} - {counted(plays, 'play')} of "
        f"{name} = {six_digits(deficit)} of its plays"
    )


def _in_units(rules: JointRules, total: float) -> str:
    """Return a sum in the user's unit, beyond the lowest reward of each play."""
    beyond = f" above {rules.low:g} each" if rules.low else ""
    return f"{six_digits(rules.width * total)}{beyond}"


def _number(value: float) -> str:
    return {float("inf"): "infinite", float("-inf"): "none"}.get(value, f"{value:.6g}")
