"""The page of `floorline plan`, for a person who has not read the paper."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from floorline.core.words import counted

if TYPE_CHECKING:
    from rich.table import Table

    from floorline.planning import Band, Outlook, Question, Range

Outlooks = Sequence[Sequence["Outlook"]]
"""For each floor and max_loss, an outlook for each guess of the default mean."""

Show = Callable[[float], str]


def print_page(guesses: Sequence[Question], columns: Outlooks, path: Path | None) -> None:
    """Print the plan."""
    from rich.console import Console

    console = Console(highlight=False)
    console.print(introduction(guesses) + "\n")
    console.print(table_of(guesses, columns))
    for hint in obstacles(guesses[0], [column[0] for column in columns]):
        console.print(f"\n[bold]{hint}[/bold]")
    console.print("\n" + explanation(guesses[0], [column[0] for column in columns]))
    if path:
        console.print(f"figure: {path}")


def introduction(guesses: Sequence[Question]) -> str:
    """Return the question in words."""
    from floorline.live.amounts import amount

    question = guesses[0]
    mean, unit = question.default_mean, in_unit(question.unit)
    earned = amount(mean * question.horizon)
    ends = [guess.default_mean for guess in guesses[1:]]
    about = f" (or {ends[0]:g} to {ends[1]:g})" if ends else ""
    a_day, days = counted(question.decisions_per_day, "decision"), counted(question.days, "day")
    return (
        f"[bold]Challengers: {question.challengers}. The default earns "
        f"{mean:g}{about}{unit} a decision, {a_day} a day:[/bold] {earned}{unit} in {days}. "
        "Percentages are of what the default would have earned by then."
    )


def table_of(guesses: Sequence[Question], columns: Outlooks) -> Table:
    """Return the numbers, with a column for each floor and max_loss."""
    from rich.table import Table

    question = guesses[0]
    size, days = share(question.improvement), counted(question.days, "day")
    earned = question.default_mean * question.horizon
    unit = in_unit(question.unit or "reward")
    several = len({column[0].floor for column in columns}) > 1
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("You may lose at most", no_wrap=True)
    for column in columns:
        loss = share(column[0].max_loss)
        floor = column[0].floor.replace("-", "-\n")  # so that it fits its column
        head = f"{loss}\n{floor}" if several else loss
        table.add_column(head, justify="right")

    def row(label: str, text: Callable[[Outlook], str]) -> None:
        table.add_row(label, *(text(column[0]) for column in columns))

    def ranges(label: str, value: Callable[[Outlook], Range], show: Show, more: bool) -> None:
        """Add a row of medians and one of ranges, and the same for other guesses if `more`."""
        for i, guess in enumerate(guesses if more else guesses[:1]):
            name = f"    if the default earns {guess.default_mean:g}" if i else label
            shown = [[show(x) for x in value(column[i])] for column in columns]
            table.add_row(name, *(median for _, median, _ in shown))
            table.add_row("    9 in 10 campaigns", *(between(*ends) for ends in shown))

    def money(label: str, gain: Callable[[Outlook], float]) -> None:
        """Add a row of amounts after all days."""
        row(label, lambda o: signed(earned * gain(o)))

    row("First challenger at decision", first_decision)
    table.add_row(f"[bold]If one is {size} better[/bold]")
    ranges("  gets most traffic from day", lambda o: o.takeover_day, day, True)
    row("  its traffic is never above", lambda o: share(o.traffic_limit))
    ranges("  not behind default from day", lambda o: o.back_day, day, False)
    ranges("  lowest point before", lambda o: o.better.lowest_gain, change, False)
    ranges(f"  after {days}", lambda o: last(o.better.gain), change, False)
    money(f"    in{unit}", lambda o: last(o.better.gain).median)
    table.add_row(f"[bold]If all are {size} worse[/bold]")
    ranges("  lowest point", lambda o: o.none.lowest_gain, change, False)
    ranges(f"  after {days}", lambda o: last(o.none.gain), change, True)
    money(f"    in{unit}", lambda o: last(o.none.gain).median)
    table.add_row("[bold]In any case[/bold]")
    row("  at any moment no lower than", lambda o: change(-o.max_loss))
    money(f"    after {days}, in{unit}", lambda o: -o.max_loss)
    row("  simulated campaigns lower", below_floor)
    return table


def explanation(question: Question, outlooks: Sequence[Outlook]) -> str:
    """Return how the numbers were computed, and what they do not cover."""
    how = "learns what the default earns" if question.learned else "is told what the default earns"
    losses = ""
    if question.lost or question.delay:
        losses = (
            f" Of all rewards {share(question.lost)} are lost; the others arrive "
            f"{counted(question.delay, 'decision')} late; a missing reward is {question.missing}."
        )
    values = ""
    if question.spread is not None:
        least, most, chance = question.reward_values(question.default_mean)
        values = (
            f" A reward of the default is {most:.4g}{in_unit(question.unit)} in {share(chance)} of "
            f"the decisions, else {least:g}, which gives a spread of {question.spread:g}."
        )
    held = {outlook.floor: share(outlook.holdback) for outlook in outlooks}
    back = " or ".join(
        f"{part} ({', '.join(name for name in held if held[name] == part)})"
        if len(set(held.values())) > 1
        else part
        for part in dict.fromkeys(held.values())
    )
    return (
        f"Days and rewards are medians of {outlooks[0].runs} simulated campaigns; below each is "
        f"the range of 9 in 10 of them. Lowest points are at the end of a day. Where one "
        f"challenger is better, the others are worse by as much. The campaign {how}, has "
        f"the floor {' or '.join(held)}, the boundary {question.boundary} and holds back {back} of "
        f"the decisions for the default.{values}{losses} {promise(question, outlooks)} 'From day' "
        f"means from then on until the end; 'later' is after {counted(question.days, 'day')}."
    )


def promise(question: Question, outlooks: Sequence[Outlook]) -> str:
    """Return what the planned floors promise, and what can break them."""
    names = dict.fromkeys(outlook.floor for outlook in outlooks)
    fails = f"and fails with a chance of at most {share(question.delta)}"
    parts = []
    if any(name != "randomised" for name in names):
        parts.append(
            f"The floor is about expected reward, {fails}; actual rewards vary around it, and arms "
            "that change over time can break it (docs/guarantee.md)."
        )
    if "randomised" in names:
        parts.append(
            "The randomised floor is about rewards received, against what the default would have "
            f"received in the same rounds, {fails}, whatever changes (docs/randomised-floor.md)."
        )
    return " ".join(parts)


def obstacles(question: Question, outlooks: Sequence[Outlook]) -> list[str]:
    """Return sentences about what keeps such a campaign from exploring usefully."""
    hints = []
    size = share(question.improvement)
    stuck = [share(o.max_loss) for o in outlooks if o.traffic_limit <= 0.5]
    if stuck:
        hints.append(
            f"At {', '.join(stuck)} a challenger that is {size} better can never get most of the "
            f"traffic, however long the campaign runs: with {share(question.lost)} of the rewards "
            "unknown, the default might earn that much more, and its challengers that much less."
        )
    slow = [share(o.max_loss) for o in outlooks if math.isinf(o.takeover_day.median)]
    if slow and question.boundary != "beta-binomial":
        hints.append(
            f"At {', '.join(slow)} the days are not enough with the boundary {question.boundary}, "
            "which is wide for rare clicks. Try --boundary beta-binomial, as live campaigns do."
        )
    return hints


def first_decision(outlook: Outlook) -> str:
    """Return the first decision that a challenger may get."""
    return "depends" if outlook.first_exploration is None else f"{outlook.first_exploration:,}"


def below_floor(outlook: Outlook) -> str:
    """Return how many of the simulated campaigns of both cases were ever below the floor."""
    return f"{outlook.better.below_floor + outlook.none.below_floor} of {2 * outlook.runs}"


def last(band: Band) -> Range:
    """Return a band's range at the end of the last day."""
    from floorline.planning import Range

    return Range(*(float(edge[-1]) for edge in band))


