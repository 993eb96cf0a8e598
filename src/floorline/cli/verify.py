"""`floorline verify`: are the failures of a guarantee as rare as it promises?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.environments import adversary_from, environment_from, setting_from
from floorline.cli.json_output import print_json

if TYPE_CHECKING:
    from floorline.verification import Share, Verification

FORMATS = ("table", "json")

# The worst case that we know of. The challengers pay the least that is possible, so their lower
# ends are exact and the budget is spent to the last: any end that is too high breaks the floor.
# The noise is as large as the boundary was told.
MEANS = "0.5,0,0,0,0"


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
    confidence: Annotated[float, typer.Option(help="How sure the verdict shall be.")] = 0.999,
    seed: options.Seed = 1,
    threads: options.Threads = None,
    device: Annotated[str, typer.Option(help="cpu, or cuda (a GPU).")] = "cpu",
    cluster: options.Cluster = None,
    format: Annotated[str, typer.Option(help="table or json.")] = "table",
) -> None:
    """Count how often the floor is broken and how often an interval misses its mean.

    Under randomised policies breaches are of rewards received, against the default's own in the
    same rounds, and no intervals are held against means. The exit code is 0 if both are shown to
    happen in at most a share delta of the runs, else 1.
    """
    from floorline import make_policy
    from floorline.core.checks import choice
    from floorline.simulation.cluster import connect
    from floorline.verification import verify as verified

    choice("format", format, FORMATS)
    if adversary is None:
        environment = environment_from(noise, means, noise_scale)
    else:
        environment = adversary_from(adversary, means, horizon)
    setting = setting_from(
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
        found = verified(
            make_policy(policy, setting),
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
    if format == "json":
        about = {"policy": policy, "boundary": boundary, "horizon": horizon, "runs": runs}
        settings = options.settings_of(context, noise_scale=setting.noise_scale)
        answer = {**about, "seed": seed, "delta": delta, **as_dict(found), "settings": settings}
        print_json(answer)
    else:
        typer.echo(f"{policy}, boundary {boundary}: {runs:,} runs of {horizon:,} rounds")
        for line in words(found, confidence):
            typer.echo(line)
    raise typer.Exit(0 if found.holds else 1)


def as_dict(found: Verification) -> dict[str, Any]:
    """A verification under the names that the JSON output promises."""
    shares = {"breaches": found.breaches, "misses": found.misses}
    return {
        **{name: share and share_as_dict(share) for name, share in shares.items()},
        "holds": found.holds,
        "rounds_per_second": found.rounds_per_second,
    }


def share_as_dict(share: Share) -> dict[str, Any]:
    """A share of runs, with its confidence limits and its verdict."""
    return {
        "count": share.count,
        "share": share.count / share.runs,
        "low": share.low,
        "high": share.high,
        "verdict": share.verdict,
    }


def words(found: Verification, confidence: float) -> list[str]:
    """A verification as sentences."""
    lines = [_sentence("below the floor at some time", found.breaches, confidence)]
    if found.misses is not None:
        lines.append(_sentence("an interval missed its mean", found.misses, confidence))
    promised = f"in at most a share {found.breaches.delta:g} of the runs"
    if found.holds:
        return [*lines, f"The guarantee holds here: failures {promised}."]
    if any(share and share.verdict == "fails" for share in (found.breaches, found.misses)):
        return [*lines, f"The guarantee fails here: more than promised, {promised}."]
    return [*lines, f"Too few runs to tell whether failures are {promised}."]


def _sentence(what: str, share: Share, confidence: float) -> str:
    return (
        f"{what}: {share.count:,} runs, a share of {share.count / share.runs:.3g} "
        f"({confidence:.1%} limits {share.low:.3g} to {share.high:.3g}): {share.verdict}"
    )
