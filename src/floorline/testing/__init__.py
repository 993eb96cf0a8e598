"""Conformance suites: one for each kind of part, for the package's own and for yours.

Each `check_...` returns None if the part keeps its contract, and raises AssertionError with one
sentence about the first violation.
"""

from floorline.testing.boundaries import check_boundary
from floorline.testing.engines import check_engine
from floorline.testing.environments import check_environment
from floorline.testing.floors import check_floor
from floorline.testing.policies import check_policy
from floorline.testing.proposers import check_proposer

__all__ = [
    "check_boundary",
    "check_engine",
    "check_environment",
    "check_floor",
    "check_policy",
    "check_proposer",
]
