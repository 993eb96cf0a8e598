"""What `floorline simulate` prints: a dictionary for JSON, a row for CSV, a table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from floorline import Boundary, Summary


def as_dict(policy: str, seed: int, summary: Summary, settings: dict[str, Any]) -> dict[str, Any]:
    """Return a summary as a dictionary for JSON."""
    budget = summary.lowest_budget
    regrets = {"pseudo_regret": summary.pseudo_regret, "regret": summary.regret}
    return {
        "policy": policy,
        "horizon": int(summary.checkpoints[-1]),
        "runs": summary.runs,
        "seed": seed,
        **{
            name: {
                "mean": float(spread.mean[-1]),
                "standard_error": float(spread.standard_error[-1]),
            }
            for name, spread in regrets.items()
            if spread is not None
        },
        "breach_rate": float(summary.breach_rate[-1]),
        "lowest_budget": {"mean": float(budget.mean[-1]), "min": float(budget.min[-1])},
        "plays": {"mean": [float(plays) for plays in summary.plays[-1]]},
        "rounds_per_second": summary.rounds_per_second,
        "settings": settings,
    }


def flat(answer: dict[str, Any]) -> dict[str, Any]:
    """Return nested results as a flat dictionary from column names to values."""
    row: dict[str, Any] = {}
    for name, value in answer.items():
        for part, inner in value.items() if isinstance(value, dict) else [("", value)]:
            entries = enumerate(inner) if isinstance(inner, list) else [("", inner)]
            row |= {"_".join(str(x) for x in (name, part, i) if x != ""): v for i, v in entries}
    return row


def print_table(answer: dict[str, Any], max_loss: float, boundary: Boundary | None) -> None:
    """Print the answer as a table, for a policy with this boundary."""
    from rich.console import Console
    from rich.table import Table

    regret = answer.get("regret", answer["pseudo_regret"])
    budget, plays = answer["lowest_budget"], answer["plays"]
    rounds = answer["horizon"]
    title = f"{answer['policy']}: {answer['runs']:,} runs of {rounds:,} rounds"
    if boundary is not None:
        title += f"\nboundary {boundary.name}, delta {boundary.delta:g}"
    table = Table("", "", title=title, box=None, show_header=False, title_justify="left")
    table.add_row("regret", f"{regret['mean']:,.1f} ± {regret['standard_error']:.2g}")
    table.add_row("regret per round", f"{regret['mean'] / rounds:.5f}")
    table.add_row(f"runs below {1 - max_loss:.4g} of the default", f"{answer['breach_rate']:.2%}")
    lowest = {name: round(value, 9) + 0.0 for name, value in budget.items()}
    table.add_row("lowest budget", f"mean {lowest['mean']:.4g}, min {lowest['min']:.4g}")
    shares = ", ".join(f"{plays / rounds:.1%}" for plays in plays["mean"])
    table.add_row("plays, the default first", shares)
    millions = answer["rounds_per_second"] / 1e6
    speed = f"{millions:,.0f}" if millions >= 10 else f"{millions:.2g}"
    table.add_row("speed", f"{speed} million rounds per second")
    Console().print(table)
