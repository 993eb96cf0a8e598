"""The confidence sequence under the estimates: it holds at all times, and it closes in."""

from __future__ import annotations

import numpy as np
import pytest

from floorline.offpolicy.sequences import PENALTIES, RATES, WEIGHTS, excess_at, lower_average
from floorline.testing.odds import too_often

ALPHA = 0.1
RUNS = 300
ROUNDS = (1, 3, 10, 30, 100, 300, 1000)


def heavy(rng: np.random.Generator, rounds: int) -> tuple[np.ndarray, np.ndarray]:
    """Return weighted clicks whose chances wander, and their means."""
    chances = 0.05 + 0.9 * rng.random(rounds)
    means = 0.2 + 0.2 * np.sin(np.arange(rounds) / 50)
    played = rng.random(rounds) < chances
    return played / chances * (rng.random(rounds) < means), means


def ever_above(alpha: float, seed: int, factor: float = 1.0) -> int:
    """Count runs in which the bound, its distance shrunk by a factor, is ever above the average."""
    rng, count = np.random.default_rng(seed), 0
    for _ in range(RUNS):
        values, means = heavy(rng, ROUNDS[-1])
        for rounds in ROUNDS:
            average = values[:rounds].mean()
            bound = average - factor * (average - lower_average(values[:rounds], alpha))
            if bound > means[:rounds].mean():
                count += 1
                break
    return count


def test_it_ever_fails_as_seldom_as_it_says_and_the_test_would_notice() -> None:
    """False alarm: below 1e-6 (an exact binomial limit). Control: half the distance fails."""
    assert not too_often(ever_above(ALPHA, 1), RUNS, ALPHA)
    assert too_often(ever_above(ALPHA, 1, factor=0.3), RUNS, ALPHA)


def test_it_closes_in_on_the_average() -> None:
    values, means = heavy(np.random.default_rng(3), 20_000)
    distance = values.mean() - lower_average(values, 0.05)
    assert 0 < distance < 6 * values.std() / np.sqrt(len(values))
    assert lower_average(values, 0.05) < means.mean()


def test_the_mixture_is_at_its_level_and_weighs_less_than_one() -> None:
    assert WEIGHTS.sum() < 1 and RATES.max() < 1
    for squares in (0.0, 3.0, 5e4):
        terms = WEIGHTS * np.exp(RATES * excess_at(squares, np.log(40)) - PENALTIES * squares)
        assert terms.sum() == pytest.approx(40, rel=1e-6)


def test_fans_inequality_holds_on_a_grid() -> None:
    y = np.linspace(-1, 30, 4001)[:, None]
    assert np.all(np.exp(RATES * y - PENALTIES * y**2) <= 1 + RATES * y + 1e-12)


def test_numbers_below_zero_need_their_limit() -> None:
    """A value of -1 in one round of a hundred: the bound stays below a mean of 0."""
    rng = np.random.default_rng(5)
    for _ in range(20):
        values = np.where(rng.random(2000) < 0.01, -1.0, 0.01 / 0.99)
        assert lower_average(values, 1e-6, below=1.0) < 0
