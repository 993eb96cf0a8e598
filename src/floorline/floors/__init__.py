"""Floors: each says what budget stays guaranteed if an arm is played now."""

from floorline.floors.base import Floor
from floorline.floors.confidence import ConfidenceFloor
from floorline.floors.joint import JointFloor, JointSuccessionFloor
from floorline.floors.none import NoFloor
from floorline.floors.randomised import RandomisedFloor
from floorline.floors.realised import RealisedFloor
from floorline.floors.succession import SuccessionFloor
from floorline.floors.warm_up import WarmUp

__all__ = [
    "ConfidenceFloor",
    "Floor",
    "JointFloor",
    "JointSuccessionFloor",
    "NoFloor",
    "RandomisedFloor",
    "RealisedFloor",
    "SuccessionFloor",
    "WarmUp",
]
