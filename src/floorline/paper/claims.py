"""The paper's claims about its experiments, and the numbers that support or contradict them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import NamedTuple

from floorline.paper.authors import ERRORS
from floorline.paper.run import ResultRow
from floorline.paper.sweeps import (
    BEST_LOWER,
    BUDGET_FIRST,
    CONSERVATIVE,
    FIVE,
    LEARNED,
    MAX_LOSS,
    MOSS,
    RUNS,
    UCB,
)


class Claim(NamedTuple):
    """A claim, the test that decides it, and the result."""

    text: str
    test: str
    """The condition under which the claim holds."""
    holds: bool
    evidence: str
    enough_runs: bool = True
    """Whether there are enough runs to conclude that it does not hold."""

    @property
    def verdict(self) -> str:
        """The verdict: `borne out`, `not borne out` or `too few runs to tell`."""
        if self.holds:
            return "borne out"
        return "not borne out" if self.enough_runs else "too few runs to tell"


class Numbers:
    """The rows of the experiments, by sweep and policy."""

    def __init__(self, rows: Sequence[ResultRow]) -> None:
        self.rows = rows

    def curve(self, sweep: str, policy: str) -> list[ResultRow]:
        """Return the points of one policy in one sweep."""
        return [row for row in self.rows if row.sweep == sweep and row.policy == policy]

    def at(self, sweep: str, policy: str, value: float) -> ResultRow:
        """Return the point of a policy at a loss (sweep alpha) or a horizon (sweep horizon)."""
        for row in self.curve(sweep, policy):
            if value == (row.max_loss if sweep == "alpha" else row.horizon):
                return row
        raise KeyError(sweep, policy, value)


def claims(rows: Sequence[ResultRow]) -> list[Claim]:
    """Return all claims whose sweeps are among the rows."""
    numbers = Numbers(rows)
    present = {row.sweep for row in rows}
    return [judge(numbers) for judge, sweeps in CLAIMS.items() if sweeps <= present]


def _approaches_ucb(numbers: Numbers) -> Claim:
    ours, ucb = numbers.curve("horizon", CONSERVATIVE), numbers.curve("horizon", UCB)
    excess = [(a.mean - b.mean) / a.horizon for a, b in zip(ours, ucb, strict=True)]
    worst = excess.index(max(excess))
    last, base = ours[-1], ucb[-1]
    return Claim(
        "Conservative UCB is eventually nearly as good as UCB, despite the constraint.",
        "at the longest horizon, its average regret exceeds UCB's by less than a quarter of the "
        "largest excess at any horizon",
        excess[-1] < max(excess) / 4,
        f"The excess per round is {max(excess):.4f} at n = {ours[worst].horizon:,} and "
        f"{excess[-1]:.4f} at n = {last.horizon:,}. In total the regret there is "
        f"{last.mean / base.mean:.1f} times UCB's: {_pm(last)} and {_pm(base)}.",
    )


def _harsher_is_worse(numbers: Numbers) -> Claim:
    rows, ucb = numbers.curve("alpha", CONSERVATIVE), numbers.curve("alpha", UCB)[-1]
    top = max(rows, key=lambda row: row.mean)
    after = rows[rows.index(top) :]
    rises = [b for a, b in pairwise(after) if b.mean - a.mean > ERRORS * _error(a, b)]
    shown = [top, *(row for row in after if row.max_loss in (0.1, 0.3, 1.0) and row != top)]
    return Claim(
        "Average regret degrades relative to UCB as the constraint becomes harsher.",
        f"regret is highest at an alpha of at most {MAX_LOSS:g}, and from there on nowhere rises "
        f"with alpha by more than {ERRORS} standard errors",
        top.max_loss <= MAX_LOSS and not rises,
        "Regret is "
        + ", ".join(f"{row.mean / ucb.mean:.2f} times UCB's at {row.max_loss:g}" for row in shown)
        + f". Playing the default arm alone costs {rows[0].mean:,.1f}; Conservative UCB costs at "
        f"most {_pm(top)}, at alpha = {top.max_loss:g}: a very small budget is spent on exploring "
        "without ever learning enough.",
    )


def _learning_costs_little(numbers: Numbers) -> Claim:
    pairs = [
        pair
        for sweep in ("alpha", "horizon")
        for pair in zip(
            numbers.curve(sweep, CONSERVATIVE), numbers.curve(sweep, LEARNED), strict=True
        )
    ]
    known, learned = max(pairs, key=lambda pair: pair[1].mean / pair[0].mean)
    common = [b.mean / a.mean for a, b in pairs if a.max_loss == MAX_LOSS]
    return Claim(
        "Having to learn the default mean makes a relatively small difference.",
        "regret is nowhere more than 1.5 times that with the mean known",
        learned.mean / known.mean < 1.5,
        f"At most {learned.mean / known.mean:.2f} times, at alpha = {known.max_loss:g} and "
        f"n = {known.horizon:,} ({_pm(learned)} learned, {_pm(known)} known); at alpha = "
        f"{MAX_LOSS:g} at most {max(common):.2f} times.",
    )


def _knowing_helps(numbers: Numbers) -> Claim:
    known, learned, first = (
        numbers.at("alpha", policy, 1.0) for policy in (CONSERVATIVE, LEARNED, BUDGET_FIRST)
    )
    return Claim(
        "Knowing the default mean helps Conservative UCB and BudgetFirst even at alpha = 1.",
        f"both have less regret there, by more than {ERRORS} standard errors, than Conservative "
        "UCB that learns it",
        all(learned.mean - row.mean > ERRORS * _error(learned, row) for row in (known, first)),
        f"Regret {_pm(known)} and {_pm(first)} (BudgetFirst) known, {_pm(learned)} learned.",
    )


def _budget_first_is_conservative(numbers: Numbers) -> Claim:
    rows = numbers.curve("alpha", BUDGET_FIRST)
    stuck = [row.max_loss for row in rows if math.isclose(row.mean, rows[0].mean)]
    ours = {row.max_loss: row for row in numbers.curve("alpha", CONSERVATIVE)}
    ratios = {row.max_loss: row.mean / ours[row.max_loss].mean for row in rows}
    worst = max(ratios, key=lambda loss: ratios[loss])
    return Claim(
        "BudgetFirst is so conservative that it must first build a significant budget.",
        "for some alpha it has more than twice the regret of Conservative UCB",
        ratios[worst] > 2,
        f"It plays the default arm in every round up to alpha = {max(stuck):g}, and has up to "
        f"{ratios[worst]:.1f} times the regret of Conservative UCB (at alpha = {worst:g}).",
    )


def _moss_breaks_early(numbers: Numbers) -> Claim:
    moss, ucb, ours = (
        numbers.at("alpha", policy, MAX_LOSS) for policy in (MOSS, UCB, CONSERVATIVE)
    )
    return Claim(
        "Unbalanced MOSS has low regret, but does not satisfy the constraint in early rounds.",
        f"at alpha = {MAX_LOSS:g} it has less regret than Conservative UCB, and more than 1 run "
        "in 20 is below the floor within the first tenth of the rounds",
        moss.mean < ours.mean and moss.early_breach_rate > 0.05,
        f"Regret {_pm(moss)} (UCB {_pm(ucb)}, Conservative UCB {_pm(ours)}); "
        f"{moss.breach_rate:.1%} of runs fall below the floor, {moss.early_breach_rate:.1%} within "
        f"the first tenth of the rounds (UCB: {ucb.breach_rate:.1%}).",
    )


def _fallback_helps_little(numbers: Numbers) -> Claim:
    known, lower = (numbers.curve("fallback", policy) for policy in (CONSERVATIVE, BEST_LOWER))
    pairs = list(zip(known, lower, strict=True))
    default, best = max(pairs, key=lambda pair: pair[0].mean / pair[1].mean)
    return Claim(
        "Falling back to the best lower bound, and not the default arm, improves regret by at "
        "most a constant factor.",
        "the factor is below 1.1 at every loss and horizon tried",
        default.mean / best.mean < 1.1,
        f"At most a factor of {default.mean / best.mean:.4f}, at alpha = {default.max_loss:g} and "
        f"n = {default.horizon:,}: regret {_pm(default)} and {_pm(best)}.",
    )


def _bars_too_small(numbers: Numbers) -> Claim:
    shown = [row for row in numbers.rows if row.sweep == "alpha"]
    top = max(row.mean for row in shown)
    worst = max(shown, key=lambda row: row.standard_error)
    half = 1.96 * worst.standard_error / top
    enough = worst.runs >= RUNS
    evidence = (
        f"The widest is {half:.2%} of the height, on either side ({worst.policy}, "
        f"alpha = {worst.max_loss:g}, {worst.runs:,} runs)."
    )
    if not enough:
        expected = half * math.sqrt(worst.runs / RUNS)
        evidence += f" With the {RUNS:,} runs of the full form it would be about {expected:.2%}."
    return Claim(
        "Error bars are too small to see.",
        "in the figure over alpha, every 95% band is narrower than the paper's lines: they are 2 "
        "points thick on an axis of about 69, so 1.4% of the height on either side; with fewer "
        f"than {RUNS:,} runs a wider one proves nothing",
        half < 1 / 69,
        evidence,
        enough,
    )


def _floor_holds(numbers: Numbers) -> Claim:
    safe = [row for row in numbers.rows if row.sweep == "alpha" and row.policy in FIVE[1:3]]
    runs = sum(row.runs for row in safe)
    broken = sum(row.runs * row.breach_rate for row in safe)
    return Claim(
        "Conservative UCB maintains the constraint at all times, with high probability.",
        "at most a share delta of its runs is ever below the floor",
        broken / runs <= safe[0].delta,
        f"{broken:.0f} of {runs:,} runs, known or learned, over all alpha; "
        f"delta is {safe[0].delta:g}.",
    )


CLAIMS: dict[Callable[[Numbers], Claim], set[str]] = {
    _approaches_ucb: {"horizon"},
    _harsher_is_worse: {"alpha"},
    _learning_costs_little: {"alpha"},
    _knowing_helps: {"alpha"},
    _budget_first_is_conservative: {"alpha"},
    _moss_breaks_early: {"alpha"},
    _fallback_helps_little: {"fallback"},
    _bars_too_small: {"alpha"},
    _floor_holds: {"alpha"},
}
"""Each claim, and the sweeps that it needs."""


def _error(a: ResultRow, b: ResultRow) -> float:
    return math.hypot(a.standard_error, b.standard_error)


def _pm(row: ResultRow) -> str:
    return f"{row.mean:,.1f} ± {row.standard_error:.1f}"
