"""Proposers: each names the arm it would like to play, and knows nothing of safety."""

from floorline.proposers.base import Proposer
from floorline.proposers.classical_ucb import classical_ucb
from floorline.proposers.optimistic import optimistic
from floorline.proposers.thompson import beta_thompson, gaussian_thompson
from floorline.proposers.unbalanced_moss import on_frontier, paper_targets, unbalanced_moss

__all__ = [
    "Proposer",
    "beta_thompson",
    "classical_ucb",
    "gaussian_thompson",
    "on_frontier",
    "optimistic",
    "paper_targets",
    "unbalanced_moss",
]
