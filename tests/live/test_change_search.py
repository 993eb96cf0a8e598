"""The search for a change: the points, their prices, the ends, and the bound that saves time.

All draws are seeded and the claims are certain: a correct build never fails.
"""

import math

import numpy as np
import pytest

from floorline.live.change_search import COSTS, START, ChangeSearch, add_blocks


def drawn_ends(rng, change):
    """Ends of up to 40 blocks, with a change at some block, and missing rewards."""
    n_blocks, mean = int(rng.integers(2, 40)), rng.choice([0.03, 0.3, 0.7])
    share = rng.choice([0.0, 0.001, 0.05])
    blocks = []
    for number in range(n_blocks):
        later = number >= n_blocks // 2
        missing = int(rng.binomial(100, 0.9 if rng.random() < 0.1 and share else share))
        up = rng.binomial(100 - missing, mean * change if later else mean)
        blocks.append((100, float(up), missing))
    ends = [START]
    add_blocks(ends, blocks)
    return ends


@pytest.mark.parametrize("mean", [None, 0.0, 0.03, 0.3])
@pytest.mark.parametrize("change", [1.0, 1.4, 0.6])
def test_the_bound_hides_no_alarm(mean, change):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(150):
        ends = drawn_ends(rng, change)
        search, slow = (ChangeSearch(0.9, mean) for _ in range(2))
        slow._visible = slow._visible_known = lambda ends, end, s=slow: s._points_before(end)
        found.append(search.find(ends))
        assert found[-1] == slow.find(ends)
    assert (mean is None and change == 1.0) or any(found), "there must be alarms to hide"


def test_ends_have_the_most_known_plays_after_each_cost():
    rng = np.random.default_rng(2)
    for _ in range(100):
        ends = drawn_ends(rng, 1.0)
        for place, cost in enumerate(COSTS):
            values = [end.plays - end.missing - cost * end.missing for end in ends]
            last = max(range(len(ends)), key=lambda number: (values[number], number))
            assert ends[-1].best[place] == last


def test_blocks_can_be_added_one_by_one():
    rng = np.random.default_rng(3)
    blocks = [(100, float(rng.integers(0, 50)), int(rng.integers(0, 3))) for _ in range(50)]
    one, other = [START], [START]
    add_blocks(one, blocks)
    for block in blocks:
        add_blocks(other, [block])
    assert one == other


@pytest.mark.parametrize("mean", [None, 0.1])
def test_the_prices_of_all_points_add_up_to_the_level(mean):
    points = ChangeSearch(0.02, mean)._points_before(10**9)
    assert [point for point, _ in points[:4]] == ([1, 2, 3, 4] if mean is None else [0, 1, 2, 3])
    assert len(points) < 250
    spent = sum(math.exp(-needed) for _, needed in points)
    assert 0.015 < spent < 0.02 * (1 + 1e-12)
