import math

import numpy as np
import pytest

from floorline import Bernoulli, Gaussian, Tabulated
from floorline.core.kernel import bind
from floorline.environments.base import draw, draw_sum

ENVIRONMENTS = {
    "gaussian": (Gaussian([0.5, 2.0], 0.7), [0.7, 0.7]),
    "bernoulli": (Bernoulli([0.2, 0.9]), [0.4, 0.3]),
    "table": (
        Tabulated([[0.0, 1.0], [-1.0, 0.5, 3.0]], [[0.75, 0.25], [0.5, 0.25, 0.25]]),
        [math.sqrt(3) / 4, math.sqrt(0.5 + 0.0625 + 2.25 - 0.375**2)],
    ),
}


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_draws_have_the_mean_and_spread_told(name):
    """Within 6 standard errors (spread: 10%): false alarm below 1e-8."""
    environment, spreads = ENVIRONMENTS[name]
    one = bind(environment.kernels()[draw], environment.kernels())
    several = bind(environment.kernels()[draw_sum], environment.kernels())
    rules, rng = environment.rules(), np.random.default_rng(4)
    for arm, (mean, spread) in enumerate(zip(environment.means, spreads, strict=True)):
        draws = np.array([one(rules, arm, rng) for _ in range(20_000)])
        sums = np.array([several(rules, arm, 9, rng) for _ in range(5000)])
        assert draws.mean() == pytest.approx(mean, abs=6 * spread / math.sqrt(20_000))
        assert draws.std() == pytest.approx(spread, rel=0.1)
        assert sums.mean() == pytest.approx(9 * mean, abs=6 * 3 * spread / math.sqrt(5000))
        assert sums.std() == pytest.approx(3 * spread, rel=0.1)


def test_only_rewards_within_0_and_1_count_as_bounded():
    assert Bernoulli([0.1, 0.2]).bounded
    table = Tabulated([[0, 3], [-0.5]], [[0.5, 0.5], [1]])
    environments = Bernoulli([0.1, 0.2]), Gaussian([0.1, 0.2]), table
    ranges = [(one.low, one.high) for one in environments]
    assert ranges == [(0, 1), (-math.inf, math.inf), (-0.5, 3)]
    assert not Gaussian([0.1, 0.2]).bounded
    assert Tabulated([[0, 1], [0.5]], [[0.5, 0.5], [1]]).bounded
    assert not ENVIRONMENTS["table"][0].bounded


def test_a_table_is_read_from_a_file(tmp_path):
    path = tmp_path / "rewards.csv"
    path.write_text("arm,value,probability\n0,0,0.5\n0,1,0.5\n1,0.5,1\n")
    assert Tabulated.read(path).means == (0.5, 0.5)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "cannot be read"),
        ("arm,value\n0,1\n", "must have the columns"),
        ("arm,value,probability\n0,x,1\n", "must have the columns"),
        ("arm,value,probability\n0,1,1\n2,1,1\n", "arms 0, 1, 2"),
        ("arm,value,probability\n0,1,1\n", "two or more arms"),
        ("arm,value,probability\n0,1,1\n1,1,0.9\n", "with sum 1"),
        ("arm,value,probability\n0,1,1\n1,inf,1\n", "finite"),
    ],
)
def test_a_bad_table_is_refused_in_one_line(tmp_path, text, message):
    path = tmp_path / "rewards.csv"
    if text is not None:
        path.write_text(text)
    with pytest.raises(ValueError, match=message) as caught:
        Tabulated.read(path)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("means", [[0.5], [], [0.5, math.nan], [0.5, math.inf], "ab", 0.5])
def test_bad_means_are_refused(means):
    for kind in (Gaussian, Bernoulli):
        with pytest.raises(ValueError, match=r"^means: must be two or more finite numbers"):
            kind(means)


def test_a_chance_is_between_0_and_1():
    with pytest.raises(ValueError, match="from 0 to 1"):
        Bernoulli([0.5, 1.2])
