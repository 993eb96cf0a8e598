"""Confidence boundaries: all arms' intervals hold at all times, except with probability delta."""

from floorline.boundaries.base import BoundaryKind
from floorline.boundaries.boundary import Boundary
from floorline.boundaries.registry import BOUNDARIES

__all__ = ["BOUNDARIES", "Boundary", "BoundaryKind"]
