"""Confidence boundaries: intervals of all arms that hold at all times, up to delta."""

from floorline.boundaries.base import BoundaryKind
from floorline.boundaries.boundary import Boundary
from floorline.boundaries.registry import BOUNDARIES

__all__ = ["BOUNDARIES", "Boundary", "BoundaryKind"]
