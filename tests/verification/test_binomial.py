import pytest
from scipy.stats import beta, binom

from floorline.verification.binomial import at_least, limits


@pytest.mark.parametrize("trials", [1, 10, 1000, 10**8])
@pytest.mark.parametrize("share", [0.0, 1e-7, 1e-3, 0.3, 0.999, 1.0])
@pytest.mark.parametrize("confidence", [0.9, 0.999])
def test_limits_are_quantiles_of_the_beta_distribution(trials, share, confidence):
    count = round(share * trials)
    risk = (1 - confidence) / 2
    low = beta.ppf(risk, count, trials - count + 1) if count else 0
    high = beta.ppf(1 - risk, count + 1, trials - count) if count < trials else 1
    assert limits(count, trials, confidence) == pytest.approx((low, high), rel=1e-6)


@pytest.mark.parametrize("count", [1, 3, 50, 99, 100])
@pytest.mark.parametrize("chance", [0.0, 1e-6, 0.03, 0.5, 0.97, 1.0])
def test_tails_are_those_of_the_binomial_distribution(count, chance):
    exact = binom.sf(count - 1, 100, chance)
    assert at_least(count, 100, chance) == pytest.approx(exact, rel=1e-10, abs=1e-15)


def test_more_successes_than_trials_are_refused():
    with pytest.raises(ValueError, match="count: must be at most the 3 trials, not 4"):
        limits(4, 3, 0.9)
