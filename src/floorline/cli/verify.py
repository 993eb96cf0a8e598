"""`floorline verify`: check by simulation that a guarantee fails as rarely as it promises."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.environments import environment_from, setup_from
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline.verification import Share, Verification

MEANS = "0.5,0,0,0,0"
"""The worst case known. Challengers pay the least possible, so their lower bounds are exact and the
whole budget is spent: any bound that is too high breaks the floor. The noise has the scale that the
boundary assumes."""


def verify(
    context: typer.Context,
    delta: options.Delta = 1e-3,
    runs: options.Runs = 1_000_000,
    policy: options.PolicyName = "conservative-ucb",
    boundary: Annotated[
        str,
        typer.Option(help="stitched, beta-binomial, authors, as-printed, union or union-proved."),
    ] = "stitched",
    floor: options.Floor = "confidence",
    means: Annotated[
        str, typer.Option(help="Mean of each arm, the default arm's first; a worst case.")
    ] = MEANS,
    noise: options.Noise = "gaussian",
    adversary: Annotated[
        str | None, typer.Option(help="As for `simulate`; turncoat is for randomised policies.")
    ] = None,
    noise_scale: options.NoiseScale = None,
    horizon: options.Horizon = 1000,
    max_loss: options.MaxLoss = 0.1,
    default_mean: options.DefaultMean = "known",
    confidence: Annotated[float, typer.Option(help="Confidence level of the verdict.")] = 0.999,
    seed: options.Seed = 1,
    threads: options.Threads = None,
    device: options.Device = "cpu",
    cluster: options.Cluster = None,
    format: options.Format = "table",
) -> None:
    """Count the runs below the floor, and those in which an interval missed its arm's mean.

    Under randomised policies, the floor is a share of what the default would have received in the
    same rounds, and intervals are not checked. The exit code is 0 if both counts are shown to be at
    most a share delta of the runs, else 1.
    """
    from floorline.core.checks import choice
    from floorline.policies import find_entry, make_policy
    from floorline.simulation.cluster import connect
    from floorline.verification import verify as verified

    choice("format", format, options.FORMATS)
    environment = environment_from(means, horizon, noise, noise_scale, adversary)
    setup = setup_from(
        environment,
        horizon,
        default_mean,
        noise_scale,
        max_loss=max_loss,
        delta=delta,
        boundary=boundary,
        floor=floor,
    )
    with connect(cluster) as client:
        verification = verified(
            make_policy(policy, setup),
            environment,
            delta=delta,
            horizon=horizon,
            runs=runs,
            seed=seed,
            max_loss=max_loss,
            confidence=confidence,
            threads=threads,
            device=device,
            cluster=client,
        )
    named = floor if find_entry(policy).floors else None  # others bring their own, or have none
    if format == "json":
        about = {"policy": policy, "floor": named, "boundary": boundary}
        settings = options.settings_of(context, noise_scale=setup.noise_scale)
        answer = {
            **about,
            "horizon": horizon,
            "runs": runs,
            "seed": seed,
            "delta": delta,
            **as_dict(verification),
            "settings": settings,
        }
        print_json(answer)
    else:
        under = "" if named is None else f", floor {named}"
        typer.echo(f"{policy}{under}, boundary {boundary}: {runs:,} runs of {horizon:,} rounds")
        for line in sentences(verification, confidence):
            typer.echo(line)
    raise typer.Exit(0 if verification.holds else 1)


def as_dict(verification: Verification) -> dict[str, Any]:
    """Return a verification as a dictionary for JSON."""
    shares = {"breaches": verification.breaches, "misses": verification.misses}
    return {
        **{name: share and share_as_dict(share) for name, share in shares.items()},
        "holds": verification.holds,
        "rounds_per_second": verification.rounds_per_second,
    }


def share_as_dict(share: Share) -> dict[str, Any]:
    """Return a share of runs with its confidence limits and its verdict."""
    return {
        "count": share.count,
        "share": share.count / share.runs,
        "low": share.low,
        "high": share.high,
        "verdict": share.verdict,
    }


def sentences(verification: Verification, confidence: float) -> list[str]:
    """Return a verification in words."""
    breaches, misses = verification.breaches, verification.misses
    lines = [_sentence("below the floor at some time", breaches, confidence)]
    if misses is not None:
        lines.append(_sentence("an interval missed its mean", misses, confidence))
    promised = f"a share {breaches.delta:g} of the runs"
    if verification.holds:
        return [*lines, f"The guarantee holds here: failures in at most {promised}."]
    if any(share and share.verdict == "fails" for share in (breaches, misses)):
        return [*lines, f"The guarantee fails here: failures in more than {promised}."]
    return [*lines, f"Too few runs to tell whether failures occur in at most {promised}."]


def _sentence(event: str, share: Share, confidence: float) -> str:
    return (
        f"{event}: {share.count:,} runs, a share of {share.count / share.runs:.3g} "
        f"({confidence:.1%} limits {share.low:.3g} to {share.high:.3g}): {share.verdict}"
    )
