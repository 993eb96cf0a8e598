"""`floorline ledger evaluate`: what another policy would have earned on a ledger."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from floorline.cli import options
from floorline.cli.json_output import print_json
from floorline.cli.ledger_files import LEDGER, reading
from floorline.core.words import counted

if TYPE_CHECKING:
    from floorline.core.records import Floats
    from floorline.live.ledgers import LedgerReader
    from floorline.offpolicy import LoggedData


def evaluate(
    context: typer.Context,
    ledger: str = LEDGER,
    policy: Annotated[
        str,
        typer.Option(
            help="An arm; uniform; shares such as current=0.2,video=0.8; FILE.py:FUNCTION, which "
            "maps a context to each arm's share; or one of `floorline policies`, which learns from "
            "the ledger."
        ),
    ] = "uniform",
    confidence: Annotated[
        float, typer.Option(help="Confidence level of the intervals, which hold at all times.")
    ] = 0.95,
    least_propensity: Annotated[
        float | None,
        typer.Option(
            help="Lower bound on the propensity of every arm that the policy plays; for the doubly "
            "robust interval.",
            show_default="unknown",
        ),
    ] = None,
    max_loss: options.MaxLoss = 0.1,
    format: options.Format = "table",
) -> None:
    """Estimate what another policy would have earned, from the propensities of a ledger.

    Prints inverse propensity, self-normalised and doubly robust estimates, with intervals that hold
    at all times simultaneously. Fails if propensities are missing.
    """
    from floorline.core.checks import choice
    from floorline.live.logged import logged_data
    from floorline.offpolicy import evaluate as evaluated

    choice("format", format, options.FORMATS)
    with reading(ledger) as reader:
        _refuse_unknown(reader, policy)
        log, locator = logged_data(reader), reader.locator
    log.require_propensities()
    found = evaluated(
        log,
        probabilities(log, policy, max_loss),
        confidence=confidence,
        least_propensity=least_propensity,
    )
    if format == "json":
        settings = options.settings_of(context, ledger=locator)  # without a password
        answer = {"policy": policy, **asdict(found), "left_out": log.left_out}
        print_json({**answer, "settings": settings})
        return
    typer.echo(repr(found))
    for reason, count in log.left_out.items():
        typer.echo(f"left out: {counted(count, 'decision')} {reason}")


def _refuse_unknown(ledger: LedgerReader, policy: str) -> None:
    """Raise ValueError now, not after the whole ledger was read, if --policy names nothing."""
    from floorline.core.checks import choice
    from floorline.live.replay import load
    from floorline.offpolicy.targets import UNIFORM
    from floorline.policies import CATALOGUE, added_policies

    known = (UNIFORM, *CATALOGUE, *added_policies())
    first_arms = ledger.opened().body["settings"]["arms"]
    if policy not in (*first_arms, *known) and "=" not in policy and ":" not in policy:
        choice("policy", policy, (*load(ledger).settings.arms, *known))  # arms may have been added


def probabilities(log: LoggedData, policy: str, max_loss: float) -> Floats:
    """Return the probabilities of the policy that --policy names."""
    from floorline import Entry
    from floorline.cli.own_policies import object_of
    from floorline.cli.replay import setup_for
    from floorline.offpolicy import fixed_target, followed_target, target_of
    from floorline.policies import CATALOGUE, added_policies, find_entry

    if policy not in log.arms and (policy in CATALOGUE or policy in added_policies()):
        return followed_target(log, find_entry(policy).build(setup_for(log, max_loss=max_loss)))
    if policy in log.arms or ":" not in policy or "=" in policy:
        return fixed_target(log, policy)
    found = object_of(policy)
    if isinstance(found, Entry):
        return followed_target(log, found.build(setup_for(log, max_loss=max_loss)))
    return target_of(log, found)
