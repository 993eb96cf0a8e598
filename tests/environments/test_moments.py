"""Environments whose means depend on the round and the visitor's kind."""

import math

import numpy as np
import pytest

from floorline.core.kernel import bind
from floorline.core.slots import feature
from floorline.environments.changing import Changing
from floorline.environments.linear import Linear
from floorline.environments.moments import click_now, mean_now, visitor_kind
from floorline.environments.seasonal import Seasonal
from floorline.environments.segments import Segments

ENVIRONMENTS = {
    "changing": Changing([0.3, 0.4], [(5, [0.6, 0.4]), (9, [0.1, 0.9])]),
    "seasonal": Seasonal([0.3, 0.4], period=8, swing=[1.0, -0.5]),
    "linear": Linear([[1, 0.5], [1, 1]], [[0.2, 0.4], [0.8, -0.6]], shares=[0.75, 0.25]),
    "segments": Segments([[0.2, 0.4], [0.8, 0.0], [0.5, 1.0]], shares=[0.5, 0.25, 0.25]),
}


def means(environment, round, kind=0):
    mean = environment.kernels()[mean_now]
    return [mean(environment.rules(), arm, round, kind) for arm in range(2)]


def test_means_change_at_the_given_rounds():
    environment = ENVIRONMENTS["changing"]
    assert means(environment, 1) == means(environment, 4) == [0.3, 0.4]
    assert means(environment, 5) == means(environment, 8) == [0.6, 0.4]
    assert means(environment, 9) == means(environment, 10**9) == [0.1, 0.9]


def test_seasons_come_again_and_average_to_the_means():
    environment = ENVIRONMENTS["seasonal"]
    assert means(environment, 2) == pytest.approx([0.6, 0.2])
    assert means(environment, 6) == pytest.approx([0.0, 0.6])
    for round in (1, 5, 8):
        assert means(environment, round) == pytest.approx(means(environment, round + 8))
    season = np.mean([means(environment, round) for round in range(1, 9)], axis=0)
    assert season == pytest.approx(environment.means)


def test_kinds_have_their_own_means_and_shares():
    """Within 6 standard errors: false alarm below 1e-8."""
    environment = ENVIRONMENTS["segments"]
    assert means(environment, 1, kind=1) == [0.8, 0.0]
    assert environment.means == pytest.approx((0.425, 0.45))
    assert environment.kinds == 3
    draw, rules = environment.kernels()[visitor_kind], environment.rules()
    rng = np.random.default_rng(1)
    counts = np.bincount([draw(rules, rng) for _ in range(20_000)], minlength=3)
    assert counts / 20_000 == pytest.approx([0.5, 0.25, 0.25], abs=6 * 0.5 / math.sqrt(20_000))


def test_means_are_linear_in_the_features_that_proposers_are_shown():
    environment = ENVIRONMENTS["linear"]
    kernels, rules = environment.kernels(), environment.rules()
    for kind, features in enumerate(environment.features):
        shown = [kernels[feature](rules, kind, index) for index in range(2)]
        assert shown == list(features)
        assert means(environment, 1, kind) == pytest.approx(np.array(environment.weights) @ shown)
    assert environment.means == pytest.approx((0.45, 0.425))


@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_clicks_have_the_mean_of_the_moment(name):
    """Within 6 standard errors: false alarm below 1e-8."""
    environment = ENVIRONMENTS[name]
    draw, rng = bind(click_now, environment.kernels()), np.random.default_rng(2)
    for round in (1, 6, 9):
        for arm, mean in enumerate(means(environment, round)):
            clicks = [draw(environment.rules(), arm, round, 0, rng) for _ in range(4000)]
            assert set(clicks) <= {0.0, 1.0}
            assert np.mean(clicks) == pytest.approx(mean, abs=6 * 0.5 / math.sqrt(4000))


@pytest.mark.parametrize(
    ("make", "name"),
    [
        (lambda: Changing([0.3], []), "means"),
        (lambda: Changing([0.3, 0.4], [(1, [0.3, 0.4])]), "changes: a round"),
        (lambda: Changing([0.3, 0.4], [(5, [0.3, 0.4]), (5, [0.1, 0.1])]), "changes: a round"),
        (lambda: Changing([0.3, 0.4], [(5, [0.3, 0.4, 0.5])]), "changes: means from round 5"),
        (lambda: Changing([0.3, 0.4], [(5, [0.3, 1.4])]), "changes: means from round 5"),
        (lambda: Seasonal([0.3, 0.4], period=1), "period"),
        (lambda: Seasonal([0.3, 0.4], period=10, swing=1.5), "swing"),
        (lambda: Seasonal([0.3, 0.8], period=10, swing=0.5), "swing"),
        (lambda: Seasonal([0.3, 0.4], period=10, swing=[0.1]), "swing"),
        (lambda: Linear([], [[0.1], [0.2]]), "features"),
        (lambda: Linear([[1], [1, 2]], [[0.1], [0.2]]), "features"),
        (lambda: Linear([[1]], [[0.1, 0.2], [0.1, 0.2]]), "weights"),
        (lambda: Linear([[1], [2]], [[0.1], [0.6]]), "weights"),
        (lambda: Linear([[1]], [[0.1], [0.2]], shares=[0.5]), "shares"),
        (lambda: Segments([]), "by_kind"),
        (lambda: Segments([[0.3, 0.4], [0.3, 0.4, 0.5]]), "by_kind"),
        (lambda: Segments([[0.3, 0.4], [0.3, 1.4]]), "by_kind"),
        (lambda: Segments([[0.3, 0.4]], shares=[0.5, 0.5]), "shares"),
        (lambda: Segments([[0.3, 0.4], [0.3, 0.4]], shares=[0.5, 0.4]), "shares"),
    ],
)
def test_wrong_settings_are_named(make, name):
    with pytest.raises(ValueError, match=f"^{name}: must be"):
        make()
