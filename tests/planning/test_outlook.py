"""Plans: medians and ranges over campaigns that are simulated as they would run."""

import math
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import numpy as np
import pytest

from floorline.core.kernel import bind
from floorline.environments.base import draw
from floorline.live import Campaign
from floorline.live.choose import choose
from floorline.live.events import Event
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.planning import Question, outlook, outlooks
from floorline.planning.outlook import MIN_RUNS, over_runs
from floorline.policies import usual_policy
from floorline.simulation import simulate
from floorline.simulation.engines.cpu import stream

QUESTION = Question(
    challengers=2, default_mean=0.5, improvement=0.4, decisions_per_day=150, days=10
)
CLICKS = Question(
    challengers=1, default_mean=0.03, improvement=0.5, decisions_per_day=1000, days=20
)


def test_a_larger_loss_finds_the_better_arm_sooner_and_no_plan_breaks_its_floor():
    found = [same[0] for same in outlooks([QUESTION], [0.05, 0.2, 0.5])]
    days = [one.takeover_day.median for one in found]
    assert days == sorted(days, reverse=True) and days[0] > days[-1]
    for one in found:
        assert one.first_exploration == math.ceil(1 / one.max_loss)
        assert one.takeover_day.low <= one.takeover_day.median <= one.takeover_day.high
        assert one.better.below_floor == one.none.below_floor == 0
        for case in (one.better, one.none):
            for band in (case.share, case.gain):
                assert np.all(band.low <= band.median) and np.all(band.median <= band.high)
            assert np.all(case.gain.low >= -one.max_loss)
            assert -one.max_loss <= case.lowest_gain.low <= case.lowest_gain.high <= 0
        assert one.better.gain.median[-1] > 0 > one.none.gain.median[-1]
        assert one.better.share.median[-1] == pytest.approx(0.98, abs=0.03)


def test_a_plan_does_not_depend_on_the_unit_of_reward():
    """Rewards counted in cents are rewards counted in euros."""
    euros = replace(QUESTION, default_mean=2.0, high=8.0, spread=1.5)
    cents = replace(QUESTION, default_mean=200.0, high=800.0, spread=150.0)
    first, second = outlook(euros, 0.2, runs=100), outlook(cents, 0.2, runs=100)
    assert np.allclose(first.better.gain.median, second.better.gain.median, atol=0.01)


def test_ranges_are_those_of_nine_runs_in_ten():
    values = np.arange(1.0, 101.0)
    values[-3:] = math.inf
    assert over_runs(values) == (5.0, 50.0, 95.0)
    assert over_runs(np.where(values < 60, values, math.inf)) == (5.0, 50.0, math.inf)


def test_too_few_runs_for_a_range_are_refused():
    with pytest.raises(ValueError, match=r"^runs: must be a whole number of at least 100"):
        outlook(QUESTION, 0.1, runs=MIN_RUNS - 1)


def test_an_error_keeps_other_cases_from_starting(monkeypatch):
    """With one thread: the second case may have started, and waits until the rest is cancelled."""
    started = []
    cancelled = threading.Event()

    class Pool(ThreadPoolExecutor):
        def shutdown(self, wait=True, *, cancel_futures=False):
            super().shutdown(wait=False, cancel_futures=cancel_futures)
            cancelled.set()
            super().shutdown(wait=wait)

    def failing(question, max_loss, **options):
        started.append(max_loss)
        if len(started) > 1 and not cancelled.wait(5):
            cancelled.set()
        raise ValueError("this case fails")

    module = sys.modules[outlooks.__module__]
    monkeypatch.setattr(module, "outlook", failing)
    monkeypatch.setattr(module, "ThreadPoolExecutor", Pool)
    monkeypatch.setattr(module, "all_cores", lambda: 1)
    with pytest.raises(ValueError, match="this case fails"):
        outlooks([QUESTION], [0.1] * 20)
    assert len(started) <= 2


def test_rare_clicks_are_learned_from_under_the_boundary_of_live_campaigns_only():
    wide, narrow = (
        outlook(replace(CLICKS, boundary=boundary), 0.1, runs=100)
        for boundary in ("stitched", "beta-binomial")
    )
    assert math.isinf(wide.takeover_day.low) and narrow.takeover_day.median < 12


def test_lost_and_late_rewards_are_simulated():
    short = replace(CLICKS, days=8)
    days = [
        outlook(question, 0.2, runs=100).takeover_day.median
        for question in (short, replace(short, delay=1000), replace(short, lost=0.05))
    ]
    assert days[0] <= days[1] < days[2]
    counted = replace(short, lost=0.2, missing="zero")
    assert outlook(counted, 0.2, runs=100).takeover_day.median < days[2]


def live_settings(question, max_loss):
    names = tuple(f"arm {i}" for i in range(question.challengers + 1))
    return CampaignSettings(
        arms=names,
        max_loss=max_loss,
        policy=usual_policy(question._setup(max_loss)),
        floor=question.floor_name,
        delta=question.delta,
        default_mean=None if question.learned else question.default_mean,
        low=question.low,
        high=question.high,
        boundary=question.boundary,
        holdback=question.share_held_back,
        drift_level=1e-12,
    )


