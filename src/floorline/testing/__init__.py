"""Suites that every policy must pass; for users' own policies too."""

from floorline.testing.policies import check_policy

__all__ = ["check_policy"]
