"""Replay against simulation: the same policy, on logged data and in the world it came from."""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from floorline import (
    Bernoulli,
    Policy,
    PolicySetup,
    Proposer,
    RandomisedFloor,
    kernel,
    lin_ucb,
    make_policy,
    simulate,
    unknown_chance,
)
from floorline.core.random import uniform
from floorline.live import Campaign
from floorline.offpolicy import LoggedData, followed_target, read_log, replay
from floorline.simulation.stepping import Stepper

MEANS = np.array([0.3, 0.5, 0.2])
ARMS = Bernoulli(MEANS.tolist())


def logged(rounds: int, seed: int, chances: list[float]) -> LoggedData:
    rng = np.random.default_rng(seed)
    arm = rng.choice(3, size=rounds, p=chances)
    reward = (rng.random(rounds) < MEANS[arm]).astype(float)
    return LoggedData(("now", "video", "text"), arm, reward, np.array(chances)[arm])


def policy(name: str = "conservative-ucb", horizon: int = 3000):
    return make_policy(name, PolicySetup.of(ARMS, horizon, learned=True, max_loss=0.2))


def excess(chances: list[float], logs: int = 25) -> tuple[float, float]:
    """Return by how much replays earn more a round than runs in the world, and its error."""
    found = []
    for seed in range(logs):
        log = logged(3000, seed, chances)
        found.append(replay(log, policy("thompson"), seed=seed))
    points = sorted({one.rounds for one in found})
    world = simulate(
        policy("thompson"), ARMS, horizon=points[-1], runs=400, max_loss=0.2, checkpoints=points
    )
    earned = dict(zip(points, (world.plays @ MEANS).T / np.array(points)[:, None], strict=True))
    more = np.array([one.reward - earned[one.rounds].mean() for one in found])
    return more.mean(), math.hypot(more.std() / math.sqrt(logs), earned[points[0]].std() / 20)


@pytest.mark.parametrize("chances", [[1 / 3] * 3, [0.6, 0.2, 0.2]])
def test_a_replayed_policy_earns_what_it_earns_in_the_world(chances: list[float]) -> None:
    """Means of 25 replays and of 400 runs within 5 of their joint standard errors."""
    more, error = excess(chances)
    assert abs(more) < 5 * error


@kernel
def any_arm(rules, arms, memory, round, rng):
    """Return any arm, each as likely as the others."""
    return int(3 * uniform(rng))


def test_arms_are_played_as_often_as_the_policy_plays_them_not_as_logged() -> None:
    """Within 6 standard errors. The control: with wrong propensities they are not."""
    chances = [0.6, 0.2, 0.2]
    log = logged(6000, 1, chances)
    anything = Policy(Proposer(any_arm, chance=unknown_chance))
    found = replay(log, anything)
    error = math.sqrt(2 / 9 / found.rounds)
    assert abs(found.plays[0] / found.rounds - 1 / 3) < 6 * error
    wrong = replay(LoggedData(log.arms, log.arm, log.reward, np.full(6000, 1 / 3)), anything)
    assert wrong.plays[0] / wrong.rounds - 1 / 3 > 6 * math.sqrt(2 / 9 / wrong.rounds)


def test_its_interval_holds_and_its_notes_are_honest() -> None:
    result = replay(logged(3000, 1, [0.9, 0.05, 0.05]), policy())
    assert result.rounds < 3000 / 10
    assert result.interval.lower < result.reward < result.interval.upper
    text = repr(result)
    assert f"first {result.rounds:,} rounds" in text and "unbiased if" in text
    assert sum(result.plays) == result.rounds


def test_a_policy_follows_the_log() -> None:
    """UCB that has seen what was logged: it proposes the best arm in the end."""
    log = logged(2000, 1, [1 / 3] * 3)
    target = followed_target(log, policy("ucb"))
    assert target.shape == (2000, 3) and set(np.unique(target)) == {0.0, 1.0}
    assert target[-500:, 1].mean() > 0.9
    votes = followed_target(log, policy("thompson-votes"))
    assert np.allclose(votes.sum(axis=1), 1) and len(np.unique(votes)) > 5
    with pytest.raises(ValueError, match="its probabilities are not known"):
        followed_target(log, policy("thompson"))


