"""The joint floor: a test of the budget itself, from the sums of all rewards.

`floor.py` is the floor, and `succession.py` the one whose default may change. The proofs are in
docs/joint-floor.md.
"""

from floorline.floors.joint.floor import JointFloor
from floorline.floors.joint.succession import JointSuccessionFloor

__all__ = ["JointFloor", "JointSuccessionFloor"]
