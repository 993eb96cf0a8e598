"""How benchmarks/gpu.py tells whether card and CPU agree: it must hold for rare, large counts."""

import importlib.util
import math
from pathlib import Path

import numpy as np
import pytest

PATH = Path(__file__).parents[2] / "benchmarks" / "gpu.py"


@pytest.fixture(scope="module")
def gpu():
    spec = importlib.util.spec_from_file_location("gpu_benchmark", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def losing_arm(rng, runs, rarely=3e-4):
    """Plays of a losing arm of an A/B test: 20 of them, and very rarely all the rest."""
    return np.where(rng.random(runs) < rarely, 900.0, 20.0)


def in_standard_errors(ours, theirs):
    """What was compared before: a difference of means by one side's standard deviation."""
    scale = math.sqrt(2 / len(theirs)) * theirs.std()
    return abs(ours.mean() - theirs.mean()) / max(scale, 1e-9)


def test_equal_distributions_agree_where_a_normal_limit_fails(gpu):
    """200 comparisons: the bound is exceeded with a chance of at most 1 in a million."""
    limit = math.sqrt(2 * math.log(2 * 200 / 1e-6))
    rng = np.random.default_rng(1)
    pairs = [(losing_arm(rng, 4096), losing_arm(rng, 4096)) for _ in range(200)]
    assert max(gpu.signed_sum(*pair) for pair in pairs) <= limit
    # The control: at 6.3 standard errors a normal difference would be one in three billion.
    assert max(in_standard_errors(*pair) for pair in pairs) > limit


def test_a_difference_is_seen(gpu):
    """Of 100 runs a side in 4096 where there should be 20; and of means a tenth of a deviation."""
    rng = np.random.default_rng(2)
    limit = gpu.largest_allowed(120)
    assert gpu.signed_sum(losing_arm(rng, 4096, 0.025), losing_arm(rng, 4096, 0.005)) > limit
    ours, theirs = rng.standard_normal((2, 2**16))
    assert gpu.signed_sum(ours + 0.1, theirs) > limit > gpu.signed_sum(ours, theirs)


def test_the_limit_is_that_of_hoeffdings_inequality(gpu):
    limit = gpu.largest_allowed(120)
    assert 120 * 2 * math.exp(-(limit**2) / 2) == pytest.approx(gpu.FALSE_ALARMS)
    assert gpu.signed_sum(np.ones(5), np.ones(5)) == 0.0
