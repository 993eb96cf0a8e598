"""Estimates against Vowpal Wabbit's on the same data, against NumPy, and against the truth."""

from __future__ import annotations

import io
import math
from typing import Any

import numpy as np
import pytest
import vowpalwabbit

from floorline.offpolicy import (
    LoggedData,
    evaluate,
    fixed_target,
    followed_target,
    replay,
    target_of,
)
from floorline.offpolicy.estimates import earlier_averages
from floorline.offpolicy.sequences import lower_average
from floorline.offpolicy.vowpal import features, write_vw

MEANS = {"mobile": np.array([0.3, 0.6, 0.2]), "desk": np.array([0.4, 0.1, 0.5])}


def simulated(rounds: int, seed: int, least: float = 0.05) -> LoggedData:
    """Return decisions of a logging policy whose chances wander with the past and the context."""
    rng = np.random.default_rng(seed)
    arm, reward, propensity = np.zeros(rounds, np.int64), np.zeros(rounds), np.zeros(rounds)
    contexts: list[dict[str, object] | None] = []
    totals = np.ones(3)
    for t in range(rounds):
        place = "mobile" if rng.random() < 0.5 else "desk"
        shares = totals / totals.sum()
        chances = 3 * least * np.ones(3) / 3 + (1 - 3 * least) * shares
        arm[t] = rng.choice(3, p=chances)
        reward[t] = rng.random() < MEANS[place][arm[t]]
        propensity[t] = chances[arm[t]]
        totals[arm[t]] += reward[t]
        contexts.append({"place": place})
    return LoggedData(("now", "video", "text"), arm, reward, propensity, 0.0, 1.0, contexts)


LOG = simulated(3000, 1)


def by_vowpal(log: LoggedData, arm: int, kind: str) -> float:
    """Return Vowpal Wabbit's own estimate of always playing an arm."""
    workspace = vowpalwabbit.Workspace(f"--cb {len(log.arms)} --eval --cb_type {kind} --quiet")
    for played, reward, propensity in zip(log.arm, log.reward, log.propensity, strict=True):
        workspace.learn(f"{arm + 1} {played + 1}:{-reward}:{propensity} | constant")
    estimate = -workspace.get_sum_loss() / workspace.get_weighted_examples()
    workspace.finish()
    return estimate


@pytest.mark.parametrize("arm", [0, 1, 2])
def test_inverse_propensities_are_vowpal_wabbits(arm: int) -> None:
    found = evaluate(LOG, fixed_target(LOG, LOG.arms[arm]))
    assert found.ips == pytest.approx(by_vowpal(LOG, arm, "ips"), abs=1e-5)  # in single precision


@pytest.mark.parametrize("arm", [0, 1, 2])
def test_doubly_robust_estimates_are_close_to_vowpal_wabbits(arm: int) -> None:
    """It predicts by an online regression, not by averages: within a standard error of IPS."""
    target = fixed_target(LOG, LOG.arms[arm])
    found = evaluate(LOG, target)
    values = target[np.arange(len(LOG)), LOG.arm] / LOG.propensity * LOG.reward
    error = values.std() / math.sqrt(len(LOG))
    assert found.doubly_robust == pytest.approx(by_vowpal(LOG, arm, "dr"), abs=error)


def test_the_estimates_are_their_formulas() -> None:
    target = fixed_target(LOG, "now=0.25,video=0.75")
    weights = np.array([0.25, 0.75, 0.0])[LOG.arm] / LOG.propensity
    found = evaluate(LOG, target)
    assert found.ips == pytest.approx(np.mean(weights * LOG.reward))
    assert found.self_normalised == pytest.approx(np.average(LOG.reward, weights=weights))
    assert found.mean_weight == pytest.approx(weights.mean())
    slow = []
    for t in range(len(LOG)):
        before = [LOG.reward[:t][LOG.arm[:t] == a] for a in range(3)]
        guess = np.array([one.mean() if one.size else 0.5 for one in before])
        slow.append(target[t] @ guess + weights[t] * (LOG.reward[t] - guess[LOG.arm[t]]))
    assert found.doubly_robust == pytest.approx(np.mean(slow))


def own(context: dict[str, object] | None) -> dict[str, float]:
    """Return a policy that looks at the context."""
    assert context is not None
    return {"video": 1.0} if context["place"] == "mobile" else {"text": 0.9, "now": 0.1}


