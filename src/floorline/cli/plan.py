"""`floorline plan`: what to expect of a campaign, on one page and in one figure."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from floorline.cli import options
from floorline.cli.plan_figure import draw
from floorline.paper.style import pyplot

if TYPE_CHECKING:
    from floorline.planning import Outlook, Question

Show = Callable[[float], str]


def plan(
    challengers: Annotated[int, typer.Option(help="How many new arms are tried.")],
    default_mean: Annotated[float, typer.Option(help="What a decision earns today, on average.")],
    decisions_per_day: Annotated[int, typer.Option(help="How many decisions there are a day.")],
    improvement: Annotated[
        str, typer.Option(help="The smallest improvement worth finding, such as 10%.")
    ] = "10%",
    default_mean_error: Annotated[
        float, typer.Option(help="How far off --default-mean may be; 0: it is known.")
    ] = 0.0,
    max_loss: Annotated[
        str, typer.Option(help="Shares of today's reward that may be lost, side by side.")
    ] = "5%,10%,20%",
    delta: Annotated[float, typer.Option(help="Chance that the floor fails.")] = 0.05,
    days: Annotated[int, typer.Option(help="How far to look.")] = 90,
    reward: Annotated[
        str, typer.Option(help="clicks (each 0 or 1), or gaussian with --noise-scale.")
    ] = "clicks",
    noise_scale: Annotated[float, typer.Option(help="Standard deviation of one reward.")] = 1.0,
    boundary: Annotated[
        str, typer.Option(help="Confidence boundary; live campaigns have beta-binomial.")
    ] = "stitched",
    lost: Annotated[
        str, typer.Option(help="Rewards that never come, such as 2%, if silence is unknown.")
    ] = "0%",
    seed: options.Seed = 1,
    out: Annotated[Path, typer.Option(help="Folder for the figure.")] = Path("out"),
    figure: Annotated[bool, typer.Option(help="Whether to draw it.")] = True,
    format: Annotated[str, typer.Option(help="page or json.")] = "page",
) -> None:
    """Plan a campaign: when it explores, how soon it pays, and what it may cost."""
    from floorline.core.checks import choice, number, require
    from floorline.planning import Question, outlooks

    choice("format", format, ("page", "json"))
    choice("reward", reward, ("clicks", "gaussian"))
    number("default_mean_error", default_mean_error, 0, math.inf)
    require(default_mean_error < default_mean, "default_mean_error", "below the default mean",
            default_mean_error)  # fmt: skip
    if figure:
        pyplot()  # says so now, rather than after the simulation, if it is missing
    question = Question(
        challengers=challengers, default_mean=default_mean, decisions_per_day=decisions_per_day,
        improvement=shares("improvement", improvement)[0], days=days, delta=delta,
        noise_scale=noise_scale if reward == "gaussian" else None,
        learned=default_mean_error > 0, boundary=boundary, lost=shares("lost", lost)[0],
    )  # fmt: skip
    guesses = [question]
    if default_mean_error > 0:
        ends = (default_mean - default_mean_error, default_mean + default_mean_error)
        guesses += [replace(question, default_mean=end) for end in ends]
    losses = shares("max_loss", max_loss)
    found = outlooks(guesses, losses, seed=seed)
    path = draw(question, [same[0] for same in found], out / "plan.png") if figure else None
    if format == "json":
        typer.echo(json.dumps(as_dict(guesses, found, path)))
    else:
        print_page(guesses, found, path)


def shares(name: str, text: str) -> list[float]:
    """The shares in a list such as 5%,10% or 0.05,0.1."""
    try:
        return [
            float(part.strip().removesuffix("%")) / (100 if part.strip().endswith("%") else 1)
            for part in text.split(",")
        ]
    except ValueError:
        raise ValueError(f"{name}: must be shares such as 5%,10%, not {text!r}") from None


def as_dict(
    guesses: Sequence[Question], found: Sequence[Sequence[Outlook]], path: Path | None
) -> dict[str, Any]:
    """The plan under the names that the JSON output promises; an outlook for each guess."""

    def plain(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: plain(inner) for key, inner in value.items()}
        if isinstance(value, float) and math.isinf(value):
            return None
        return value.tolist() if hasattr(value, "tolist") else value

    outlooks = [
        {"default_mean": guess.default_mean, **plain(asdict(one))}
        for same in found
        for guess, one in zip(guesses, same, strict=True)
    ]
    return {"question": asdict(guesses[0]), "outlooks": outlooks, "figure": path and str(path)}


def print_page(
    guesses: Sequence[Question], found: Sequence[Sequence[Outlook]], path: Path | None
) -> None:
    """Print the plan for a person who has not read the paper."""
    from rich.console import Console
    from rich.table import Table

    question = guesses[0]
    days, unit = question.days, "clicks" if question.noise_scale is None else "units"
    earned = question.default_mean * question.horizon
    ends = [guess.default_mean for guess in guesses[1:]]
    about = f" (or {ends[0]:g} to {ends[1]:g})" if ends else ""
    console = Console(highlight=False)
    console.print(
        f"[bold]Challengers: {question.challengers}. The default earns "
        f"{question.default_mean:g}{about} a decision, {question.decisions_per_day:,} decisions "
        f"a day:[/bold] {earned:,.0f} {unit} in {days} days. Percentages are of what the default "
        "would have earned by then.\n"
    )
    table = Table("You may lose at most", box=None, pad_edge=False)
    for same in found:
        table.add_column(share(same[0].max_loss), justify="right")

    def row(
        label: str, value: Callable[[Outlook], float | None], show: Show, ends: bool = False
    ) -> None:
        for i, guess in enumerate(guesses if ends else guesses[:1]):
            texts = ["later" if (x := value(same[i])) is None else show(x) for same in found]
            table.add_row(f"    if it earns {guess.default_mean:g}" if i else label, *texts)

    size = share(question.improvement)
    row("Challengers are first tried at decision", lambda o: o.first_exploration, "{:,}".format)
    table.add_row(f"[bold]If one is {size} better[/bold], the others {size} worse")
    row("  it gets most of the traffic from", lambda o: o.takeover_day, day, ends=True)
    if found[0][0].takeover_day_bound is not None:
        row("    by theory, at the latest", lambda o: o.takeover_day_bound, day)
    row("  the most of it that it can ever get", lambda o: o.traffic_limit, share)
    row("  reward so far is back at the default's", lambda o: o.back_day, day)
    row("  lowest point before, on average", lambda o: min(0.0, o.better.gain.min()), change)
    row(f"  after {days} days, on average", lambda o: o.better.gain[-1], change)
    table.add_row(f"[bold]If none is better[/bold], all {size} worse")
    row(f"  after {days} days, on average", lambda o: o.none.gain[-1], change, ends=True)
    row("    in the worst run", lambda o: o.none.low[-1], change)
    row("    at its lowest, on average", lambda o: o.none.gain.min(), change)
    row("    by theory, at the worst", lambda o: -o.none_cost_bound, change)
    table.add_row("[bold]Whatever the challengers are like[/bold]")
    row("  never lower, at any moment, than", lambda o: -o.max_loss, change)
    row(f"    after {days} days, in {unit}", lambda o: -o.max_loss * earned, "{:,.0f}".format)
    console.print(table)
    hints = hindrances(question, [same[0] for same in found])
    for hint in hints:
        console.print(f"\n[bold]{hint}[/bold]")
    runs = min(one.runs for same in found for one in same)
    how = "learns what the default earns" if question.learned else "knows what the default earns"
    console.print(
        f"\nFrom {runs} simulated runs of Conservative UCB, which {how} and plays a challenger "
        "only when the floor surely allows it. The floor is about expected reward, and fails "
        f"with a chance of at most {share(question.delta)}; luck comes on top, and arms that "
        "change over time can break it (docs/guarantee.md). 'By theory' is proved, up "
        f"to that chance, and far from typical. 'Later' is after the {days} days."
    )
    if path:
        console.print(f"figure: {path}")


def hindrances(question: Question, found: Sequence[Outlook]) -> list[str]:
    """What keeps such a campaign from exploring usefully, in words."""
    hints = []
    if question.lost > 0:
        hints.append(
            f"The days are as if nothing were lost. With {share(question.lost)} of the rewards "
            "unknown, the default might earn that much more, and its challengers that much less."
        )
    stuck = [share(one.max_loss) for one in found if one.traffic_limit <= 0.5]
    if stuck:
        hints.append(
            f"At {', '.join(stuck)} a challenger that is {share(question.improvement)} better can "
            "never get most of the traffic, however long the campaign runs."
        )
    slow = [share(one.max_loss) for one in found if one.takeover_day is None]
    if slow and question.noise_scale is None and question.boundary != "beta-binomial":
        hints.append(
            f"At {', '.join(slow)} the days are not enough with the boundary {question.boundary}, "
            "which is wide for rare clicks. Try --boundary beta-binomial, as live campaigns do."
        )
    return hints


def share(value: float) -> str:
    """A share as a percentage, as short as it goes."""
    return f"{100 * value:.4g}%"


def change(value: float) -> str:
    """A change as a percentage with its sign."""
    return f"{100 * value:+.1f}%".replace("-0.0%", "0.0%").replace("+0.0%", "0.0%")


def day(value: float) -> str:
    """A day, counted from 1."""
    return f"day {math.ceil(value):,}" if math.isfinite(value) else "never"
