"""Thompson sampling by votes: exact chances, draws from the posterior, live propensities."""

import math
import random
from collections import Counter

import numpy as np
import pytest
from scipy import stats

from floorline import thompson_votes
from floorline.core.records import new_arms
from floorline.live import Campaign
from floorline.live.choose import choose
from floorline.live.verify import verify
from floorline.proposers.posterior import cube_root_of_gamma, pair_after, seed_of
from floorline.proposers.votes import LONGEST_TERM, VoteRules, count_votes
from floorline.testing.odds import too_often, too_seldom

DRAWS = 2000


def clicks(plays, successes):
    arms = new_arms(len(plays))
    arms.plays[:] = arms.seen[:] = plays
    arms.total[:] = successes
    arms.average[:] = np.divide(successes, np.maximum(plays, 1))
    return arms


def test_chances_follow_from_the_records_alone():
    arms, first, second = clicks([50, 40, 3], [10, 12, 1]), np.zeros(68), np.ones(68)
    rules = VoteRules(0.0, 32, 0.0, 0.0, 1.0)
    count_votes(rules, arms, first, 94)
    count_votes(rules, arms, second, 94)
    assert first[:3].tolist() == second[:3].tolist()
    assert math.fsum(first[:3]) == pytest.approx(1)
    assert np.allclose(first[:3] * 32, np.round(first[:3] * 32))
    count_votes(rules, arms, second, 95)
    assert first[:3].tolist() != second[:3].tolist()


@pytest.mark.parametrize("noise_scale", [0.0, 0.5])
def test_votes_are_those_of_the_posterior(noise_scale):
    """Shares over 60,000 voters within 0.01 of the posterior's: five standard errors and more."""
    arms = clicks([50, 40, 30], [10, 12, 5])
    memory = np.zeros(4 + 2 * 60_000)
    count_votes(VoteRules(noise_scale, 60_000, 0.0, 0.0, 1.0), arms, memory, 121)
    rng = np.random.default_rng(1)
    size = (200_000, 3)
    if noise_scale:
        draws = rng.normal(arms.average, noise_scale / np.sqrt(arms.plays), size)
    else:
        draws = rng.beta(1 + arms.total, 1 + arms.seen - arms.total, size)
    exact = np.bincount(draws.argmax(axis=1), minlength=3) / len(draws)
    assert memory[:3] == pytest.approx(exact, abs=0.012)


def test_rewards_in_any_range_are_parts_of_a_success():
    """Votes on order values from 50 to 250 are those on the same rewards from 0 to 1."""
    units, orders = clicks([50, 40, 0], [10, 12, 0]), clicks([50, 40, 0], [4500, 4400, 0])
    found = []
    for arms, low, high in ((units, 0.0, 1.0), (orders, 50.0, 250.0)):
        proposer, memory = thompson_votes(low=low, high=high), np.zeros(20)
        assert proposer.unit_rewards == (high == 1.0)
        count_votes(proposer.rules, arms, memory, 91)
        found.append(memory[:3].tolist())
    assert found[0] == found[1] and max(found[0]) < 1
    with pytest.raises(ValueError, match="high: must be"):
        thompson_votes(low=1.0, high=1.0)


def test_normal_and_gamma_draws_have_their_distributions():
    """Kolmogorov's distance at 20,000 draws: above 0.02 has odds below 1e-6."""
    arms = clicks([1, 1], [0, 1])
    number, normals = seed_of(arms, 3), []
    for _ in range(10_000):
        number, x, y = pair_after(number)
        normals += [x, y]
    assert stats.kstest(normals, "norm").statistic < 0.02
    for shape in (1.0, 3.0, 100.0):
        root, spread = cube_root_of_gamma(shape)
        gammas = [(root + spread * z) ** 3 for z in normals]
        assert stats.kstest(gammas, "gamma", args=(shape,)).statistic < 0.03


