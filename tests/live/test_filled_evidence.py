"""Evidence with missing rewards filled in at the worst: no completion has less.

The draws are seeded and the claims are certain: a correct build never fails.
"""

import math

import numpy as np
import pytest
from scipy.special import betaln, xlogy

from floorline.live import filled_evidence
from floorline.live.change_evidence import known_change_evidence
from floorline.live.filled_evidence import Counts, known_rise_evidence, rise_evidence

ROUNDING = 1e-8


def exact(up, down, since_up, since_down):
    """The least log evidence against an unchanged mean where all rewards are known."""
    weight = 2 / (np.minimum(up, down) + 4)
    prior = weight * (up + 4), weight * (down + 4)
    first = betaln(up + 0.5, down + 0.5) - betaln(0.5, 0.5)
    second = betaln(since_up + prior[0], since_down + prior[1]) - betaln(*prior)
    all_up, all_down = up + since_up, down + since_down
    plays = np.maximum(all_up + all_down, 1e-9)
    return first + second - xlogy(all_up, all_up / plays) - xlogy(all_down, all_down / plays)


def completions(missing, rng):
    """What missing plays may earn and miss, some of them removed."""
    kept = np.r_[0.0, missing, missing, rng.integers(0, missing + 1, 12)]
    share = np.r_[0.0, 0.0, 1.0, rng.beta(0.3, 0.3, 12)]
    return kept * share, kept * (1 - share)


def drawn(rng):
    """Counts before and since, from some plays to many, at rare and at frequent rewards."""
    mean = rng.choice([0.0, 0.002, 0.03, 0.3, 0.5, 0.9, 0.99])
    later = min(1.0, mean + rng.choice([0.0, 0.002, 0.03, 0.1, 0.5]))
    counts = []
    for rate in (mean, later):
        plays = int(10 ** rng.uniform(0.0, 4.0))
        missing = int(rng.integers(0, 1 + max(1, plays * rng.choice([0.001, 0.01, 0.3]))))
        seen = max(plays - missing, 0)
        up = float(rng.binomial(seen, rate)) * rng.choice([1.0, 0.75])
        counts.append(Counts(up, seen - up, missing))
    return counts


def shortfalls(draws, seed):
    """How far some completion is below the evidence that is said to be sure, and that evidence."""
    rng = np.random.default_rng(seed)
    for _ in range(draws):
        before, since = drawn(rng)
        sure = rise_evidence(before, since)
        if sure == -math.inf:
            continue
        up, down = completions(before.missing, rng)
        since_up, since_down = completions(since.missing, rng)
        least = exact(
            before.up + up[:, None],
            before.down + down[:, None],
            since.up + since_up,
            since.down + since_down,
        ).min()
        yield sure - least, sure


def test_no_completion_has_less_evidence():
    found = np.array(list(shortfalls(6000, seed=1)))
    assert (found[:, 0] <= ROUNDING * (1 + abs(found[:, 1]))).all()
    assert (found[:, 1] > 5).sum() > 300, "the claim is about evidence that there is"


def test_where_nothing_is_missing_the_evidence_is_that_of_the_rewards():
    rng = np.random.default_rng(2)
    for _ in range(300):
        before, since = (counts._replace(missing=0) for counts in drawn(rng))
        expected = exact(before.up, before.down, since.up, since.down)
        assert rise_evidence(before, since) == pytest.approx(expected, rel=1e-9, abs=1e-6)


@pytest.mark.parametrize("broken", ["conditions", "wrong way", "one prior"])
def test_evidence_that_is_not_sure_is_caught(monkeypatch, broken):
    """Negative controls: always taken as least there, filled the wrong way, the lowest prior."""
    if broken == "conditions":
        monkeypatch.setattr(filled_evidence, "is_least_there", lambda *sums: True)
    elif broken == "wrong way":
        real = rise_evidence

        def wrong(before, since):
            up, down, missing = since
            return real(before, Counts(up + missing, down, 0))

        monkeypatch.setitem(globals(), "rise_evidence", wrong)
    else:
        real_prior = filled_evidence.prior_of
        asked = {}

        def lowest(up, down):
            """`rise_evidence` asks for the lower prior first."""
            return asked.pop("low") if asked else asked.setdefault("low", real_prior(up, down))

        monkeypatch.setattr(filled_evidence, "prior_of", lowest)
    found = np.array(list(shortfalls(6000, seed=1)))
    assert (found[:, 0] > ROUNDING * (1 + abs(found[:, 1]))).any()


@pytest.mark.parametrize("mean", [0.001, 0.03, 0.5, 0.97])
def test_no_completion_has_less_evidence_against_a_known_mean(mean):
    rng = np.random.default_rng(4)
    tested = 0
    for _ in range(1500):
        _, since = drawn(rng)
        sure = known_rise_evidence(mean, since)
        if sure == -math.inf or since.up * (1 - mean) < mean * since.down:
            continue
        tested += sure > 5 and since.missing > 0
        for up, down in zip(*completions(since.missing, rng), strict=True):
            plays = since.up + since.down + up + down
            evidence = known_change_evidence(mean, plays, since.up + up)
            assert evidence >= sure - ROUNDING * (1 + abs(sure))
    assert tested > 10
