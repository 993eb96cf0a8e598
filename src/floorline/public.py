"""The public names of `floorline`."""

from typing import Any

from floorline.boundaries import BOUNDARIES, Boundary, BoundaryKind
from floorline.core.kernel import kernel
from floorline.core.records import Arms
from floorline.environments import (
    Adaptive,
    Bernoulli,
    ByReward,
    Changing,
    Delayed,
    Environment,
    Gaussian,
    Late,
    Linear,
    Lure,
    Scripted,
    Seasonal,
    Segments,
    Switching,
    Tabulated,
    Turncoat,
)
from floorline.floors import (
    ConfidenceFloor,
    Floor,
    JointFloor,
    NoFloor,
    RandomisedFloor,
    RealisedFloor,
    WarmUp,
)
from floorline.policies import CATALOGUE, make_policy
from floorline.policy import Policy
from floorline.policy_setup import Entry, PolicySetup
from floorline.proposers import (
    Proposer,
    ab_test,
    anytime_moss,
    bayes_ucb,
    beta_bayes_ucb,
    beta_thompson,
    classical_ucb,
    empirical_ucb,
    exp3_ix,
    gaussian_thompson,
    information_directed,
    kl_ucb,
    lil_ucb,
    lin_ucb,
    optimistic,
    prior_exp3,
    thompson_votes,
    unbalanced_moss,
    unbalanced_ucb,
    unknown_chance,
)
from floorline.simulation import (
    Case,
    Comparison,
    Results,
    Summary,
    compare,
    simulate,
    summarize,
    sweep,
)
from floorline.verification import Share, Verification, verify

__all__ = [
    "BOUNDARIES",
    "CATALOGUE",
    "Adaptive",
    "Arms",
    "Bernoulli",
    "Boundary",
    "BoundaryKind",
    "ByReward",
    "Case",
    "Changing",
    "Comparison",
    "ConfidenceFloor",
    "Delayed",
    "Entry",
    "Environment",
    "Floor",
    "Gaussian",
    "JointFloor",
    "Late",
    "Linear",
    "Lure",
    "NoFloor",
    "Policy",
    "PolicySetup",
    "Proposer",
    "RandomisedFloor",
    "RealisedFloor",
    "Results",
    "Scripted",
    "Seasonal",
    "Segments",
    "Share",
    "Summary",
    "Switching",
    "Tabulated",
    "Turncoat",
    "Verification",
    "WarmUp",
    "ab_test",
    "anytime_moss",
    "bayes_ucb",
    "beta_bayes_ucb",
    "beta_thompson",
    "classical_ucb",
    "compare",
    "empirical_ucb",
    "exp3_ix",
    "gaussian_thompson",
    "information_directed",
    "kernel",
    "kl_ucb",
    "lil_ucb",
    "lin_ucb",
    "make_policy",
    "optimistic",
    "prior_exp3",
    "simulate",
    "summarize",
    "sweep",
    "thompson_votes",
    "unbalanced_moss",
    "unbalanced_ucb",
    "unknown_chance",
    "verify",
]


def __getattr__(name: str) -> Any:
    """Return what a deprecated name stands for, with a warning."""
    from floorline import deprecated

    return deprecated.find(name)
