"""Cumulative sums at the end of each block, and which ends are searched.

All draws are seeded and the claims are certain: a correct build never fails.
"""

import numpy as np

from floorline.live.block_ends import COSTS, MISSING, PLAYS, BlockEnds
from floorline.live.filled_evidence import Counts


def drawn_blocks(rng, n_blocks):
    """Rows of plays, earnings and missing rewards."""
    missing = rng.binomial(100, rng.choice([0.0, 0.02, 0.5], n_blocks))
    return np.array((np.full(n_blocks, 100.0), rng.uniform(0, 100 - missing), missing))


def ends_of(blocks):
    ends = BlockEnds()
    ends.replace_after(0, blocks)
    return ends


def assert_same(one, other):
    assert one.last == other.last
    assert np.array_equal(one.sums, other.sums)
    assert np.array_equal(one.best(), other.best())


def test_sums_are_those_of_a_loop_to_the_last_bit():
    blocks = drawn_blocks(np.random.default_rng(1), 300)
    ends, total = ends_of(blocks), [0.0, 0.0, 0.0]
    assert ends.sums[:, 0].tolist() == total
    for number, block in enumerate(blocks.T.tolist(), start=1):
        total = [sum(pair) for pair in zip(total, block, strict=True)]
        assert ends.sums[:, number].tolist() == total


def test_ends_have_the_most_known_plays_after_each_cost():
    rng = np.random.default_rng(2)
    for _ in range(100):
        blocks = drawn_blocks(rng, int(rng.integers(1, 40)))
        plays, _, missing = ends_of(blocks).sums.tolist()
        for end in range(len(plays)):
            best = ends_of(blocks[:, :end]).best()
            for place, cost in enumerate(COSTS):
                values = [plays[n] - missing[n] - cost * missing[n] for n in range(end + 1)]
                last = max(range(end + 1), key=lambda number: (values[number], number))
                assert best[place] == last


def test_ends_can_be_replaced_from_anywhere():
    rng = np.random.default_rng(3)
    ends, blocks, lasts = BlockEnds(), drawn_blocks(rng, 0), []
    for _ in range(400):
        start = int(rng.integers(0, ends.last + 1))
        more = drawn_blocks(rng, int(rng.integers(0, 6)))
        blocks = np.concatenate((blocks[:, :start], more), axis=1)
        ends.replace_after(start, more)
        assert_same(ends, ends_of(blocks))
        for block in rng.integers(0, ends.last, 3 if ends.last else 0).tolist():
            if blocks[MISSING, block] > 0:
                blocks[[PLAYS, MISSING], block] -= 1
                ends.remove_missing(block)
                assert_same(ends, ends_of(blocks))
        lasts.append(ends.last)
    assert max(lasts) > 8


def test_counts_of_the_plays_between_two_ends():
    ends = ends_of(np.array([[100, 100, 99], [30, 0.1, 0.2], [0, 5, 10]]))
    assert ends.counts(0, 1) == Counts(30, 70, 0)
    up, down, missing = ends.counts(1, 3)
    assert (round(up, 12), round(down, 12), missing) == (0.3, 183.7, 15)
