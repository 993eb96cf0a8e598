"""One sentence for whoever has to decide: who leads, by how much, and what happens next."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from floorline.live.amounts import amount

if TYPE_CHECKING:
    from floorline.live.same_rounds import SameRounds
    from floorline.live.status import ArmStatus

SAME = "the same"


def headline_of(
    state: str,
    serves: str | None,
    arms: Sequence[ArmStatus],
    unit: str | None = None,
    same_rounds: SameRounds | None = None,
) -> str:
    """Return the sentence for a campaign in this state.

    Shares compare two means, each somewhere in its interval; these hold at all times
    simultaneously. If `same_rounds` are compared, it says what was received in them instead.
    """
    default = arms[0]
    lead = _received(default.name, same_rounds) if same_rounds else _lead(arms, unit)
    if state in ("finished", "stopped"):
        evidence = _evidence(arms, serves, unit) if same_rounds is None else lead[0]
        return f"{state.capitalize()}: everybody gets {serves}. {evidence}".rstrip()
    if state == "drift":
        return (
            f"{default.name} seems to have changed: everybody gets it until you start a new epoch."
        )
    if state == "paused":
        return f"Paused: everybody gets {default.name}. {lead[0]}"
    return " ".join(lead).rstrip()


def _received(default: str, same: SameRounds) -> tuple[str, str]:
    """Return what was received beside the default's in the same rounds, and what happens next."""
    if same.default <= 0:
        return "Too early to say what was won: rewards of the first decisions are awaited.", ""
    change = _change(same.received / same.default - 1)
    least = same.received / same.default_upper - 1
    most = same.received / same.default_lower - 1 if same.default_lower > 0 else math.inf
    words = (
        f"About {change} was received {'as' if change == SAME else 'than'} {default} would have "
        f"brought in the same rounds ({_between(least, most)})."
    )
    chance = same.default_probability or 0.0
    if chance >= 1.0:
        return words, f"For now everybody gets {default}: the budget is too low for a challenger."
    share = f"{_share(chance)} of the decisions for which another arm is proposed"
    return words, f"The coin gives {default} {share}."


def _lead(arms: Sequence[ArmStatus], unit: str | None) -> tuple[str, str]:
    """Return who leads, and what happens next, if that is more to say."""
    default = arms[0]
    known = [arm for arm in arms[1:] if arm.average is not None]
    if len(arms) == 1:
        return f"Every challenger is retired: everybody gets {default.name}.", ""
    if default.average is None or not known:
        return f"Too early to say who leads: {_awaited(default, arms[1:])}", ""
    best = max(known, key=lambda arm: arm.lower)
    if best.lower > default.upper:
        words = (
            f"{best.name} is surely better than {default.name}: {difference(best, default, unit)}."
        )
        rivals = [arm.name for arm in arms[1:] if arm is not best and arm.upper >= best.lower]
        if rivals:
            unknown = f"Whether {_listed(rivals)} is better still is not known yet"
            return words, f"{unknown}, so the test goes on."
        return words, "You can finish with it; until then it gets nearly all traffic."
    if all(arm.upper < default.lower for arm in arms[1:]):
        words = f"{default.name} is surely better than every challenger."
        return words, "You can finish with it."
    leader = max(known, key=lambda arm: arm.average or 0.0)
    rivals = [arm.name for arm in arms[1:] if arm.upper >= default.lower]
    if leader.name not in rivals:
        words = (
            f"{leader.name} is surely worse than {default.name}: "
            f"{difference(leader, default, unit)}."
        )
        return words, f"Whether {_listed(rivals)} is better is not known yet, so the test goes on."
    words = difference(leader, default, unit, than=True)
    if words.startswith(f"about {SAME} "):
        words = f"{leader.name} earns {words}."
    elif (leader.average or 0.0) > default.average:
        words = f"{leader.name} leads: {words}."
    else:
        words = f"{default.name} leads; the best challenger is {leader.name}: {words}."
    return words, "That is not proved yet, and the test goes on."


def _awaited(default: ArmStatus, challengers: Sequence[ArmStatus]) -> str:
    """Return what is missing for a first comparison."""
    if default.average is None:
        if _in_open_windows(default):
            return "the windows of the first decisions are still open."
        most = "the first decisions" if default.seen == 0 else "most decisions"
        return f"rewards of {most} are awaited."
    if any(_in_open_windows(arm) for arm in challengers):
        return "the windows of the challengers' decisions are still open."
    if any(arm.plays for arm in challengers):
        return "rewards of the challengers are awaited."
    return "no challenger has been tried yet."


def _in_open_windows(arm: ArmStatus) -> bool:
    """Return whether rewards have arrived, but there is no estimate before their windows end."""
    return arm.average is None and arm.seen > 0 and arm.seen >= arm.pending


def _evidence(arms: Sequence[ArmStatus], serves: str | None, unit: str | None) -> str:
    served = next(arm for arm in arms if arm.name == serves)
    if served is arms[0] or served.average is None or arms[0].average is None:
        return "" if served is not arms[0] else "It is the default."
    return f"Against {arms[0].name}: {difference(served, arms[0], unit)}."


def difference(arm: ArmStatus, default: ArmStatus, unit: str | None, *, than: bool = False) -> str:
    """Return how much more an arm earns than the default, which may be named, with its interval."""
    assert arm.average is not None and default.average is not None
    if default.average <= 0:
        averages = f"{amount(arm.average, unit)} against {amount(default.average, unit)}"
        return f"about {averages} a decision"
    least = arm.lower / default.upper - 1 if default.upper > 0 else -math.inf
    most = arm.upper / default.lower - 1 if default.lower > 0 else math.inf
    change = _change(arm.average / default.average - 1)
    name = "" if not than else f" {'as' if change == SAME else 'than'} {default.name}"
    return f"about {change}{name} ({_between(least, most)})"


def _between(least: float, most: float) -> str:
    if math.isinf(most):
        return f"at least {_change(least)}" if least > -1 else "anything is possible"
    return f"between {_change(least)} and {_change(most)}"


def _change(share: float) -> str:
    """Return a relative difference in words.

    >>> _change(0.224), _change(-0.05), _change(1.6)
    ('22% more', '5% less', '160% more')
    """
    if abs(share) < 0.0005:
        return SAME
    percent = abs(100 * share)
    digits = f"{percent:.1f}" if percent < 10 and round(percent) != percent else f"{percent:,.0f}"
    return f"{digits.removesuffix('.0')}% {'more' if share > 0 else 'less'}"


def _share(chance: float) -> str:
    """Return a chance in percent: whole from 10% up, with two significant digits below.

    >>> _share(0.05), _share(0.125)
    ('5%', '12%')
    """
    return f"{100 * chance:.0f}%" if chance >= 0.1 else f"{100 * chance:.2g}%"


def _listed(names: Sequence[str]) -> str:
    return names[0] if len(names) == 1 else f"one of the {len(names)} others"
