"""The randomised floor: a coin that keeps the promise in any world; docs/randomised-floor.md."""

from floorline.floors.randomised.floor import RandomisedFloor

__all__ = ["RandomisedFloor"]
