"""All that `import floorline` offers."""

from floorline.core.boundaries import Boundary
from floorline.core.kernel import kernel
from floorline.core.records import Arms
from floorline.environments import (
    Adaptive,
    Bernoulli,
    ByReward,
    Delayed,
    Environment,
    Gaussian,
    Late,
    Lure,
    Scripted,
    Switching,
    Tabulated,
)
from floorline.floors import ConfidenceFloor, Floor, NoFloor, RealisedFloor, WarmUp
from floorline.policies import CATALOGUE, Setting, named
from floorline.policy import Policy
from floorline.proposers import (
    Proposer,
    ab_test,
    beta_thompson,
    classical_ucb,
    exp3_ix,
    gaussian_thompson,
    lil_ucb,
    optimistic,
    prior_exp3,
    unbalanced_moss,
    unbalanced_ucb,
    unknown_chance,
)
from floorline.simulate import Case, Results, Summary, simulate, summarize, sweep
from floorline.verification import Share, Verification, verify

__all__ = [
    "CATALOGUE",
    "Adaptive",
    "Arms",
    "Bernoulli",
    "Boundary",
    "ByReward",
    "Case",
    "ConfidenceFloor",
    "Delayed",
    "Environment",
    "Floor",
    "Gaussian",
    "Late",
    "Lure",
    "NoFloor",
    "Policy",
    "Proposer",
    "RealisedFloor",
    "Results",
    "Scripted",
    "Setting",
    "Share",
    "Summary",
    "Switching",
    "Tabulated",
    "Verification",
    "WarmUp",
    "ab_test",
    "beta_thompson",
    "classical_ucb",
    "exp3_ix",
    "gaussian_thompson",
    "kernel",
    "lil_ucb",
    "named",
    "optimistic",
    "prior_exp3",
    "simulate",
    "summarize",
    "sweep",
    "unbalanced_moss",
    "unbalanced_ucb",
    "unknown_chance",
    "verify",
]
