"""The second act of the live demo: visitors of two kinds, and a default that changes."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.table import Table

from floorline.cli.background import Background
from floorline.core.records import Floats

DEFAULT, CANDIDATE = "current", "video"
KINDS = ("regular", "newcomer")
BEFORE = {"regular": {"current": 0.40, "video": 0.20}, "newcomer": {"current": 0.02, "video": 0.02}}
AFTER = {"regular": {"current": 0.05, "video": 0.20}, "newcomer": {"current": 0.40, "video": 0.20}}
"""Clicks per visitor, by kind and page, before and after the season turns."""

SHARE_OF_VISITORS = 0.3
"""The number of visitors, as a share of those in the first act."""
TURN = 0.4
"""The share of these visitors who come before the season turns."""
MAX_LOSS = 0.1
BATCH = 50
"""Visitors per request. Their clicks are reported before the next batch."""
FLOORS = ("randomised", "confidence")
SETTINGS = {
    "arms": [DEFAULT, CANDIDATE],
    "max_loss": MAX_LOSS,
    "missing": "unknown",
    "unit": "clicks",
}
BROKEN_LABEL = "condition broken: model sees visitors"


@dataclass
class Crowd:
    """Visitors, with the click that each would make on either page."""

    kinds: list[str]
    default_clicks: Floats
    candidate_clicks: Floats

    @classmethod
    def draw(cls, count: int, seed: int) -> Crowd:
        """Return visitors of both kinds, equally likely, each with one draw for both pages."""
        rng = np.random.default_rng([seed, 2])
        kinds = [KINDS[i] for i in rng.integers(2, size=count)]
        draws = rng.random(count)
        rates = [(BEFORE if n < TURN * count else AFTER)[kind] for n, kind in enumerate(kinds)]
        by_page = (np.array([rate[page] for rate in rates]) for page in (DEFAULT, CANDIDATE))
        default, candidate = ((draws < rate).astype(float) for rate in by_page)
        return cls(kinds, default, candidate)


@dataclass
class Season:
    """A campaign of this act, and its clicks."""

    floor: str
    clicks: list[float] = field(default_factory=list)
    candidates_shown: int = 0

    @property
    def path(self) -> str:
        """The campaign's path in the service."""
        return f"/v1/campaigns/{self.floor}-floor"

    def open(self, service: Background) -> None:
        """Open the campaign, with a note that explains it."""
        name = f"{self.floor}-floor"
        service.send("/v1/campaigns", {"name": name, "floor": self.floor, **SETTINGS})
        text = (
            "A model proposes video to regulars and current to newcomers: it looks at the visitor"
        )
        service.send(f"{self.path}/notes", {"text": text})

    def serve(self, service: Background, crowd: Crowd, start: int, end: int) -> None:
        """Decide for a batch of visitors, then report whether each clicked."""
        asked = [
            {
                "candidate": CANDIDATE if kind == "regular" else DEFAULT,
                "context": {"visitor": kind},
            }
            for kind in crowd.kinds[start:end]
        ]
        made = service.send(f"{self.path}/decisions", {"requests": asked})["decisions"]
        rewards = []
        for visitor, decision in enumerate(made, start):
            shown = decision["arm"] == CANDIDATE
            self.candidates_shown += shown
            clicks = crowd.candidate_clicks if shown else crowd.default_clicks
            self.clicks.append(float(clicks[visitor]))
            rewards.append({"ticket": decision["ticket"], "reward": self.clicks[-1]})
        service.send("/v1/rewards", {"rewards": rewards})


def play_seasons(service: Background, console: Console, visitors: int, seed: int) -> None:
    """Run two campaigns that differ only in their floor, and print how they compare.

    They have the same visitors, who would make the same clicks, and the same proposing model.
    """
    count = max(BATCH, int(SHARE_OF_VISITORS * visitors))
    crowd = Crowd.draw(count, seed)
    seasons = [Season(floor) for floor in FLOORS]
    for season in seasons:
        season.open(service)
    console.print(_introduction(service.url, count))
    turn = int(TURN * count)
    for start in range(0, count, BATCH):
        if start <= turn < start + BATCH:
            for season in seasons:
                note = (
                    f"The season turns: from here on newcomers click on {DEFAULT}, regulars do not"
                )
                service.send(f"{season.path}/notes", {"text": note})
        for season in seasons:
            season.serve(service, crowd, start, min(count, start + BATCH))
    _add_notes(service, seasons, crowd.default_clicks)
    console.print(_table(seasons, crowd.default_clicks))
    console.print(_conclusion())


