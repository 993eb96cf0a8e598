"""Off-policy evaluation: what other policies would have earned, from logged decisions."""

from floorline.offpolicy.estimates import Evaluation, Interval, evaluate
from floorline.offpolicy.logged import LoggedData, read_log
from floorline.offpolicy.replay import Replay, replay
from floorline.offpolicy.targets import fixed_target, followed_target, target_of

__all__ = [
    "Evaluation",
    "Interval",
    "LoggedData",
    "Replay",
    "evaluate",
    "fixed_target",
    "followed_target",
    "read_log",
    "replay",
    "target_of",
]
