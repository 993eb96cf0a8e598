"""Names of version 0.1 that still work, with a warning; see docs/releases.md."""

from __future__ import annotations

from typing import Any

from floorline.core.deprecation import renamed_arguments, warn_renamed
from floorline.policies import make_policy
from floorline.policy_setup import PolicySetup


@renamed_arguments(lowest_reward="low", highest_reward="high")
class Setting(PolicySetup):
    """`PolicySetup` with its old name and arguments."""


OLD_NAMES: dict[str, tuple[str, Any]] = {
    "Setting": ("PolicySetup", Setting),
    "named": ("make_policy", make_policy),
}


def find(name: str) -> Any:
    """Return what the old `name` stands for, with a warning, or raise AttributeError."""
    if name not in OLD_NAMES:
        raise AttributeError(f"module 'floorline' has no attribute {name!r}")
    new, value = OLD_NAMES[name]
    warn_renamed(f"floorline.{name}", f"floorline.{new}", stacklevel=5)
    return value