@pytest.mark.parametrize(
    "question",
    [
        replace(QUESTION, holdback=0.2),
        replace(QUESTION, learned=False, boundary="stitched", days=3),
        replace(QUESTION, default_mean=2.0, high=8.0, spread=1.5),
    ],
    ids=["clicks", "known", "orders"],
)
def test_a_plan_plays_what_a_live_campaign_plays(question):
    """Decision for decision: the live state, with the coins and the rewards of the simulator."""
    question = replace(question, days=2, decisions_per_day=400)
    environment = question.environment(question.means(1))
    horizon = question.horizon
    for seed in (1, 2):
        simulated = simulate(
            question.policy(0.2),
            environment,
            horizon=horizon,
            runs=1,
            seed=seed,
            checkpoints=range(1, horizon + 1),
        )
        expected = np.diff(simulated.plays[0], axis=0, prepend=0).argmax(axis=1)
        settings = live_settings(question, 0.2)
        state, rng = State(settings), stream(seed, 0)
        reward_of = bind(environment.kernels()[draw], environment.kernels())
        played = []
        for _ in range(horizon):
            body = choose(state, None, rng, rng)
            arm = settings.arms.index(body["arm"])
            played.append(arm)
            state.apply(Event(state.seq + 1, 0.0, "decided", None, None, body))
            ticket = state.seq
            # The simulator draws no reward of a default arm whose mean is known.
            drawn = arm > 0 or question.learned
            reward = reward_of(environment.rules(), arm, rng) if drawn else question.default_mean
            body = {"reward": reward}
            state.apply(Event(state.seq + 1, 0.0, "observed", ticket, None, body))
        assert played == expected.tolist()
        assert len(set(played)) == 3


def brute_force(question, max_loss, campaigns):
    """The better arm's share of each day in live campaigns, played one by one.

    A reward becomes known after as many further decisions as it is late, unless it is lost.
    """
    means = question.means(1)
    rng = np.random.default_rng(7)
    settings = live_settings(question, max_loss).to_json()
    found = np.zeros((campaigns, question.days))
    for seed in range(campaigns):
        with Campaign.open(":memory:", seed=seed, **settings) as campaign, campaign.transaction():
            waiting = []
            for number in range(question.horizon):
                ticket = campaign.decide()
                arm = int(ticket.arm.removeprefix("arm "))
                found[seed, number // question.decisions_per_day] += arm == 1
                waiting.append((ticket, float(rng.random() < means[arm])))
                if len(waiting) > question.delay:
                    known = waiting.pop(0)
                    if rng.random() >= question.lost:
                        campaign.observe(*known)
    return found / question.decisions_per_day


def first_day_of_most(shares):
    """The day from which on most decisions are the better arm's, for each campaign."""
    days = np.full(len(shares), math.inf)
    for day in reversed(range(shares.shape[1])):
        still = (shares[:, day:] > 0.5).all(axis=1)
        days[still] = day + 1
    return days


PLANNED = replace(
    CLICKS, default_mean=0.1, improvement=1.0, decisions_per_day=150, days=5, holdback=0.1
)
WRONG = ({"boundary": "stitched"}, {"holdback": 0.0}, {"improvement": 0.2})


@pytest.mark.parametrize(
    ("question", "wrong"),
    [
        pytest.param(PLANNED, WRONG, id="nothing late or lost"),
        pytest.param(
            replace(PLANNED, delay=300, lost=0.13),
            ({"delay": 0}, {"lost": 0.0}),
            id="late and lost",
        ),
    ],
)
def test_medians_and_ranges_are_those_of_live_campaigns(question, wrong):
    """By order statistics: each count below fails by chance less than once in 50 million.

    The number of 100 campaigns that are at or below a plan's 5%, 50% or 95% point is binomial
    with about that chance; the plan's own runs, 20 times as many, add little to it. The counts are
    of the last day's share and of the day from which on the better arm gets most of the traffic.
    Negative controls: plans for other campaigns.
    """
    shares = brute_force(question, 0.2, campaigns=100)
    last, takeover = shares[:, -1], first_day_of_most(shares)

    def off(plan):
        """How far the levels are from what was counted, ties on either side; as plans have them."""
        return [
            max(
                0.0,
                np.count_nonzero(played < edge) - 100 * level,
                100 * level - np.count_nonzero(played <= edge),
            )
            for played, edges in (
                (last, [edge[-1] for edge in plan.better.share]),
                (takeover, plan.takeover_day),
            )
            for level, edge in zip((0.05, 0.5, 0.95), edges, strict=True)
        ]

    limits = (17, 30, 17) * 2
    found = off(outlook(question, 0.2, runs=2000))
    assert all(gap <= limit for gap, limit in zip(found, limits, strict=True)), found
    for other in wrong:
        found = off(outlook(replace(question, **other), 0.2, runs=500))
        assert any(gap > limit for gap, limit in zip(found, limits, strict=True)), other
