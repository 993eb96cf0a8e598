"""The account of the randomised floor: the known budget, and the probability that it allows.

With rewards scaled to y = (reward - low) / span, the budget over all rounds so far is

    max_loss low rounds + span (max_loss d + g - (1 - max_loss) u)

where d adds up y over the rounds that the default was played, g over those that a candidate was,
and u is the default's unseen sum in the latter. A pending reward adds nothing to d or g, which is
its worst. For u it is at its worst if it turns out to be high where the default won a coin.
"""

from __future__ import annotations

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.floors.randomised.bound import (
    RandomisedRules,
    largest_missed,
    penalty,
    rise_per_win,
)
from floorline.floors.randomised.memory import (
    BOUND,
    CANDIDATE_SUM,
    CURRENT,
    DEFAULT_SUM,
    MOVED,
    RETIRED,
    ROUNDS,
    RUNG,
    SETTLED,
    SOLVED,
    cached_pending_at,
    filled_at,
    pending_at,
    terms_at,
    wanted_at,
)


@kernel
def rung_of(rules: RandomisedRules, p: float) -> int:
    """Return the rung with probability p; the next smaller one if p is between two."""
    rung = 0
    while rung < len(rules.ladder) - 1 and rules.ladder[rung] > p:
        rung += 1
    return rung


@kernel
def alive_at(rules: RandomisedRules, memory: Floats, rung: int) -> int:
    """Return how many lambdas are alive once a coin is tossed at `rung`."""
    alive = len(rules.lambdas) - int(memory[RETIRED])
    return min(alive, int(rules.usable[rung]))


@kernel
def fill(rules: RandomisedRules, memory: Floats) -> None:
    """Add the worst of the pending wins to S and drop the cached bounds.

    A penalty is convex in y and falls with p. So the worst that a limited sum can do, for
    every lambda at once, is to be whole rewards at the smallest probabilities.
    """
    filled = filled_at(rules)
    pending = pending_at(rules)
    cached = cached_pending_at(rules)
    wanted = wanted_at(rules)
    rungs = len(rules.ladder)
    alive = len(rules.lambdas) - int(memory[RETIRED])
    for j in range(alive):
        memory[filled + j] = memory[SETTLED + j]
    wins = 0.0
    for rung in range(rungs):
        wins += memory[pending + rung]
        memory[cached + rung] = memory[pending + rung]
        memory[wanted + rung] = 0.0
    left = min(wins, rules.in_flight_rate * wins + rules.in_flight_burst)
    rung = rungs - 1
    while left > 0.0:
        worst = min(left, memory[pending + rung])
        if worst > 0.0:
            for j in range(alive):
                memory[filled + j] += worst * rules.table[j * rungs + rung]
        left -= worst
        rung -= 1
    memory[CURRENT] = 1.0
    memory[MOVED] = 0.0
    memory[SOLVED] = 0.0


@kernel
def missed_with(rules: RandomisedRules, memory: Floats, alive: int) -> float:
    """Return an upper bound on u with the first `alive` lambdas. Call `refresh` first."""
    if memory[SOLVED] != alive + 1:
        memory[BOUND] = largest_missed(rules, memory, filled_at(rules), terms_at(rules), alive)
        memory[SOLVED] = alive + 1.0
    return memory[BOUND]  # type: ignore[no-any-return]


@kernel
def wanted_for(rules: RandomisedRules, memory: Floats, rung: int) -> float:
    """Return the known budget, scaled, that a coin at `rung` needs. Call `refresh` first.

    Safety needs what u may be. Except at the first rung, the bound must also survive `patience`
    wins of the default in a row that each earn the most.
    """
    here = wanted_at(rules) + rung
    if memory[here] == 0.0:
        alive = alive_at(rules, memory, rung)
        keep = 1.0 - rules.max_loss
        memory[here] = keep * missed_with(rules, memory, alive)
        if rung > 0 and alive > 0:
            rise = rise_per_win(rules, memory, terms_at(rules), alive, rung)
            memory[here] += rules.patience * max(0.0, keep * rise - rules.max_loss)
    return memory[here]  # type: ignore[no-any-return]


