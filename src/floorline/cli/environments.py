"""Environments described by command-line options."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from floorline.cli.options import shares

if TYPE_CHECKING:
    from floorline import Environment, PolicySetup


def environment_from(
    means: str | None,
    horizon: int,
    noise: str = "gaussian",
    noise_scale: float | None = None,
    adversary: str | None = None,
    change: Sequence[str] = (),
    season: str | None = None,
    segments: str | None = None,
) -> Environment:
    """Return the environment that the options of the same names describe."""
    from floorline.core.checks import require

    options = {"change": change or None, "season": season, "segments": segments}
    given = [name for name, value in options.items() if value is not None]
    if len(given) > 1:
        raise ValueError(f"{given[0]}: must be left out with --{given[1]}")
    if given:
        require(adversary is None, "adversary", f"left out with --{given[0]}", adversary)
        return _changing(means, change, season, segments)
    if adversary is not None:
        return _adversary(adversary, means, horizon)
    return _stationary(noise, means, noise_scale)


def _stationary(noise: str, means: str | None, noise_scale: float | None) -> Environment:
    """Return the environment of --noise and --means; --noise-scale is for gaussian noise."""
    from floorline import Bernoulli, Gaussian, Tabulated
    from floorline.core.checks import require

    if noise.startswith("table:"):
        environment = Tabulated.read(noise.removeprefix("table:"))
        _check_means(means, environment.means, "those of the table")
        return environment
    given = numbers(means)
    require(given[0] >= 0, "means", "at least 0 for the default arm", given[0])
    if noise == "bernoulli":
        return Bernoulli(given)
    require(noise == "gaussian", "noise", "one of gaussian, bernoulli, table:FILE", noise)
    return Gaussian(given) if noise_scale is None else Gaussian(given, noise_scale)


def _adversary(adversary: str, means: str | None, horizon: int) -> Environment:
    """Return the adversary of --adversary, --means and --horizon."""
    from floorline import Adaptive, Late, Lure, Scripted, Switching, Turncoat
    from floorline.core.checks import choice, whole

    if adversary.startswith("table:"):
        return Scripted.read(adversary.removeprefix("table:"))
    known = ("switching", "late", "lure", "adaptive", "turncoat", "table:FILE")
    choice("adversary", adversary, known)
    levels = numbers(means)
    tenth = max(1, whole("horizon", horizon, 1) // 10)
    if adversary == "switching":
        return Switching(levels, span=tenth)
    if adversary == "late":
        return Late(levels, span=max(1, horizon - tenth))
    if adversary == "turncoat":
        return Turncoat(levels)
    return Lure(levels, span=tenth) if adversary == "lure" else Adaptive(levels)


def _changing(
    means: str | None, change: Sequence[str], season: str | None, segments: str | None
) -> Environment:
    """Return the environment of --change, --season or --segments."""
    from floorline import Changing, Seasonal, Segments

    if segments is not None:
        kinds = Segments([numbers(row, "segments") for row in segments.split(";")])
        _check_means(means, kinds.means, "the average of the kinds")
        return kinds
    if season is not None:
        period, swings = _after_colon("season", season, "5000:0.5")
        return Seasonal(numbers(means), period, swings if len(swings) > 1 else swings[0])
    example = "25000:0.06,0.04"
    return Changing(numbers(means), [_after_colon("change", text, example) for text in change])


def _check_means(means: str | None, known: Sequence[float], whose: str) -> None:
    """Raise ValueError if --means is given and differs from means that are already known."""
    from floorline.core.checks import require

    same = means is None or [round(mean, 9) for mean in known] == numbers(means)
    require(same, "means", f"left out, or {whose} {known}", means)


def _after_colon(name: str, text: str, example: str) -> tuple[int, list[float]]:
    """Return the whole number before a colon, and the numbers after it."""
    first, _, rest = text.partition(":")
    try:
        return int(first), [float(part) for part in rest.split(",")]
    except ValueError:
        raise ValueError(f"{name}: must be like {example}, not {text!r}") from None


def delayed_from(
    environment: Environment, delay: str, lost: str, repeated: str, missing: str
) -> Environment:
    """Return the environment with --delay, --lost, --repeated and --missing, if any is given."""
    from floorline import Delayed

    if (delay, lost, repeated, missing) == ("0", "0", "0", "unknown"):
        return environment
    if environment.adversarial:
        raise ValueError("adversary: must be left out with --delay, --lost, --repeated, --missing")
    try:
        first, _, last = delay.partition("-")
        delays = range(int(first), int(last or first) + 1)
        if not delays:
            raise ValueError
    except ValueError:
        raise ValueError(f"delay: must be like 100 or 0-2000, not {delay!r}") from None
    return Delayed(
        environment, delays, by_arm("lost", lost), missing, repeated=by_arm("repeated", repeated)
    )


def setup_from(
    environment: Environment,
    horizon: int,
    default_mean: str,
    noise_scale: float | None,
    **others: Any,
) -> PolicySetup:
    """Return the policy's setup for an environment; --noise-scale overrides the environment's."""
    from floorline import PolicySetup
    from floorline.core.checks import choice

    choice("default_mean", default_mean, ("known", "learned"))
    if noise_scale is not None:
        others["noise_scale"] = noise_scale
    return PolicySetup.of(environment, horizon, learned=default_mean == "learned", **others)


def by_arm(name: str, text: str) -> float | list[float]:
    """Return one share for all arms, or one for each, from a comma-separated list."""
    given = shares(name, text)
    return given[0] if len(given) == 1 else given


def numbers(text: str | None, name: str = "means") -> list[float]:
    """Return the numbers of a comma-separated list."""
    if text is None:
        raise ValueError("means: must be given, the default arm's first, for example 0.5,0.6,0.4")
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise ValueError(f"{name}: must be numbers separated by commas, not {text!r}") from None
