"""Logged decisions as Vowpal Wabbit reads them (contextual bandits, `--cb_adf`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from floorline.offpolicy.logged import LoggedData

SPECIAL = re.compile(r"[\s:|]")
"""Characters that are syntax to Vowpal Wabbit, and cannot be part of a feature's name."""


def write_vw(log: LoggedData, out: IO[str]) -> None:
    """Write a block of lines for each decision; the cost is the negative reward.

    Raises:
        ValueError: propensities are missing.
    """
    log.require_propensities()
    names = [f"|Arm {_name(arm)}" for arm in log.arms]
    contexts = log.contexts or [None] * len(log)
    for arm, reward, propensity, context in zip(
        log.arm.tolist(), log.reward.tolist(), log.propensity.tolist(), contexts, strict=True
    ):
        lines = [" ".join(["shared |Context", *features(context or {})])]
        for i, name in enumerate(names):
            lines.append(f"0:{0.0 - reward!r}:{propensity!r} {name}" if i == arm else name)
        out.write("\n".join(lines) + "\n\n")


def features(context: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the features of a context: numbers by value, everything else by presence.

    >>> list(features({"age": 31, "from": "the web", "app": {"beta": True}, "tags": ["a", "b"]}))
    ['age:31', 'from=the_web', 'app.beta', 'tags=a', 'tags=b']
    """
    for key, value in context.items():
        name = prefix + _name(str(key))
        if isinstance(value, dict):
            yield from features(value, f"{name}.")
        elif isinstance(value, list):
            yield from (f"{name}={_name(str(one))}" for one in value)
        elif isinstance(value, bool) or value is None:
            yield from [name] * bool(value)
        elif isinstance(value, (int, float)):
            yield f"{name}:{value!r}"
        else:
            yield f"{name}={_name(str(value))}"


def _name(text: str) -> str:
    return SPECIAL.sub("_", text) or "_"
