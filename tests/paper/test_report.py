import re
from html.parser import HTMLParser

import pytest

from floorline.paper.claims import claims
from floorline.paper.reproduce import reproduce
from floorline.paper.run import ResultRow
from floorline.paper.sweeps import (
    BEST_LOWER,
    BUDGET_FIRST,
    CONSERVATIVE,
    FIVE,
    LEARNED,
    MOSS,
    UCB,
    PaperRun,
)

FIGURES = (
    "budget",
    "price-of-boundaries",
    "regret-over-alpha",
    "regret-over-horizon",
    "runs-below-the-floor",
)


class Page(HTMLParser):
    """Collects what a page refers to, and checks that its tags match."""

    def __init__(self, text):
        super().__init__()
        self.open, self.sources = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.sources += [value for name, value in attributes if name in ("src", "href")]
        if tag not in ("meta", "img"):
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The quick form, with few runs."""
    return reproduce(PaperRun(runs=64, quick=True), tmp_path_factory.mktemp("quick")).report.parent


@pytest.fixture
def page(folder):
    return (folder / "report.html").read_text()


def test_every_figure_is_there_in_three_formats(folder):
    begins = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}
    for name in FIGURES:
        for kind, start in begins.items():
            assert (folder / f"{name}.{kind}").read_bytes().startswith(start)


def test_the_report_needs_nothing_else(page):
    found = Page(page)
    assert found.open == []
    assert len(found.sources) == 5
    assert all(source.startswith("data:image/svg+xml;base64,") for source in found.sources)
    assert "@import" not in page and "url(" not in page


def test_the_report_says_what_was_run_and_on_what(page):
    for word in ("64 runs", "seed 1", "boundary authors", "numba", "processor", "seconds"):
        assert word in page, word


def test_the_report_compares_with_every_point_of_the_authors_program(page):
    assert "32 of 32 points agree" in page
    rows = re.findall(r"<tr class=\"\">(?:<td>[^<]*</td>){7}<td>yes</td></tr>", page)
    assert len(rows) == 32


def test_the_report_judges_every_claim(page):
    """With 64 runs the bands are wide, which says nothing against the paper's 4,000."""
    assert page.count("<td>borne out</td>") == 8
    assert page.count("<td>too few runs to tell</td>") == 1
    assert "not borne out" not in page and 'class="bad"' not in page
    assert "With the 4,000 runs of the full form it would be about 0." in page


def row(sweep, policy, max_loss, horizon, mean, error=1.0, breach=0.0):
    return ResultRow(
        sweep,
        policy,
        "authors",
        max_loss,
        horizon,
        1 / horizon,
        4000,
        1,
        mean,
        error,
        breach,
        breach,
    )


LOSSES = (0.0, 0.1, 0.3, 1.0)
REGRETS = {
    UCB: (262, 262, 262, 262),
    CONSERVATIVE: (1000, 908, 441, 315),
    LEARNED: (1000, 955, 495, 428),
    BUDGET_FIRST: (1000, 1000, 974, 312),
    MOSS: (1000, 247, 228, 223),
}
LONG = {
    UCB: (128, 453),
    CONSERVATIVE: (206, 1380),
    LEARNED: (206, 1667),
    BUDGET_FIRST: (200, 8693),
    MOSS: (153, 376),
}


def made(changes):
    """Rows as the paper describes them, some changed."""
    rows = {
        ("alpha", policy, loss): row(
            "alpha",
            policy,
            loss,
            10_000,
            mean,
            breach=0.43 if policy == MOSS and loss == 0.1 else 0.0,
        )
        for policy in FIVE
        for loss, mean in zip(LOSSES, REGRETS[policy], strict=True)
    }
    rows |= {
        ("horizon", policy, horizon): row("horizon", policy, 0.1, horizon, mean)
        for policy in FIVE
        for horizon, mean in zip((2_000, 98_000), LONG[policy], strict=True)
    }
    rows |= {
        ("fallback", policy, 0.1): row("fallback", policy, 0.1, 10_000, mean)
        for policy, mean in ((CONSERVATIVE, 908), (BEST_LOWER, 907))
    }
    for key, change in changes.items():
        rows[key] = rows[key]._replace(**change)
    return list(rows.values())


def test_all_claims_hold_on_numbers_like_the_paper_s():
    found = claims(made({}))
    assert len(found) == 9
    assert all(claim.holds for claim in found), [c.text for c in found if not c.holds]


@pytest.mark.parametrize(
    ("start", "key", "change"),
    [
        ("Conservative UCB is eventually", ("horizon", CONSERVATIVE, 98_000), {"mean": 2500.0}),
        ("Average regret degrades", ("alpha", CONSERVATIVE, 1.0), {"mean": 460.0}),
        ("Having to learn", ("alpha", LEARNED, 1.0), {"mean": 500.0}),
        ("Knowing the default mean", ("alpha", BUDGET_FIRST, 1.0), {"mean": 425.0}),
        ("BudgetFirst is so", ("alpha", BUDGET_FIRST, 0.3), {"mean": 800.0}),
        ("Unbalanced MOSS has low", ("alpha", MOSS, 0.1), {"early_breach_rate": 0.0}),
        ("Falling back", ("fallback", BEST_LOWER, 0.1), {"mean": 800.0}),
        ("Error bars", ("alpha", MOSS, 0.3), {"standard_error": 9.0}),
        ("Conservative UCB maintains", ("alpha", LEARNED, 0.3), {"breach_rate": 0.01}),
    ],
)
def test_each_claim_can_fail(start, key, change):
    found = [claim for claim in claims(made({key: change})) if claim.text.startswith(start)]
    assert [claim.holds for claim in found] == [False]


@pytest.mark.parametrize(("runs", "verdict"), [(4000, "not borne out"), (192, "too few")])
def test_wide_bands_count_against_the_paper_only_with_its_number_of_runs(runs, verdict):
    wide = {("alpha", MOSS, 0.3): {"standard_error": 9.0, "runs": runs}}
    (bars,) = (claim for claim in claims(made(wide)) if claim.text.startswith("Error bars"))
    assert not bars.holds and bars.verdict.startswith(verdict)


def test_claims_of_sweeps_that_were_not_run_are_left_out():
    rows = [r for r in made({}) if r.sweep == "fallback"]
    assert [claim.text.split()[0] for claim in claims(rows)] == ["Falling"]