def between(low: str, median: str, high: str) -> str:
    """Return a range in words, with the unit once and the sign where it is needed."""
    if low == high:
        return low
    return f"{low.lstrip('+').removesuffix('%')} to {high.lstrip('+')}"


def signed(value: float) -> str:
    """Return an amount with its sign, rounded to a whole number or to two significant digits.

    >>> signed(1234.5), signed(-1.84), signed(0.0), signed(3e-9)
    ('+1,234', '-1.8', '0', '+3e-09')
    """
    if value == 0:
        return "0"
    return f"{value:+,.0f}" if abs(value) >= 9.95 else f"{value:+.2g}"


def in_unit(unit: str | None) -> str:
    """Return the suffix of an amount, with brackets in the unit escaped for rich."""
    from rich.markup import escape

    return "" if unit is None else f" {escape(unit)}"


def day(value: float) -> str:
    """Return a day, counted from 1, as text."""
    return f"{value:,.0f}" if math.isfinite(value) else "later"


def share(value: float) -> str:
    """Return a share as a percentage, as short as possible."""
    return f"{100 * value:.4g}%"


def change(value: float) -> str:
    """Return a change as a percentage with its sign."""
    return f"{100 * value:+.1f}%".replace("-0.0%", "0.0%").replace("+0.0%", "0.0%")
