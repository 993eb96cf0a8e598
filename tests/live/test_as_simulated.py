"""Live campaigns decide exactly as the simulator on the same rewards."""

import numpy as np
import pytest

from floorline import Bernoulli, ByReward, Delayed, simulate
from floorline.core.cuts import best_cuts, move_cuts
from floorline.core.kernel import bind
from floorline.core.late import best_ends, late_ends
from floorline.core.pending import NONE
from floorline.core.records import new_arms, new_memory
from floorline.environments.base import draw
from floorline.live import Campaign
from floorline.live.choose import choose
from floorline.live.events import Event
from floorline.live.settings import CampaignSettings
from floorline.live.state import State
from floorline.simulation.engines.base import new_outcome
from floorline.simulation.engines.cpu import stream
from floorline.simulation.loops.late import late_run, new_late_scratch
from floorline.simulation.loops.run import Measure

NAMES = ("now", "video", "quiz")
CLICKS = Bernoulli([0.5, 0.7, 0.2])
# No share held back, and a drift alarm as good as never: the simulator has neither.
ALIKE = {"arms": NAMES, "max_loss": 0.2, "delta": 0.1, "holdback": 0.0, "drift_level": 1e-12}


@pytest.mark.parametrize("default_mean", [0.5, None])
@pytest.mark.parametrize("boundary", ["beta-binomial", "stitched"])
def test_without_delay_a_campaign_decides_as_the_simulator(default_mean, boundary):
    settings = {**ALIKE, "default_mean": default_mean, "boundary": boundary}
    settings["policy"] = "conservative-ucb"  # which draws no random numbers
    policy = CampaignSettings.for_new(settings).to_policy()
    horizon = 1500
    plays = simulate(policy, CLICKS, horizon=horizon, runs=1, checkpoints=range(1, horizon + 1))
    simulated = np.diff(plays.plays[0], axis=0, prepend=0).argmax(axis=1)
    rng = stream(1, 0)  # of run 0: all its randomness is in the rewards
    reward_of = bind(CLICKS.kernels()[draw], CLICKS.kernels())
    decided = []
    with Campaign.open(":memory:", **settings) as campaign:
        for _ in range(horizon):
            ticket = campaign.decide()
            arm = NAMES.index(ticket.arm)
            decided.append(arm)
            # The simulator draws no reward of a default arm whose mean is known.
            told = arm == 0 and default_mean is not None
            reward = 1.0 if told else reward_of(CLICKS.rules(), arm, rng)
            assert campaign.observe(ticket, reward) == "accepted"
            assert campaign.observe(ticket, reward) == "duplicate"
    assert decided == simulated.tolist()
    assert set(decided) == {0, 1, 2}


SETTINGS = {
    "conversions first": {"delay": ByReward(zero=40, above=0)},
    "some never": {"delay": range(50), "lost": [0.1, 0.1, ByReward(zero=0.9, above=0)]},
    "batches": {"delay": range(20), "batch": 25},
    "zero": {"delay": range(50), "lost": [0.2, 0.1, 0], "missing": "zero", "window": 40},
    "random": {"delay": range(50), "lost": [0.3, 0.2, 0.1], "missing": "random"},
    "repeated": {"delay": range(50), "lost": [0, 0.1, 0.1], "batch": 10, "repeated": [1, 0.5, 1]},
}


def simulated_plays(policy, environment, horizon):
    """The plays of an interpreted run: arms, rewards, and the news that came after each round."""
    prepared = policy.prepare(len(environment.means), horizon, late=True)
    late = {late_ends: best_ends, move_cuts: best_cuts}
    choices = {**prepared.kernels, **environment.kernels(), **late}
    arms, scratch = (
        new_arms(len(environment.means)),
        new_late_scratch(len(environment.means), horizon),
    )
    nothing = np.zeros(len(environment.means))
    measure = Measure(np.array([horizon]), nothing, nothing, nothing, 0.0, False, False)
    outcome = new_outcome(1, len(environment.means), measure, adversarial=False)
    bind(late_run, choices)(
        prepared.rules,
        arms,
        new_memory(prepared.memory),
        scratch,
        environment.rules(),
        measure,
        stream(1, 0),
        stream(1, 0, 1),
        outcome,
        0,
    )
    return scratch


@pytest.mark.parametrize(
    ("policy", "floor"),
    [
        ("conservative-ucb", "confidence"),
        ("conservative-thompson", "confidence"),
        ("conservative-ucb", "joint"),
    ],
)
@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize("setting", SETTINGS)
def test_with_delays_the_live_state_decides_as_the_simulator(setting, known, policy, floor):
    environment = Delayed(CLICKS, **SETTINGS[setting])
    horizon = 600
    settings = CampaignSettings(
        **ALIKE,
        default_mean=environment.means[0] if known else None,
        policy=policy,
        floor=floor,
        missing=environment.missing,
        window=None if environment.missing == "unknown" else 1.0,
    )
    scratch = simulated_plays(settings.to_policy(), environment, horizon)
    state, rng = State(settings), stream(1, 0)
    reward_of = bind(CLICKS.kernels()[draw], CLICKS.kernels())

    def happen(kind, ticket, body):
        state.apply(Event(state.seq + 1, 0.0, kind, ticket, None, body))

    tickets = []
    for round in range(horizon):
        news = scratch.first[round]
        while news != NONE:
            reward = scratch.reward[news % horizon]
            if np.isnan(reward):
                happen("expired", tickets[news], {})
            else:  # where it comes again, the ticket is no longer open
                happen("observed", tickets[news % horizon], {"reward": reward})
            news = scratch.after[news]
        body = choose(state, None, None, rng)  # no holdback, no coin
        arm = NAMES.index(body["arm"])
        assert arm == scratch.arm[round], round
        if arm > 0 or not known:
            reward_of(CLICKS.rules(), arm, rng)  # as the simulator does, from one stream
        happen("decided", None, body)
        tickets.append(state.seq)
    assert len(set(scratch.arm.tolist())) == 3
    assert (state.late > 0) == (setting == "repeated")
    assert not state.drift.alarm


def test_the_status_shows_what_a_default_of_known_mean_really_earned():
    with Campaign.open(":memory:", **ALIKE, default_mean=0.5) as campaign:
        assert campaign.status().arms[0].average is None
        for reward in (1.0, 0.0, 0.0, 0.0):
            campaign.observe(campaign.decide(candidate="now"), reward)
        assert campaign.status().arms[0].average == 0.25