def campaign_ledger(path: Path, name: str = "conservative-thompson-votes", **others) -> Campaign:
    campaign = Campaign.open(
        path, arms=["now", "video", "text"], max_loss=0.5, policy=name, seed=1, **others
    )
    rng = np.random.default_rng(3)
    with campaign.transaction():
        for _ in range(1200):
            ticket = campaign.decide()
            index = ["now", "video", "text"].index(ticket.arm)
            campaign.observe(ticket, float(rng.random() < MEANS[index]))
        campaign.decide()  # its reward never comes
    return campaign


def test_the_commands_work_on_a_ledger(floorline, tmp_path: Path) -> None:
    campaign_ledger(tmp_path / "page.ledger").close()
    ledger = str(tmp_path / "page.ledger")
    done = floorline("ledger", "evaluate", ledger, "--policy", "video", "--format", "json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["decisions"] == 1200 and found["left_out"] == {"without a reward": 1}
    assert found["interval"][0] < 0.5 < found["interval"][1]
    assert abs(found["self_normalised"] - 0.5) < 0.1
    assert found["settings"] == {
        "ledger": ledger,
        "policy": "video",
        "confidence": 0.95,
        "least_propensity": None,
        "max_loss": 0.1,
    }

    out = str(tmp_path / "log.csv")
    assert floorline("ledger", "export", ledger, "--out", out).returncode == 0
    table = pd.read_csv(out)
    log = read_log(Path(out))
    assert len(log) == table["reward"].notna().sum() == 1200
    assert log.propensity.tolist() == table["propensity"].tolist()[:1200]
    done = floorline("replay", out, "--policy", "ucb", "--format", "json")
    assert done.returncode == 0, done.stderr
    replayed = json.loads(done.stdout)
    assert replayed["logged"] == 1200
    settings = replayed["settings"]
    assert (settings["default"], settings["seed"], settings["max_loss"]) == ("now", 1, 0.1)
    done = floorline("replay", out, "--policy", "conservative-ucb", "--method", "weights")
    assert done.returncode == 0 and "from the logged decisions, not from its own" in done.stdout
    done = floorline("ledger", "evaluate", ledger, "--policy", "conservative-ucb")
    assert done.returncode == 0 and "doubly robust" in done.stdout

    vw = tmp_path / "log.vw"
    assert floorline("ledger", "export", ledger, "--format", "vw", "--out", str(vw)).returncode == 0
    assert vw.read_text().count("shared |Context") == 1200

    (tmp_path / "own.py").write_text("def video(context):\n    return {'video': 1.0}\n")
    own = floorline("ledger", "evaluate", ledger, "--policy", f"{tmp_path / 'own.py'}:video")
    same = floorline("ledger", "evaluate", ledger, "--policy", "video")
    assert own.stdout == same.stdout != ""


def test_a_policy_that_does_not_exist_is_refused_before_the_ledger_is_read(
    floorline, tmp_path: Path
) -> None:
    """The ledger has no propensities, which is refused only once its decisions are read."""
    path = tmp_path / "page.ledger"
    with campaign_ledger(path, "conservative-thompson", arms_may_change=True) as campaign:
        campaign.add_arm("quiz")
    words = ["ledger", "evaluate", str(path), "--policy"]
    done = floorline(*words, "vdeo")
    assert done.returncode == 2
    assert done.stderr.startswith("floorline: --policy: must be one of now, video, text, quiz, ")
    assert "uniform, ucb, conservative-ucb, " in done.stderr
    assert "decisions have none" in floorline(*words, "quiz").stderr, "an arm, though added later"


def test_an_estimate_that_does_not_exist_is_null_in_json(floorline, tmp_path: Path) -> None:
    """No decision was for `text`, so that its weights add up to 0."""
    with Campaign.open(tmp_path / "page.ledger", arms=["now", "text"], max_loss=0.1) as campaign:
        campaign.observe(campaign.decide(), True)
    words = ["ledger", "evaluate", str(tmp_path / "page.ledger"), "--policy", "text"]
    done = floorline(*words, "--format", "json")
    assert done.returncode == 0, done.stderr

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is not JSON")

    assert json.loads(done.stdout, parse_constant=refuse)["self_normalised"] is None


def test_contexts_of_a_ledger_are_kept_and_exported(floorline, tmp_path: Path) -> None:
    from floorline.live.ledgers import read_ledger
    from floorline.live.logged import logged_data

    path = tmp_path / "page.ledger"
    with Campaign.open(path, arms=["now", "video"], max_loss=0.5, seed=1) as campaign:
        campaign.observe(campaign.decide(context={"device": "phone", "age": 31}), True)
        campaign.observe(campaign.decide(), False)
    reader = read_ledger(str(path))
    log = logged_data(reader)
    reader.close()
    assert list(log.contexts) == [{"device": "phone", "age": 31}, None]
    shown = floorline("ledger", "export", str(path), "--format", "vw").stdout
    first, second, end = shown.split("\n\n")
    assert first == "shared |Context device=phone age:31\n0:-1.0:1.0 |Arm now\n|Arm video"
    assert second.startswith("shared |Context\n") and "0:0.0:" in second and end == ""


def test_a_ledger_without_propensities_is_refused(floorline, tmp_path: Path) -> None:
    campaign_ledger(tmp_path / "page.ledger", "conservative-thompson").close()
    for words in (
        ["ledger", "evaluate", str(tmp_path / "page.ledger"), "--policy", "video"],
        ["ledger", "export", str(tmp_path / "page.ledger"), "--format", "vw"],
    ):
        done = floorline(*words)
        assert done.returncode == 2 and "decisions have none" in done.stderr
        assert len(done.stderr.splitlines()) == 1


def test_silence_that_means_zero_is_a_reward(tmp_path: Path) -> None:
    from floorline.live.ledgers import read_ledger
    from floorline.live.logged import logged_data

    now = [1000.0]
    campaign = Campaign.open(
        tmp_path / "page.ledger",
        arms=["now", "video"],
        max_loss=0.1,
        missing="zero",
        window="1m",
        seed=1,
        clock=lambda: now[0],
    )
    campaign.observe(campaign.decide(), True)
    campaign.decide()
    now[0] += 100
    campaign.decide()
    campaign.pause()
    campaign.decide()
    campaign.close()
    reader = read_ledger(str(tmp_path / "page.ledger"))
    log = logged_data(reader)
    reader.close()
    assert log.reward.tolist() == [1.0, 0.0]
    assert log.left_out == {"without a reward": 1, "without a proposal": 1}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("arm,reward\na,1\n", "a table with a column 'propensity'"),
        ("arm,reward,propensity\na,,0.5\nb,x,0.5\n", "reward of decision 2 must be a number"),
        ("arm,reward,propensity\na,,\n", "log: must be of one decision or more"),
        ("arm,reward,propensity\na,1,0.5\nb,1,1.5\n", "propensity: must be above 0"),
    ],
)
def test_what_is_wrong_with_a_log_is_said(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(ValueError, match=message):
        read_log(tmp_path / "log.csv")


def test_a_uniform_log_needs_no_propensities(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text("arm,reward\na,1\nb,0\nb,1\n")
    log = read_log(tmp_path / "log.csv", default="b", uniform=True)
    assert log.arms == ("b", "a") and log.propensity.tolist() == [0.5] * 3
    (tmp_path / "log.csv").write_text("arm,reward\na,1\nb,0\nc,\n")  # c was as likely
    log = read_log(tmp_path / "log.csv", uniform=True)
    assert log.arms == ("a", "b", "c") and log.propensity.tolist() == [1 / 3] * 2


@pytest.mark.parametrize("confidence", [1.0, 1.5])
def test_a_confidence_that_is_none_is_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="confidence: must be"):
        replay(logged(10, 1, [1 / 3] * 3), policy(), confidence=confidence)


def test_a_proposer_that_looks_at_visitors_is_refused():
    """The log has no features, so every visitor would look the same to the proposer."""
    policy = Policy(lin_ucb(n_features=2), RandomisedFloor(0.1))
    with pytest.raises(ValueError, match=r"^policy: must be one whose proposer reads no features"):
        Stepper(policy, 2, 10, np.random.default_rng(1), np.random.default_rng(2))