def test_intervals_hold_the_truth_and_estimates_are_unbiased() -> None:
    """60 logs at 99.9%: four misses have odds below 1e-6; means within 5 standard errors."""
    truth = (0.6 + 0.9 * 0.5 + 0.1 * 0.4) / 2
    found = []
    for seed in range(60):
        log = simulated(600, seed)
        target = target_of(log, own)
        found.append(evaluate(log, target, confidence=0.999, least_propensity=0.05))
    for name in ("ips", "doubly_robust"):
        values = np.array([getattr(one, name) for one in found])
        assert abs(values.mean() - truth) < 5 * values.std() / math.sqrt(60)
    inside = [one.interval.lower <= truth <= one.interval.upper for one in found]
    robust = [one.doubly_robust_interval for one in found]
    assert sum(inside) >= 57
    assert sum(ends is not None and ends.lower <= truth <= ends.upper for ends in robust) >= 57
    assert np.mean([one.interval.upper - one.interval.lower for one in found]) < 0.6


def test_doubly_robust_is_narrower_where_rewards_are_predictable() -> None:
    rng = np.random.default_rng(1)
    arm = rng.integers(0, 2, 4000)
    reward = np.clip(0.8 + 0.1 * arm + rng.normal(0, 0.01, 4000), 0, 1)
    log = LoggedData(("now", "video"), arm, reward, np.full(4000, 0.5))
    found = evaluate(log, fixed_target(log, "video"), least_propensity=0.5)
    ends = found.doubly_robust_interval
    assert ends is not None and ends.lower < 0.9 < ends.upper
    assert ends.upper - ends.lower < 0.5 * (found.interval.upper - found.interval.lower)
    assert abs(found.doubly_robust - 0.9) < abs(found.ips - 0.9)


def test_missing_propensities_are_refused() -> None:
    propensity = LOG.propensity.copy()
    propensity[5:8] = math.nan
    log = LoggedData(LOG.arms, LOG.arm, LOG.reward, propensity)
    with pytest.raises(ValueError, match="propensities: 3 of 3,000 decisions have none"):
        evaluate(log, fixed_target(log, "now"))
    with pytest.raises(ValueError, match="propensities: 3 of"):
        write_vw(log, io.StringIO())


