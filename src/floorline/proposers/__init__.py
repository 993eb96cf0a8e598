"""Proposers: each names the arm it would like to play, and knows nothing of safety."""

from floorline.proposers.ab_tests import ab_test
from floorline.proposers.anytime_moss import anytime_moss
from floorline.proposers.base import Proposer, unknown_chance
from floorline.proposers.bayes_ucb import bayes_ucb, beta_bayes_ucb
from floorline.proposers.classical_ucb import classical_ucb
from floorline.proposers.empirical_ucb import empirical_ucb
from floorline.proposers.exponential import exp3_ix, prior_exp3, prior_target
from floorline.proposers.information import information_directed
from floorline.proposers.kl_ucb import kl_ucb
from floorline.proposers.lil_ucb import lil_ucb
from floorline.proposers.lin_ucb import lin_ucb
from floorline.proposers.optimistic import optimistic
from floorline.proposers.thompson import beta_thompson, gaussian_thompson
from floorline.proposers.unbalanced_moss import on_frontier, paper_targets, unbalanced_moss
from floorline.proposers.unbalanced_ucb import unbalanced_ucb
from floorline.proposers.votes import thompson_votes

__all__ = [
    "Proposer",
    "ab_test",
    "anytime_moss",
    "bayes_ucb",
    "beta_bayes_ucb",
    "beta_thompson",
    "classical_ucb",
    "empirical_ucb",
    "exp3_ix",
    "gaussian_thompson",
    "information_directed",
    "kl_ucb",
    "lil_ucb",
    "lin_ucb",
    "on_frontier",
    "optimistic",
    "paper_targets",
    "prior_exp3",
    "prior_target",
    "thompson_votes",
    "unbalanced_moss",
    "unbalanced_ucb",
    "unknown_chance",
]
