"""The joint floor's arithmetic in words."""

from __future__ import annotations

from floorline.core.kernel import bind
from floorline.core.words import counted
from floorline.floors.arithmetic import Moment
from floorline.floors.joint_account import found_evidence, known_budget, least_budget
from floorline.floors.joint_evidence import default_deficit
from floorline.floors.joint_forms import JointRules
from floorline.floors.joint_late import ALL, CUT, DECISIONS, END, best_tally, tally_at
from floorline.floors.joint_memory import SURE, VOIDED


def explain_learned(moment: Moment) -> list[str]:
    """Return the lines for a default mean that is learned."""
    rules: JointRules = moment.rules
    memory, plays = moment.memory, moment.plays[0]
    budget = bind(least_budget, moment.kernels)(rules, memory, moment.rounds, plays)
    evidence = bind(found_evidence, moment.kernels)(
        rules, memory, rules.max_loss, moment.rounds, plays
    )
    return [
        "The least budget after it that all rewards together do not refute:",
        *_sums(moment),
        _owed(moment),
        f"log evidence against a budget below zero: {_number(evidence)}, of "
        f"{rules.log_inverse_delta:.6g} needed",
        f"the least budget not refuted: {budget:,.6g}{moment.unit}",
    ]


def explain_known(moment: Moment) -> list[str]:
    """Return the lines for a default mean that was given."""
    rules: JointRules = moment.rules
    budget = rules.width * known_budget(rules, moment.memory, moment.rounds, moment.plays[0])
    mean = rules.low + rules.width * rules.default_mean
    return [
        "The budget that is sure after it:",
        *_sums(moment)[1:],
        f"their means surely add up to {_moved(rules, moment.memory[SURE])} at least",
        f"{_owed(moment)}, at {mean:.6g} each",
        f"the budget that is sure: {budget:,.6g}{moment.unit}",
    ]


def _sums(moment: Moment) -> list[str]:
    """Return what was earned, by the default and by all challengers, and what is left out."""
    rules: JointRules = moment.rules
    memory = moment.memory
    tally = best_tally(memory)
    lines = []
    parts = (
        (moment.names[0], tally.default_plays, tally.default_seen, tally.default_total, "highest"),
        (
            "challengers together",
            tally.challenger_plays,
            tally.challenger_seen,
            tally.challenger_total,
            "lowest",
        ),
    )
    for name, plays, seen, total, worst in parts:
        missing = plays - seen
        rest = f", {missing:,.0f} missing and counted at the {worst}" if missing else ""
        lines.append(f"{name}: {counted(plays, 'play')}, earned {_moved(rules, total)}{rest}")
    if memory[VOIDED]:
        lines.append(f"of these, {counted(memory[VOIDED], 'play')} reached nobody and count as 0")
    if tally != tally_at(memory, ALL) and tally == tally_at(memory, CUT):
        made = f"{memory[END]:,.0f} of {memory[DECISIONS]:,.0f}"
        lines.append(f"up to decision {made}: later rewards are not awaited, and count as 0")
    return lines


def _owed(moment: Moment) -> str:
    rules: JointRules = moment.rules
    deficit = default_deficit(rules.max_loss, moment.rounds, moment.plays[0])
    made = counted(moment.rounds, "decision")
    return (
        f"owed: {1 - rules.max_loss:g} x {made} - {counted(moment.plays[0], 'play')} of "
        f"{moment.names[0]} = {deficit:,.6g} of its plays"
    )


def _moved(rules: JointRules, total: float) -> str:
    """Return a sum in the user's unit, beyond the lowest reward of each play."""
    beyond = f" above {rules.low:g} each" if rules.low else ""
    return f"{rules.width * total:,.6g}{beyond}"


def _number(value: float) -> str:
    return {float("inf"): "no end of it", float("-inf"): "none"}.get(value, f"{value:.6g}")