def test_arms_that_had_no_chance_are_noticed_and_the_interval_holds() -> None:
    """`video` could be played in half of the decisions only: IPS sees half of its value."""
    rng = np.random.default_rng(1)
    could = np.arange(4000) % 2 == 0
    arm = np.where(could, rng.integers(0, 2, 4000), 0)
    reward = (rng.random(4000) < np.array([0.3, 0.6])[arm]).astype(float)
    log = LoggedData(("now", "video"), arm, reward, np.where(could, 0.5, 1.0))
    found = evaluate(log, fixed_target(log, "video"))
    assert not found.supported and "no chance in 2,000 decisions" in repr(found)
    with pytest.raises(ValueError, match="least_propensity: there is none: in 2,000 of 4,000 dec"):
        evaluate(log, fixed_target(log, "video"), least_propensity=0.5)
    assert found.ips == pytest.approx(0.3, abs=0.05)
    assert found.interval.lower < 0.6 < found.interval.upper
    assert evaluate(log, fixed_target(log, "now")).supported
    few = LoggedData(log.arms, log.arm, log.reward, np.where(np.arange(4000) == 1, 1.0, 0.5))
    assert evaluate(few, fixed_target(few, "video")).unsupported == 1, "too few for the weights"
    assert not evaluate(few, fixed_target(few, "video")).supported


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("nothing", "policy: must be one of now, video, text, not 'nothing'"),
        ("now=0.5,video=0.4", "the shares: must be such that they add up to 1"),
        ("now=x", "a share must be a number from 0 to 1, not 'x'"),
    ],
)
def test_policies_that_are_none_are_refused(words: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        fixed_target(LOG, words)


def test_other_mistakes_are_said() -> None:
    with pytest.raises(ValueError, match="least_propensity: must be at most"):
        evaluate(LOG, fixed_target(LOG, "now"), least_propensity=0.9)
    with pytest.raises(ValueError, match="target: must be 3000 rows of 3 probabilities"):
        evaluate(LOG, np.ones((3000, 3)))
    with pytest.raises(ValueError, match=r"reward: must be from 0 to 1, not 2 \(decision 2\)"):
        LoggedData(("a", "b"), np.array([0, 1]), np.array([0.0, 2.0]), np.array([0.5, 0.5]))


def test_units_of_rewards_do_not_matter() -> None:
    scaled = LoggedData(LOG.arms, LOG.arm, -10 + 40 * LOG.reward, LOG.propensity, -10.0, 30.0)
    one, other = (evaluate(log, fixed_target(log, "uniform")) for log in (LOG, scaled))
    assert other.interval.lower == pytest.approx(-10 + 40 * one.interval.lower)
    assert other.doubly_robust == pytest.approx(-10 + 40 * one.doubly_robust)
    assert other.self_normalised == pytest.approx(-10 + 40 * one.self_normalised)


def test_vowpal_wabbit_reads_what_is_written_and_learns_from_it() -> None:
    """It finds the best arm of each place; its policy is then worth more than any one arm."""
    out = io.StringIO()
    write_vw(LOG, out)
    workspace = vowpalwabbit.Workspace("--cb_adf --cb_type mtr --quiet -q CA")
    blocks = out.getvalue().strip().split("\n\n")
    assert len(blocks) == len(LOG) and all(len(block.splitlines()) == 4 for block in blocks)
    for block in blocks * 5:
        workspace.learn(block.split("\n"))

    def learned(context: dict[str, object] | None) -> dict[str, float]:
        lines = [f"shared |Context {' '.join(features(context or {}))}"]
        scores = workspace.predict([*lines, *(f"|Arm {arm}" for arm in LOG.arms)])
        return {LOG.arms[int(np.argmin(scores))]: 1.0}

    fresh = simulated(3000, 2)
    values = {arm: evaluate(fresh, fixed_target(fresh, arm)).self_normalised for arm in LOG.arms}
    assert evaluate(fresh, target_of(fresh, learned)).self_normalised > 0.05 + max(values.values())
    workspace.finish()


def test_the_doubly_robust_interval_assumes_the_largest_weight_that_is_possible() -> None:
    """A policy that only happened to choose no arm with certainty could have chosen one."""
    target = fixed_target(LOG, "now=0.25,video=0.75")
    found = evaluate(LOG, target, least_propensity=0.05)
    predicted = earlier_averages(LOG.arm, LOG.reward, 3)
    rows = np.arange(len(LOG))
    weights = target[rows, LOG.arm] / LOG.propensity
    robust = (target * predicted).sum(axis=1) + weights * (LOG.reward - predicted[rows, LOG.arm])
    assert found.doubly_robust_interval is not None
    assert found.doubly_robust_interval.lower == lower_average(robust, 0.025, below=1 / 0.05)


@pytest.mark.parametrize("confidence", [1, 1.0, 1.5, -0.1, math.nan])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence: must be"):
        evaluate(LOG, fixed_target(LOG, "now"), confidence=confidence)


@pytest.mark.parametrize(
    ("name", "values", "message"),
    [
        ("arms", ("now", "now"), "arms: must be two or more different names"),
        ("arm", [0, -1], r"arm: must be from 0 to 1, not -1 \(decision 2\)"),  # no last arm
        ("arm", [0, 2], r"arm: must be from 0 to 1, not 2 \(decision 2\)"),
        ("arm", [0.0, 1.0], "arm: must be indices, which are whole numbers, not 'float64'"),
        ("arm", [False, True], "arm: must be indices, which are whole numbers, not 'bool'"),
        ("reward", [0.0, float("nan")], r"reward: must be from 0 to 1, not nan \(decision 2\)"),
        ("propensity", [0.5, 1.5], r"propensity: must be above 0 .* not 1.5 \(decision 2\)"),
    ],
)
def test_a_log_with_impossible_values_is_refused(name: str, values: Any, message: str) -> None:
    given = {"arms": ("now", "video"), "arm": [0, 1], "reward": [0, 1], "propensity": [0.5, 0.5]}
    LoggedData(**given)
    with pytest.raises(ValueError, match=f"^{message}"):
        LoggedData(**given | {name: values})


def test_what_is_no_policy_is_refused_by_name() -> None:
    for call in (replay, followed_target):
        with pytest.raises(ValueError, match=r"^policy: must be a Policy, not 'ucb'"):
            call(LOG, "ucb")
    with pytest.raises(ValueError, match=r"^policy: must be a function to each arm's share"):
        target_of(LOG, lambda context: "now")
