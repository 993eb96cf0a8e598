"""The account of the randomised floor: what is known of the budget, and the chance it allows.

With rewards scaled to y = (reward - low) / span, the budget over all rounds so far is

    max_loss low rounds + span (max_loss d + g - (1 - max_loss) u)

where d adds up y over the rounds that the default was played, g over those that a candidate was,
and u is the default's unseen sum in the latter. A pending reward adds nothing to d or g, which is
its worst. For u it is at its worst if it turns out to be high where the default won a coin.
"""

from __future__ import annotations

from floorline.core.kernel import kernel
from floorline.core.records import Arms, Floats
from floorline.floors.randomised_bound import (
    RandomisedRules,
    largest_missed,
    penalty,
    rise_per_win,
)

# The first numbers of the memory. All of them start at 0.
ROUNDS = 0
DEFAULT_SUM = 1
CANDIDATE_SUM = 2
RETIRED = 3
"""Lambdas retired so far, from the largest; none ever comes back."""
CURRENT = 4
"""1 while the settled sums are those of the cached bounds, else 0."""
MOVED = 5
"""Rungs whose count of pending wins is not the one of the cached bounds."""
SETTLED = 6
"""From here on: S of each lambda from rewards that are known. The parts below follow it."""


@kernel
def filled_at(rules: RandomisedRules) -> int:
    """Index of the S of each lambda with pending wins filled in, as the cached bounds have it."""
    return SETTLED + len(rules.lambdas)


@kernel
def pending_at(rules: RandomisedRules) -> int:
    """Index of each rung's pending wins: coins that the default won, its reward unknown."""
    return SETTLED + 2 * len(rules.lambdas)


@kernel
def cached_pending_at(rules: RandomisedRules) -> int:
    """Index of each rung's pending wins as the cached bounds have them."""
    return pending_at(rules) + len(rules.ladder)


@kernel
def bounds_at(rules: RandomisedRules) -> int:
    """Index of each rung's cached bound on u; 0 if it is not worked out."""
    return pending_at(rules) + 2 * len(rules.ladder)


@kernel
def wanted_at(rules: RandomisedRules) -> int:
    """Index of what each rung wants to be known of the budget, scaled, its bound included."""
    return pending_at(rules) + 3 * len(rules.ladder)


def memory_size(n_lambdas: int, n_rungs: int) -> int:
    """How many numbers the account of so many lambdas and rungs takes."""
    return SETTLED + 2 * n_lambdas + 4 * n_rungs


@kernel
def rung_of(rules: RandomisedRules, p: float) -> int:
    """The rung with probability p; the next smaller one if p is between two."""
    rung = 0
    while rung < len(rules.ladder) - 1 and rules.ladder[rung] > p:
        rung += 1
    return rung


@kernel
def alive_at(rules: RandomisedRules, memory: Floats, rung: int) -> int:
    """How many lambdas are alive once a coin is tossed at `rung`."""
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
    bounds = bounds_at(rules)
    rungs = len(rules.ladder)
    alive = len(rules.lambdas) - int(memory[RETIRED])
    for j in range(alive):
        memory[filled + j] = memory[SETTLED + j]
    wins = 0.0
    for rung in range(rungs):
        wins += memory[pending + rung]
        memory[cached + rung] = memory[pending + rung]
        memory[bounds + rung] = 0.0
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


@kernel
def missed_at(rules: RandomisedRules, memory: Floats, rung: int) -> float:
    """Upper bound on u with the lambdas that a coin at `rung` leaves alive. Call `fill` first."""
    bounds = bounds_at(rules)
    if memory[bounds + rung] == 0.0:
        alive = alive_at(rules, memory, rung)
        before = memory[bounds + rung - 1] if rung > 0 else 0.0
        if before > 0.0 and alive_at(rules, memory, rung - 1) == alive:
            bound = before
        else:
            bound = largest_missed(rules, memory, filled_at(rules), alive)
        rise = 0.0
        if rung > 0 and alive > 0:
            rise = rise_per_win(rules, memory, filled_at(rules), alive, bound, rung)
        memory[bounds + rung] = bound
        keep = 1.0 - rules.max_loss
        cost = max(0.0, keep * rise - rules.max_loss)
        memory[wanted_at(rules) + rung] = keep * bound + rules.patience * cost
    return memory[bounds + rung]  # type: ignore[no-any-return]


