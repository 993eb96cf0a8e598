"""The paper's results as functions, each with its conditions checked.

| result | function |
|---|---|
| Theorems 1 and 2, for given means and for the worst | `problem_regret`, `worst_regret` |
| the bounds on plays in their proofs | `plays_bounds` |
| remark on small max_loss | `floor_penalty`, `penalty_exponent` |
| expected regret and budget | `expected_regret` |
| BudgetFirst: R_worst, warm-up, regret | `optimistic_regret`, `certified_warm_up`, \
`authors_warm_up`, `certain_warm_up`, `budget_first_regret` |
| Theorem 3: t_0 and regret, any envelope | `last_safe_round`, `safe_playing_regret` |
| its corollary, and Exp3-IX's regret | `safe_exp3_ix_regret`, `exp3_ix_regret`, \
`exp3_ix_envelope` |
| prior-weighted Exp3 | `prior_exp3_regret` |
| Theorem 4, the lower bound | `lower_bound`, `lower_bound_means` |
| the Pareto frontier (Lattimore 2015) | `on_frontier` |

Errors in the paper, and proofs of the corrected results used here: docs/errata.md.
"""

from floorline.floors.warm_up import authors_warm_up, certain_warm_up, certified_warm_up
from floorline.proposers import on_frontier
from floorline.theory.adversarial import (
    Envelope,
    PriorRegret,
    exp3_ix_envelope,
    exp3_ix_regret,
    last_safe_round,
    prior_exp3_regret,
    safe_exp3_ix_regret,
    safe_playing_regret,
)
from floorline.theory.budget_first import budget_first_regret, optimistic_regret
from floorline.theory.lower import lower_bound, lower_bound_means
from floorline.theory.regret import (
    expected_regret,
    final_boundary,
    floor_penalty,
    penalty_exponent,
    plays_bounds,
    problem_regret,
    worst_regret,
)

__all__ = [
    "Envelope",
    "PriorRegret",
    "authors_warm_up",
    "budget_first_regret",
    "certain_warm_up",
    "certified_warm_up",
    "exp3_ix_envelope",
    "exp3_ix_regret",
    "expected_regret",
    "final_boundary",
    "floor_penalty",
    "last_safe_round",
    "lower_bound",
    "lower_bound_means",
    "on_frontier",
    "optimistic_regret",
    "penalty_exponent",
    "plays_bounds",
    "prior_exp3_regret",
    "problem_regret",
    "safe_exp3_ix_regret",
    "safe_playing_regret",
    "worst_regret",
]
