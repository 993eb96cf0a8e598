"""Beta draws against scipy, and the two bounds that make them exact.

KS tests at p = 1e-8, correlations at 6 standard errors: false alarms below 1 in 10^7.
"""

import math

import numpy as np
import pytest
from scipy import stats

from floorline.core.records import new_arms
from floorline.proposers import beta_draws
from floorline.proposers.beta_draws import acceptance, proposal_of, rejection_bound
from floorline.proposers.thompson import DRAWN, ROWS, draw_odds

N = 20_000
POSTERIORS = [(1.0, 1.0), (1.0, 30.0), (2.5, 1.5), (300.5, 40.5), (9e4, 1e5)]


def draws():
    """Draws from all posteriors, a row for each round."""
    arms, rng = new_arms(len(POSTERIORS)), np.random.default_rng(2)
    for i, (a, b) in enumerate(POSTERIORS):
        arms.total[i], arms.seen[i] = a - 1, a + b - 2
    memory = np.zeros(ROWS * len(POSTERIORS) + 1)
    found = np.empty((N, len(POSTERIORS)))
    for row in found:
        draw_odds(None, arms, memory, rng)
        odds = memory[DRAWN * len(row) : ROWS * len(row)]
        row[:] = odds / (1 + odds)
    return found


def p_value(found, distribution):
    return stats.kstest(found, distribution.cdf).pvalue


def test_draws_are_beta_and_independent_of_each_other():
    found = draws()
    for x, (a, b) in zip(found.T, POSTERIORS, strict=True):
        assert p_value(x, stats.beta(a, b)) > 1e-8
        assert p_value(x, stats.beta(a * 1.2, b)) < 1e-8
    ranks = np.column_stack(
        [stats.beta(a, b).cdf(x) for x, (a, b) in zip(found.T, POSTERIORS, strict=True)]
    )
    off_diagonal = np.corrcoef(ranks.T) - np.eye(len(POSTERIORS))
    assert np.abs(off_diagonal).max() < 6 / math.sqrt(N)


def test_without_rejection_draws_would_not_be_beta(monkeypatch):
    monkeypatch.setattr(beta_draws, "REJECTION", 0.0)
    monkeypatch.setattr(beta_draws, "REJECTION_GROWTH", 1e-300)
    found = draws()[:, 0]
    assert p_value(found, stats.beta(*POSTERIORS[0])) < 1e-8


def grid():
    """Parameters, and for each pair many z: near 0, and over all that the parameters allow."""
    parameters = [1, 1.1, 1.5, 2, 3, 6, 20, 100, 1e3, 1e4, 1e6]
    for a in parameters:
        for b in parameters:
            far = np.linspace(-9, 9, 271)
            for z in np.concatenate([far, far * math.sqrt(a + b)]).tolist():
                yield a, b, z


def largest_acceptance():
    found = 0.0
    for a, b, z in grid():
        left, right, bend, _, _ = proposal_of(a, b)
        try:
            found = max(found, acceptance(a, b, left, right, bend, z))
        except OverflowError:
            return math.inf
    return found


def test_no_draw_would_have_to_be_accepted_with_more_than_certainty():
    assert largest_acceptance() <= 1 + 1e-9  # rounding


@pytest.mark.parametrize(
    ("name", "change"), [("BEND_BY_SUM", 1.1), ("BEND_BY_SPREAD", 0.6), ("WIDENING", 0.8)]
)
def test_with_other_constants_some_would(monkeypatch, name, change):
    monkeypatch.setattr(beta_draws, name, change * getattr(beta_draws, name))
    assert largest_acceptance() > 1 + 1e-8


@pytest.mark.parametrize(("change", "holds"), [(1.0, True), (0.95, False)])
def test_a_draw_is_accepted_at_once_only_where_it_would_be_accepted(change, holds):
    found = True
    for a, b, z in grid():
        left, right, bend, _, factor = proposal_of(a, b)
        least = 1 - rejection_bound(change * factor, z)
        found = found and least <= acceptance(a, b, left, right, bend, z) + 1e-9
    assert found == holds