@kernel
def known_budget(rules: RandomisedRules, memory: Floats) -> float:
    """Return the budget, scaled, without what the default would have in candidates' rounds."""
    sure = rules.max_loss * rules.low / rules.span * memory[ROUNDS]
    return sure + rules.max_loss * memory[DEFAULT_SUM] + memory[CANDIDATE_SUM]  # type: ignore[no-any-return]


@kernel
def refresh(rules: RandomisedRules, memory: Floats) -> None:
    """Bring S up to date with pending wins, if anything has changed."""
    if memory[CURRENT] == 0.0 or memory[MOVED] > 0.0:
        fill(rules, memory)


@kernel
def lower_bound(rules: RandomisedRules, memory: Floats, p: float) -> float:
    """Return a lower bound on the budget for a coin of probability p; p < 1 needs 0 or more."""
    refresh(rules, memory)
    missed = missed_with(rules, memory, alive_at(rules, memory, rung_of(rules, p)))
    return rules.span * (known_budget(rules, memory) - (1.0 - rules.max_loss) * missed)


@kernel
def fallback_probability(
    rules: RandomisedRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """Return the smallest probability of the default that the budget allows; 1 if none.

    0, without a coin, if the default is the candidate. The search starts at the rung of the last
    coin: one step is nearly always enough.
    """
    if candidate == 0:
        return 0.0
    known = known_budget(rules, memory)
    if not known >= 0.0:  # NaN: nothing is known
        return 1.0
    refresh(rules, memory)
    rung = int(memory[RUNG])
    if known >= wanted_for(rules, memory, rung):
        last = len(rules.ladder) - 1
        while rung < last and known >= wanted_for(rules, memory, rung + 1):
            rung += 1
        return rules.ladder[rung]  # type: ignore[no-any-return]
    while rung > 0:
        rung -= 1
        if known >= wanted_for(rules, memory, rung):
            return rules.ladder[rung]  # type: ignore[no-any-return]
    return 1.0


@kernel
def missed_now(rules: RandomisedRules, memory: Floats) -> float:
    """Return an upper bound on u with all lambdas that are alive."""
    refresh(rules, memory)
    return missed_with(rules, memory, alive_at(rules, memory, 0))


@kernel
def count_pending(rules: RandomisedRules, memory: Floats, rung: int, change: float) -> None:
    """Add to a rung's pending wins, and note whether the cached bounds still match them."""
    here = pending_at(rules) + rung
    cached = memory[cached_pending_at(rules) + rung]
    if memory[here] == cached:
        memory[MOVED] += 1.0
    memory[here] += change
    if memory[here] == cached:
        memory[MOVED] -= 1.0


@kernel
def charge(
    rules: RandomisedRules, arms: Arms, memory: Floats, arm: int, probability: float
) -> None:
    """Count a decision and its coin, whichever side won; at 0 or 1 there was none."""
    memory[ROUNDS] += 1.0
    if probability <= 0.0 or probability >= 1.0:
        return
    rung = rung_of(rules, probability)
    memory[RUNG] = float(rung)
    alive = alive_at(rules, memory, rung)
    if alive < len(rules.lambdas) - int(memory[RETIRED]):
        memory[RETIRED] = float(len(rules.lambdas) - alive)
        memory[CURRENT] = 0.0
    if arm == 0:
        count_pending(rules, memory, rung, 1.0)


@kernel
def credit(
    rules: RandomisedRules,
    arms: Arms,
    memory: Floats,
    arm: int,
    probability: float,
    reward: float,
    lower_before: float,
) -> None:
    """Count the reward of an earlier decision."""
    y = (reward - rules.low) / rules.span
    if arm != 0:
        memory[CANDIDATE_SUM] += y
        return
    memory[DEFAULT_SUM] += y
    if probability <= 0.0 or probability >= 1.0:
        return
    rung = rung_of(rules, probability)
    count_pending(rules, memory, rung, -1.0)
    if y > 0.0:
        memory[CURRENT] = 0.0
        for j in range(len(rules.lambdas) - int(memory[RETIRED])):
            if y == 1.0:
                memory[SETTLED + j] += rules.table[j * len(rules.ladder) + rung]
            else:
                memory[SETTLED + j] += penalty(rules.lambdas[j], probability, y)
