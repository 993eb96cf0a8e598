"""Suites that every policy must pass; for users' own policies too."""

from floorline.testing.policies import check_policy, step_through

__all__ = ["check_policy", "step_through"]
