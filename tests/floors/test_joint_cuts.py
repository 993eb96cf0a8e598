"""Cuts at a common past decision, against brute force over every decision."""

import math
import random

import numpy as np
import pytest
from evidence import joint_evidence_bounded, log_evidence
from scipy import special

from floorline import Boundary, JointFloor
from floorline.core.kernel import bind
from floorline.core.records import new_arms
from floorline.floors.joint.cuts import (
    FIRST_LENGTH,
    SEGMENTS,
)
from floorline.floors.joint.evidence import default_deficit
from floorline.floors.joint.forms import Tally
from floorline.floors.joint.late import (
    ALL,
    CUT,
    CUTS,
    END,
    LATE_MEMORY,
    USES_CUT,
    best_tally,
    count_play,
    count_reward,
    forget_cut,
    look_at_cuts,
    proof,
    tally_at,
)
from floorline.floors.joint.memory import MEMORY
from floorline.floors.joint.sums import missing_cost

ARMS = 3
MAX_LOSS = 0.6
FLOOR, BOUNDARY = JointFloor(MAX_LOSS).settle(Boundary("beta-binomial"), 10**4)
RULES = FLOOR.rules(ARMS, 10**4, BOUNDARY)
KERNELS = FLOOR.kernels()
PROOF, LOOK, PLAY, REWARD = (
    bind(KERNELS.get(one, one), KERNELS) for one in (proof, look_at_cuts, count_play, count_reward)
)


def look_at_all(memory, decisions):
    forget_cut(memory)
    LOOK(RULES, played(decisions), memory, len(decisions))


def history(n, rng, lost=0.02, skipped=0.02, delay=40):
    """Decisions as (arm, reward or None, skipped), as known after the last of them."""
    means = (0.3, 0.5, 0.2)
    found = []
    for number in range(n):
        arm = rng.randrange(ARMS)
        reward = float(rng.random() < means[arm])
        late = number + rng.randrange(delay) >= n
        missing = late or rng.random() < lost
        found.append((arm, None if missing else reward, missing and rng.random() < skipped))
    return found


def in_any_order(decisions, rng, play, settle):
    """Let the decisions happen, their rewards in any order."""
    waiting = []
    for number, (arm, reward, skipped) in enumerate(decisions):
        play(arm, number)
        if skipped or reward is not None:
            waiting.append((arm, number, math.nan if skipped else reward))
        if waiting and rng.random() < 0.3:
            rng.shuffle(waiting)
            settle(*waiting.pop())
    for one in waiting:
        settle(*one)


def in_memory(decisions, rng):
    """The floor's memory after these decisions."""
    memory, arms = np.zeros(MEMORY + LATE_MEMORY), new_arms(ARMS)

    def play(arm, number):
        arms.plays[arm] += 1
        PLAY(RULES, arms, memory, arm, number, 0.0)

    def settle(arm, number, reward):
        REWARD(RULES, arms, memory, arm, number, 0.0, reward)

    in_any_order(decisions, rng, play, settle)
    return memory


def before(decisions, end):
    """The plays before a cut, one by one."""
    sums = [[0, 0, 0.0], [0, 0, 0.0]]
    for arm, reward, skipped in decisions[:end]:
        kind = sums[min(arm, 1)]
        kind[0] += not skipped
        kind[1] += reward is not None
        kind[2] += reward or 0.0
    return Tally(*sums[0], 0.0, *sums[1], 0.0)  # the spread is not used by this form


def played(decisions):
    """The arms after these decisions: plays alone."""
    arms = new_arms(ARMS)
    for arm, _, _ in decisions:
        arms.plays[arm] += 1
    return arms


def deficit_after(decisions):
    return default_deficit(MAX_LOSS, len(decisions) + 1, played(decisions).plays[0])


def proved(memory, decisions, tally):
    return PROOF(RULES, played(decisions), memory, len(decisions) + 1, tally)


def evidence_before(decisions, end, deficit):
    """Evidence from the plays before a cut, said in full: missing rewards are at the worst."""
    tally = before(decisions, end)
    filled = tally.default_total + tally.default_plays - tally.default_seen
    return joint_evidence_bounded(
        deficit, 0.0, tally.default_plays, filled, tally.challenger_total, 6.0
    )


@pytest.mark.parametrize("n", [1, 50, 8 * SEGMENTS, 8 * SEGMENTS + 1, 11 * SEGMENTS + 3, 4000])
def test_the_best_cut_is_the_best_of_all_ends_of_segments(n):
    rng = random.Random(n)
    decisions = history(n, rng)
    memory = in_memory(decisions, rng)
    assert tally_at(memory, ALL) == before(decisions, n)
    deficit = deficit_after(decisions)
    length = 2 ** (FIRST_LENGTH + int(memory[CUTS]))
    assert length * SEGMENTS >= n
    assert length == 8 or length * SEGMENTS < 2 * n
    look_at_all(memory, decisions)
    assert tally_at(memory, CUT) == before(decisions, int(memory[END]))
    most = max(evidence_before(decisions, end, deficit) for end in range(0, n + 1, length))
    assert proved(memory, decisions, tally_at(memory, CUT)) == pytest.approx(most)
    most = max(most, evidence_before(decisions, n, deficit))
    assert proved(memory, decisions, best_tally(memory)) == pytest.approx(most)


