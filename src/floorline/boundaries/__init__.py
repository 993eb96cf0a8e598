"""Confidence boundaries: intervals that hold for all arms at all times together, up to delta."""

from floorline.boundaries.base import BoundaryKind
from floorline.boundaries.boundary import Boundary
from floorline.boundaries.registry import BOUNDARIES

__all__ = ["BOUNDARIES", "Boundary", "BoundaryKind"]