def budget_of(clicks: Floats, default_clicks: Floats) -> Floats:
    """Return the clicks above the floor after each visitor: received, less those promised."""
    budget: Floats = np.cumsum(clicks) - (1 - MAX_LOSS) * np.cumsum(default_clicks)
    return np.round(budget, 9) + 0.0


def share_of(clicks: Floats, default_clicks: Floats) -> Floats:
    """Return the clicks so far over the default's in the same rounds, once it has 50."""
    ours, of_default = np.cumsum(clicks), np.cumsum(default_clicks)
    share: Floats = ours[of_default >= 50] / of_default[of_default >= 50]
    return share if len(share) else np.ones(1)


def _add_notes(service: Background, seasons: list[Season], default_clicks: Floats) -> None:
    """Note on each page what only the demo knows, and mark the one whose condition was broken."""
    for season in seasons:
        clicks = np.array(season.clicks)
        lowest = share_of(clicks, default_clicks).min()
        below = max(0.0, -float(budget_of(clicks, default_clicks).min()))
        truth = (
            f"Only the demo knows: at the lowest point, {lowest:.0%} of the clicks that {DEFAULT} "
            f"would have had in the same rounds; at most {below:.0f} below the floor"
        )
        service.send(f"{season.path}/notes", {"text": truth})
        if season.floor == "confidence":
            service.send(f"{season.path}/labels", {"labels": [BROKEN_LABEL]})


def _table(seasons: list[Season], default_clicks: Floats) -> Table:
    """Return a table of what the same visitors brought under each floor, and with the default."""
    shown = [np.array(season.clicks) for season in seasons] + [default_clicks]
    budgets = [budget_of(clicks, default_clicks) for clicks in shown]
    table = Table("", *FLOORS, "default only", box=None, pad_edge=False)
    for column in table.columns[1:]:
        column.justify = "right"
    total = default_clicks.sum() or 1.0
    lowest = [share_of(clicks, default_clicks).min() for clicks in shown]
    table.add_row("clicks", *(f"{clicks.sum():,.0f}" for clicks in shown))
    table.add_row("against the default", *(f"{clicks.sum() / total - 1:+.1%}" for clicks in shown))
    table.add_row("lowest share of the default", *(f"{share:.1%}" for share in lowest))
    table.add_row("most clicks below the floor", *(f"{max(0.0, -b.min()):.1f}" for b in budgets))
    table.add_row("visitors below the floor", *(f"{np.sum(b < 0):,}" for b in budgets))
    table.add_row(f"saw {CANDIDATE}", *(f"{s.candidates_shown:,}" for s in seasons), "0")
    return table


def _introduction(url: str, visitors: int) -> str:
    before, after = BEFORE["regular"], AFTER["regular"]
    wrong = (
        f"{before[DEFAULT]:.0%} click on {DEFAULT!r} and {before[CANDIDATE]:.0%} on {CANDIDATE!r}"
    )
    right = f"now {after[DEFAULT]:.0%} of the regulars click on {DEFAULT!r}"
    return f"""
[bold]Second act: visitors of two kinds, and a default that changes[/bold]
{url}/campaigns/randomised-floor
{url}/campaigns/confidence-floor

A model proposes {CANDIDATE!r} to regulars and {DEFAULT!r} to newcomers. At first it is
wrong: of the regulars, {wrong}. After {TURN:.0%} of
{visitors:,} visitors the season turns: {right}, and the model
is right. The same visitors come with the same luck to two campaigns, each with
a floor of {1 - MAX_LOSS:.0%}.
"""


def _conclusion() -> str:
    return f"""
Clicks received, against those that {DEFAULT!r} would have had from the very same
visitors. The confidence floor needs a default that does not change, and candidates
that do not depend on the visitor. Here it has neither: its watch on the default may
notice, but only after the harm is done. The randomised floor needs neither."""