@kernel
def known_budget(rules: RandomisedRules, memory: Floats) -> float:
    """The budget, scaled, but for what the default would have earned in candidates' rounds."""
    sure = rules.max_loss * rules.low / rules.span * memory[ROUNDS]
    return sure + rules.max_loss * memory[DEFAULT_SUM] + memory[CANDIDATE_SUM]  # type: ignore[no-any-return]


@kernel
def refresh(rules: RandomisedRules, memory: Floats) -> None:
    """Bring S up to date with pending wins, if anything has changed."""
    if memory[CURRENT] == 0.0 or memory[MOVED] > 0.0:
        fill(rules, memory)


@kernel
def lower_bound(rules: RandomisedRules, memory: Floats, p: float) -> float:
    """Lower bound on the budget that a coin of chance p is held against; p < 1 needs 0 or more."""
    refresh(rules, memory)
    missed = missed_at(rules, memory, rung_of(rules, p))
    return rules.span * (known_budget(rules, memory) - (1.0 - rules.max_loss) * missed)


@kernel
def fallback_probability(
    rules: RandomisedRules, arms: Arms, memory: Floats, round: int, candidate: int
) -> float:
    """The chance of the default: the smallest that the budget affords; 1 if it affords none.

    A rung is afforded if the bound would survive `patience` wins of the default in a row that
    each earn the most; the first rung if the bound is 0 or more, which is all that safety asks.
    """
    if candidate == 0:
        return 1.0
    refresh(rules, memory)
    known = known_budget(rules, memory)
    wanted = wanted_at(rules)
    p = 1.0
    for rung in range(len(rules.ladder)):
        missed_at(rules, memory, rung)
        if not known >= memory[wanted + rung]:
            break
        p = rules.ladder[rung]
    return p


@kernel
def count_pending(rules: RandomisedRules, memory: Floats, rung: int, change: float) -> None:
    """Add to a rung's pending wins, and note whether the cached bounds still have them right."""
    here = pending_at(rules) + rung
    cached = memory[cached_pending_at(rules) + rung]
    if memory[here] == cached:
        memory[MOVED] += 1.0
    memory[here] += change
    if memory[here] == cached:
        memory[MOVED] -= 1.0


@kernel
def charge(
    rules: RandomisedRules, arms: Arms, memory: Floats, candidate: int, arm: int, p: float
) -> None:
    """Count a decision whose coin was tossed with chance p, whichever side won; p = 1: no coin."""
    memory[ROUNDS] += 1.0
    if p >= 1.0:
        return
    rung = rung_of(rules, p)
    alive = alive_at(rules, memory, rung)
    if alive < len(rules.lambdas) - int(memory[RETIRED]):
        memory[RETIRED] = float(len(rules.lambdas) - alive)
        memory[CURRENT] = 0.0
    if arm == 0:
        count_pending(rules, memory, rung, 1.0)


@kernel
def credit(
    rules: RandomisedRules, arms: Arms, memory: Floats, arm: int, reward: float, p: float
) -> None:
    """Count the reward of an earlier decision made with chance p."""
    y = (reward - rules.low) / rules.span
    if arm != 0:
        memory[CANDIDATE_SUM] += y
        return
    memory[DEFAULT_SUM] += y
    if p >= 1.0:
        return
    rung = rung_of(rules, p)
    count_pending(rules, memory, rung, -1.0)
    if y > 0.0:
        memory[CURRENT] = 0.0
        for j in range(len(rules.lambdas) - int(memory[RETIRED])):
            if y == 1.0:
                memory[SETTLED + j] += rules.table[j * len(rules.ladder) + rung]
            else:
                memory[SETTLED + j] += penalty(rules.lambdas[j], p, y)
