"""Environments: what the arms pay."""

from floorline.environments.base import Environment
from floorline.environments.bernoulli import Bernoulli
from floorline.environments.gaussian import Gaussian
from floorline.environments.tabulated import Tabulated

__all__ = ["Bernoulli", "Environment", "Gaussian", "Tabulated"]
