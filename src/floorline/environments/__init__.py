"""Environments: what the arms pay."""

from floorline.environments.adversaries import Adaptive, Late, Lure, Switching
from floorline.environments.base import Environment
from floorline.environments.bernoulli import Bernoulli
from floorline.environments.delayed import ByReward, Delayed
from floorline.environments.gaussian import Gaussian
from floorline.environments.scripted import Scripted
from floorline.environments.tabulated import Tabulated

__all__ = [
    "Adaptive",
    "Bernoulli",
    "ByReward",
    "Delayed",
    "Environment",
    "Gaussian",
    "Late",
    "Lure",
    "Scripted",
    "Switching",
    "Tabulated",
]