def test_the_ends_of_segments_are_nearly_as_good_as_all_decisions():
    rng = random.Random(1)
    n = 3000
    decisions = history(n, rng, delay=400)
    memory = in_memory(decisions, rng)
    deficit = deficit_after(decisions)
    exact = max(evidence_before(decisions, end, deficit) for end in range(1, n + 1))
    look_at_all(memory, decisions)
    found = proved(memory, decisions, best_tally(memory))
    assert memory[USES_CUT] == 1
    assert exact > evidence_before(decisions, n, deficit) + 5, "the case shows nothing"
    assert 0.9 * exact < found <= exact


def test_a_cut_takes_in_what_comes_later():
    rng = random.Random(2)
    decisions = history(500, rng)
    early = [
        (arm, reward if i % 3 else None, False) for i, (arm, reward, _) in enumerate(decisions)
    ]
    late = [(arm, reward, False) for arm, reward, _ in decisions]
    memory = in_memory(early, rng)
    look_at_all(memory, decisions)
    end = int(memory[END])
    assert 100 < end < 500, "the case shows nothing"
    for number in range(0, 500, 3):
        arm, reward, _ = late[number]
        if reward is not None:
            REWARD(RULES, None, memory, arm, number, 0.0, reward)
    assert tally_at(memory, CUT) == before(late, end)
    assert tally_at(memory, ALL) == before(late, 500)


def test_filling_in_at_the_worst_never_adds_evidence():
    """From delta = 1/2 on: whatever the missing rewards are, the true evidence is no less."""
    rng = np.random.default_rng(4)
    checked = 0
    for _ in range(20_000):
        rho = 10 ** rng.uniform(-1, 1.5)
        default_plays = int(10 ** rng.uniform(0, 4))
        default_total = rng.uniform(0, 1) ** 4 * default_plays
        deficit = default_plays * 10 ** rng.uniform(-3, 3)
        challenger_total = 10 ** rng.uniform(-2, 3)
        filled = joint_evidence_bounded(
            deficit, 0.0, default_plays, default_total, challenger_total, rho
        )
        if filled < math.log(2):
            continue
        checked += 1
        truth = joint_evidence_bounded(
            deficit,
            0.0,
            default_plays,
            default_total * rng.choice([1.0, 0.999, rng.uniform()]),
            challenger_total + rng.choice([0.0, 0.01, 0.3, 1.0, 10.0]),
            rho,
        )
        assert truth >= filled - 1e-9
        # A default play that turns out lost leaves both the sum and the count.
        without = joint_evidence_bounded(
            deficit,
            0.0,
            default_plays + 1,
            default_total + 1.0,
            challenger_total,
            rho,
        )
        assert without <= filled + 1e-9 or without < math.log(2)
    assert checked > 2000


def test_a_part_of_a_reward_adds_a_quarter_of_1_over_rho_at_most():
    """And it does add something: the bound is needed."""
    rho, worst = 6.0, 0.0
    for mean_sum in (0.0, 1.0, 30.0):
        for part in np.linspace(0, 1, 101):
            fall = log_evidence(mean_sum, mean_sum, rho) - log_evidence(
                mean_sum, mean_sum + part, rho
            )
            worst = max(worst, fall)
            exact = special.gammaln(rho + mean_sum) - special.gammaln(rho + mean_sum + part)
            assert fall == pytest.approx(exact + part * math.log(rho + mean_sum), abs=1e-10)
    assert 0.01 < worst <= 1 / (4 * rho)


def test_with_the_line_shifted_filling_in_never_adds_more_than_is_asked_for():
    """Where the lowest reward is not 0; a quarter of 1/rho would often not be enough."""
    rules = RULES._replace(shift=1.0, low=1.0)
    cost = bind(KERNELS[missing_cost], KERNELS)
    rng, checked, short = np.random.default_rng(6), 0, 0
    for _ in range(20_000):
        plays = int(rng.integers(1, 300))
        totals = rng.uniform() ** 2 * plays, rng.uniform() ** 2 * 100
        missing = int(rng.integers(0, 300))
        deficit = plays * 10 ** rng.uniform(-1.5, 2)
        shift = rng.uniform() * deficit
        filled = joint_evidence_bounded(deficit, shift, plays, *totals, 6.0)
        if not 1.0 <= filled < math.inf:
            continue
        checked += 1
        tally = Tally(plays, plays, totals[0], 0.0, 500.0, 500.0 - missing, totals[1], 0.0)
        asked = cost(rules, tally)
        for part in (0.001, 0.01, 0.1, 0.5, 1.0):
            truth = joint_evidence_bounded(
                deficit, shift, plays, totals[0], totals[1] + part * missing, 6.0
            )
            assert truth >= filled - asked - 1e-9
            short += truth < filled - 1 / (4 * 6.0)
    assert checked > 2000
    assert short > 20, "the case shows nothing"
