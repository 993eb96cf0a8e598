"""Environments, which draw or set the arms' rewards."""

from floorline.environments.adversaries import Adaptive, Late, Lure, Switching
from floorline.environments.base import Environment
from floorline.environments.bernoulli import Bernoulli
from floorline.environments.changing import Changing
from floorline.environments.delayed import ByReward, Delayed
from floorline.environments.gaussian import Gaussian
from floorline.environments.linear import Linear
from floorline.environments.scripted import Scripted
from floorline.environments.seasonal import Seasonal
from floorline.environments.segments import Segments
from floorline.environments.tabulated import Tabulated
from floorline.environments.turncoat import Turncoat

__all__ = [
    "Adaptive",
    "Bernoulli",
    "ByReward",
    "Changing",
    "Delayed",
    "Environment",
    "Gaussian",
    "Late",
    "Linear",
    "Lure",
    "Scripted",
    "Seasonal",
    "Segments",
    "Switching",
    "Tabulated",
    "Turncoat",
]
