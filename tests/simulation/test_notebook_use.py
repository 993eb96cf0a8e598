"""Results as people meet them in a notebook: frames, figures, tables, comparisons."""

from __future__ import annotations

from html.parser import HTMLParser

import matplotlib
import numpy as np
import pandas as pd
import pytest
from matplotlib import pyplot

from floorline import (
    Bernoulli,
    Boundary,
    Comparison,
    ConfidenceFloor,
    Gaussian,
    Policy,
    PolicySetup,
    Switching,
    classical_ucb,
    compare,
    exp3_ix,
    make_policy,
    optimistic,
    simulate,
    summarize,
    verify,
)
from floorline.core.display import Table

ARMS = Gaussian([0.5, 0.6, 0.4])
UCB = Policy(classical_ucb())


@pytest.fixture(autouse=True)
def no_figures_left() -> None:
    matplotlib.use("Agg")
    pyplot.close("all")


class Cells(HTMLParser):
    """The texts of all cells."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.cells: list[str] = []
        self.inside = False
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.inside = tag in ("td", "th")
        self.cells += [""] if self.inside else []

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.cells[-1] += data


def test_pandas_gives_what_the_arrays_hold() -> None:
    results = simulate(
        UCB, ARMS, horizon=200, runs=30, max_loss=0.1, checkpoints=[50, 200], rewards=True
    )
    frame = results.to_pandas()
    assert len(frame) == 60
    wide = frame.pivot(index="run", columns="round", values="pseudo_regret")
    assert np.array_equal(wide.to_numpy(), results.pseudo_regret)
    last = frame[frame["round"] == 200]
    assert np.array_equal(last[["plays_0", "plays_1", "plays_2"]], results.plays[:, 1])
    assert np.array_equal(last["reward"], results.rewards[:, 1])
    by_round = frame.groupby("round")["breached"].mean()
    assert by_round.tolist() == results.summary().breach_rate.tolist()


def test_a_summary_as_a_frame_agrees_with_pandas_own_arithmetic() -> None:
    results = simulate(UCB, ARMS, horizon=200, runs=40, max_loss=0.1, checkpoints=[50, 200])
    own = results.summary().to_pandas().set_index("round")
    grouped = results.to_pandas().groupby("round")["pseudo_regret"]
    assert np.allclose(own["pseudo_regret_mean"], grouped.mean())
    assert np.allclose(own["pseudo_regret_standard_error"], grouped.sem())


def test_an_adversary_adds_regret_in_hindsight() -> None:
    policy, arms = Policy(exp3_ix(2)), Switching([0.5, 0.6], span=10)
    results = simulate(policy, arms, horizon=100, runs=4, max_loss=0.1)
    assert np.array_equal(results.to_pandas()["regret"], results.regret[:, 0])
    assert f"{results.regret.mean():,.1f}" in repr(results)


def test_text_and_html_show_the_same_numbers() -> None:
    summary = summarize(UCB, ARMS, horizon=1000, runs=100, max_loss=0.1, checkpoints=range(1, 1001))
    text = repr(summary)
    assert text.startswith("Summary of 100 runs of 1,000 rounds (8 of 1,000 checkpoints)")
    cells = Cells(summary._repr_html_()).cells
    assert len(cells) == 5 * 9 and all(cell in text for cell in cells)
    assert f"{summary.pseudo_regret.mean[-1]:,.1f}" in text


def test_names_are_escaped_in_html() -> None:
    table = Table("a <b>", ("x",), [("<script>",)])
    assert "<script>" not in table.html() and "&lt;script&gt;" in table.html()


def test_figures_show_the_mean_and_its_error() -> None:
    summary = summarize(UCB, ARMS, horizon=100, runs=50, max_loss=0.1, checkpoints=[10, 50, 100])
    axes = summary.plot()
    assert np.array_equal(axes.lines[0].get_ydata(), summary.pseudo_regret.mean)
    heights = axes.collections[0].get_paths()[0].vertices[:, 1]
    regret = summary.pseudo_regret
    assert heights.max() == pytest.approx((regret.mean + 2 * regret.standard_error).max())


def test_one_checkpoint_is_a_histogram_of_runs() -> None:
    results = simulate(UCB, ARMS, horizon=100, runs=50, max_loss=0.1)
    given = pyplot.subplots()[1]
    assert results.plot(given) is given
    assert sum(bar.get_height() for bar in given.patches) == 50


def test_compare_gives_what_summarize_gives() -> None:
    names = ["ucb", "conservative-ucb"]
    found = compare(names, ARMS, horizon=1e3, runs=100, max_loss=0.2, delta=0.1)
    setup = PolicySetup.of(ARMS, 1000, max_loss=0.2, delta=0.1)
    for name in names:
        alone = summarize(make_policy(name, setup), ARMS, horizon=1000, runs=100, max_loss=0.2)
        assert found.summaries[name].pseudo_regret.mean[-1] == pytest.approx(
            alone.pseudo_regret.mean[0]
        )
        assert found.summaries[name].breach_rate[-1] == alone.breach_rate[0]
        assert name in repr(found) and f"{alone.pseudo_regret.mean[0]:,.1f}" in repr(found)
    frame = found.to_pandas()
    assert isinstance(frame, pd.DataFrame) and frame["policy"].unique().tolist() == names
    left, right = found.plot().axes
    assert [line.get_label() for line in left.lines] == names
    assert right.get_ylabel() == "share of runs below the floor so far"


def test_compare_takes_policies_of_your_own() -> None:
    mine = Policy(optimistic(), ConfidenceFloor(0.1, default_mean=0.5), Boundary())
    found = compare({"mine": mine}, ARMS, horizon=7, runs=10)
    with pytest.raises(ValueError, match=r'^policies: one of your own needs a name: \{"mine"'):
        compare([mine], ARMS, horizon=7, runs=10)
    assert isinstance(found, Comparison)
    assert found.summaries["mine"].checkpoints.tolist() == [1, 2, 3, 4, 5, 6, 7]
    with pytest.raises(ValueError, match="setup: must be left out"):
        compare({"mine": mine}, ARMS, horizon=7, runs=10, delta=0.1)


def test_numbers_may_be_written_as_floats_if_they_are_whole() -> None:
    few = {"runs": 1e1, "max_loss": 0.1}
    written = simulate(UCB, ARMS, horizon=1e2, **few)
    assert np.array_equal(written.plays, simulate(UCB, ARMS, horizon=100, **few).plays)
    assert PolicySetup.of(ARMS, 1e4).horizon == 10_000
    assert verify(UCB, ARMS, delta=0.5, horizon=1e1, runs=1e1, max_loss=0.1).breaches.runs == 10
    with pytest.raises(ValueError, match=r"horizon: must be a whole number .* not 10\.5"):
        simulate(UCB, ARMS, horizon=10.5, runs=10, max_loss=0.1)


@pytest.mark.parametrize("call", [simulate, summarize, verify])
def test_swapped_arguments_are_said_to_be_swapped(call) -> None:
    delta = {"delta": 0.1} if call is verify else {}
    with pytest.raises(ValueError, match="policy: must be a Policy, which comes before the env"):
        call(ARMS, UCB, horizon=10, runs=10, **delta)


def test_swapped_arguments_of_compare() -> None:
    with pytest.raises(ValueError, match="environment: must be an Environment"):
        compare(ARMS, ["ucb"], horizon=10)
    with pytest.raises(ValueError, match="policies: must be a list of names, not 'ucb'"):
        compare("ucb", Bernoulli([0.1, 0.2]), horizon=10)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("checkpoints", [1.5], r"must be a whole number of at least 0, not 1\.5"),
        ("checkpoints", "x", "must be a whole number of at least 0, not 'x'"),
        ("horizon", 1e30, r"must be below 2\^62"),
    ],
)
def test_rounds_that_there_cannot_be_are_refused_by_name(name, value, message) -> None:
    with pytest.raises(ValueError, match=f"^{name}: {message}"):
        summarize(UCB, ARMS, **{"horizon": 10, "runs": 1, "max_loss": 0.1, name: value})


def test_a_setting_that_is_true_or_false_is_no_text() -> None:
    """A sweep file can say `learned = "false"`, and a text that is not empty is true in Python."""
    with pytest.raises(ValueError, match=r"^learned: must be True or False, not 'false'"):
        PolicySetup.of(ARMS, 10, learned="false")