def test_a_uniform_share_leaves_every_arm_a_chance():
    arms, memory = clicks([5000, 5000, 5000], [4000, 10, 10]), np.zeros(68)
    count_votes(VoteRules(0.0, 32, 0.06, 0.0, 1.0), arms, memory, 15_001)
    assert memory[:3] == pytest.approx([0.96, 0.02, 0.02])
    with pytest.raises(ValueError, match="uniform_share: must be"):
        thompson_votes(uniform_share=1.5)


def test_votes_are_kept_for_a_while_and_longer_later():
    """Between two counts the chances do not change, and arms are drawn from them."""
    proposer, arms = thompson_votes(), clicks([50, 40, 3], [10, 12, 1])
    memory, rng, counted = np.zeros(20), np.random.default_rng(1), []
    for round in range(1, 3000):
        before = memory.copy()
        proposer.propose(proposer.rules, arms, memory, round, rng)
        if memory.tolist() == before.tolist():
            continue
        fresh = memory.copy()
        count_votes(proposer.rules, arms, fresh, round)
        assert fresh.tolist() == memory.tolist()
        counted.append(round)
        arms.seen[0] += 1  # and what is seen in between changes nothing
    terms = np.diff(counted)
    assert counted[:16] == list(range(1, 17))
    assert (np.diff(terms) >= 0).all() and terms[-1] == LONGEST_TERM


def vote_campaign(path=":memory:", **others):
    given = {"arms": ["now", "video", "text"], "max_loss": 0.5, "holdback": 0.1, "seed": 1}
    return Campaign.open(path, policy="conservative-thompson-votes", **given | others)


def run_clicks(campaign, decisions, rng):
    with campaign.transaction():
        for _ in range(decisions):
            ticket = campaign.decide()
            chance = {"now": 0.3, "video": 0.5, "text": 0.4, "quiz": 0.4}[ticket.arm]
            campaign.observe(ticket, rng.random() < chance)


@pytest.mark.parametrize("opened_again", [False, True])
def test_live_propensities_are_how_often_arms_are_played(tmp_path, opened_again):
    """From one state again and again, coins of floor and holdback included; odds below 1e-6.

    Between two counts of the votes, with rewards since the last; and where there are none yet.
    """
    with vote_campaign(tmp_path / "page") as campaign:
        run_clicks(campaign, 50, np.random.default_rng(4))
        state = campaign._state
    if opened_again:
        with Campaign.open(tmp_path / "page") as again:
            state = again._state
    played, stated = Counter(), {}
    for seed in range(DRAWS):
        body = choose(state, None, random.Random(seed), np.random.default_rng(seed))
        played[body["arm"]] += 1
        assert stated.setdefault(body["arm"], body["propensity"]) == body["propensity"]
    assert set(stated) == {"now", "video", "text"}
    assert math.fsum(stated.values()) == pytest.approx(1)
    for arm, propensity in stated.items():
        assert not too_often(played[arm], DRAWS, propensity)
        assert not too_seldom(played[arm], DRAWS, propensity)
    assert too_often(played["now"], DRAWS, stated["now"] * 0.7)  # the control


def test_votes_are_counted_again_where_arms_change_and_are_no_part_of_the_state(tmp_path):
    campaign, rng = vote_campaign(tmp_path / "page", arms_may_change=True), random.Random(2)

    def kept():
        """Return each arm's share of the votes, and the round in which they are counted again."""
        return campaign._state.proposals._draws[: len(campaign._state.active) + 1]

    run_clicks(campaign, 300, rng)
    due, before = kept()[-1], kept()
    assert campaign._state.rounds + 1 < due
    run_clicks(campaign, 1, rng)
    assert kept() == before
    for change in (
        lambda: campaign.add_arm("quiz"),
        lambda: campaign.promote_arm("video"),
        lambda: campaign.retire_arm("text"),
    ):
        change()
        assert kept() == []
        run_clicks(campaign, 1, rng)
        assert len(kept()) == len(campaign._state.active) + 1
        assert math.fsum(kept()[:-1]) == pytest.approx(1)
    before = campaign.state()
    assert before["proposer"] == []
    campaign.close()
    with Campaign.open(tmp_path / "page") as again:
        assert again.state() == before
    assert verify(str(tmp_path / "page")).problems == []
