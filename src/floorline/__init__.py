"""Floorline: explore with a bandit while reward stays above a floor, at every moment.

An implementation of Conservative Bandits (Wu, Shariff, Lattimore, Szepesvári 2016).
"""

from floorline.core.boundaries import Boundary
from floorline.core.kernel import kernel
from floorline.core.records import Arms
from floorline.environments import Bernoulli, Environment, Gaussian, Tabulated
from floorline.floors import ConfidenceFloor, Floor, NoFloor, WarmUp
from floorline.policies import CATALOGUE, Policy, Setting, named
from floorline.proposers import (
    Proposer,
    beta_thompson,
    classical_ucb,
    gaussian_thompson,
    optimistic,
    unbalanced_moss,
)
from floorline.simulate import Results, Summary, simulate, summarize

__version__ = "0.1.0"

__all__ = [
    "CATALOGUE",
    "Arms",
    "Bernoulli",
    "Boundary",
    "ConfidenceFloor",
    "Environment",
    "Floor",
    "Gaussian",
    "NoFloor",
    "Policy",
    "Proposer",
    "Results",
    "Setting",
    "Summary",
    "Tabulated",
    "WarmUp",
    "beta_thompson",
    "classical_ucb",
    "gaussian_thompson",
    "kernel",
    "named",
    "optimistic",
    "simulate",
    "summarize",
    "unbalanced_moss",
]
