"""The search for a change: the points, their prices, and the bound that saves time.

All draws are seeded and the claims are certain: a correct build never fails.
"""

import math

import numpy as np
import pytest

from floorline.live.block_ends import BlockEnds
from floorline.live.change_search import ChangeSearch


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
    ends = BlockEnds()
    ends.replace_after(0, np.array(blocks).T)
    return ends


def every_point(sums, points, needed, end):
    """Replaces the bound: no point is passed over."""
    return np.ones(len(points), bool)


@pytest.mark.parametrize("mean", [None, 0.0, 0.03, 0.3])
@pytest.mark.parametrize("change", [1.0, 1.4, 0.6])
def test_the_bound_hides_no_alarm(mean, change):
    rng = np.random.default_rng(1)
    found = []
    for _ in range(150):
        ends = drawn_ends(rng, change)
        search, slow = (ChangeSearch(0.9, mean) for _ in range(2))
        slow._is_visible = slow._is_visible_if_known = every_point
        found.append(search.find(ends))
        assert found[-1] == slow.find(ends)
    assert (mean is None and change == 1.0) or any(found), "there must be alarms to hide"


@pytest.mark.parametrize("mean", [None, 0.1])
def test_the_prices_of_all_points_add_up_to_the_level(mean):
    points, needed = ChangeSearch(0.02, mean)._points_before(10**9)
    assert points[:4].tolist() == ([1, 2, 3, 4] if mean is None else [0, 1, 2, 3])
    assert len(points) < 250
    spent = sum(math.exp(-one) for one in needed)
    assert 0.015 < spent < 0.02 * (1 + 1e-12)
