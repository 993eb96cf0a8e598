"""Negative controls: each suite catches parts that break the rules of their kind."""

import math
from dataclasses import dataclass, replace

import pytest

from floorline import (
    BOUNDARIES,
    Adaptive,
    Bernoulli,
    Boundary,
    ConfidenceFloor,
    Floor,
    Gaussian,
    Proposer,
    Tabulated,
    beta_thompson,
    classical_ucb,
    kernel,
    optimistic,
)
from floorline.boundaries.stitched import STITCHED
from floorline.core import slots
from floorline.core.random import uniform
from floorline.environments.adversary import set_rewards
from floorline.environments.base import draw, draw_sum
from floorline.proposers.base import sure_chance
from floorline.simulation.engines.cpu import CpuEngine
from floorline.testing import (
    check_boundary,
    check_engine,
    check_environment,
    check_floor,
    check_proposer,
)

# Proposers.


@kernel
def one_too_many(rules, arms, memory, round, rng):
    """Name an arm that does not exist, now and then."""
    return round % (len(arms.plays) + 1)


@kernel
def by_round(rules, arms, memory, round, rng):
    """Name each arm in turn."""
    return round % len(arms.plays)


@kernel
def learn_beyond(rules, arms, memory, arm, reward):
    """Write to the cell after the last."""
    memory[len(arms.plays)] += reward


@kernel
def learn_before(rules, arms, memory, arm, reward):
    """Write to the cell before the first, which NumPy takes for the last."""
    memory[-1] = reward


@kernel
def learn_in_arms(rules, arms, memory, arm, reward):
    """Write to what is not its own."""
    arms.average[arm] = 0.0


@kernel
def by_interval(rules, arms, memory, round, rng):
    """Read the intervals."""
    return 1 if arms.upper[1] > 0.0 else 0


@kernel
def a_coin(rules, arms, memory, round, rng):
    """Draw the default or the first challenger."""
    return 1 if uniform(rng) < 0.5 else 0


@kernel
def even_chance(rules, arms, memory, candidate, arm):
    """Give every arm the same chance."""
    return 1.0 / len(arms.plays)


@kernel
def half_each(rules, arms, memory, candidate, arm):
    """Give chances whose sum is not 1."""
    return 0.5


@kernel
def drawn_once(rules, arms, memory, round, rng):
    """Draw in the first round, and never again."""
    if round == 1:
        memory[1] = 1.0
    return 1


@kernel
def kept_chance(rules, arms, memory, candidate, arm):
    """The chance drawn in the first round."""
    return memory[arm]


@pytest.mark.parametrize(
    ("proposer", "says"),
    [
        (Proposer(one_too_many), "named arm 4; arms are 0 to 3"),
        (Proposer(by_round, learn=learn_beyond, memory=1), "has 4 numbers, but number 4 was used"),
        (Proposer(by_round, learn=learn_before, memory=1), "number -1 was used"),
        (Proposer(by_round, learn=learn_in_arms), "arms.average was written to"),
        (Proposer(by_interval), "uses_intervals: not set"),
        (Proposer(a_coin), "chance: arm"),
        (Proposer(a_coin, chance=even_chance), "chance: arm"),
        (Proposer(by_round, chance=half_each), "are not the chances of a proposal"),
        (Proposer(by_round, steady=True), "steady: plays of the default"),
        (replace(beta_thompson(), steady=True), "steady: it draws"),
        (replace(classical_ucb(), caches=True), "caches: "),
        (
            Proposer(drawn_once, memory=1, chance=kept_chance, keeps_draws=True),
            "are not the chances of a proposal",
        ),
        (replace(classical_ucb(), optimistic=True), "optimistic: "),
        (replace(optimistic(), uses_intervals=False), "uses_intervals: "),
        (replace(beta_thompson(), chance=sure_chance), "chance: arm"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_proposer_is_caught(proposer, says):
    with pytest.raises(AssertionError, match=says):
        check_proposer(proposer)


# Floors.


@kernel
def after_five(rules, arms, memory, round, candidate):
    """Allow anything after five default rounds."""
    return 0.0 if arms.plays[0] >= 5 else 1.0


@kernel
def refuse_if_less(rules, arms, memory, round, candidate):
    """Allow unless a comparison says otherwise, which it never does of NaN."""
    ahead = arms.plays[0] - (1.0 - rules.max_loss) * round
    budget = memory[0] + arms.lower[candidate] + ahead * arms.upper[0]
    return 1.0 if budget < 0.0 else 0.0


@kernel
def a_half(rules, arms, memory, round, candidate):
    """Give a probability that takes a coin."""
    return 0.5


@kernel
def two(rules, arms, memory, round, candidate):
    """Give what is no probability."""
    return 2.0


@kernel
def every_other_time(rules, arms, memory, round, candidate):
    """Change one's mind when asked."""
    memory[0] = 1.0 - memory[0]
    return memory[0]


@kernel
def charge_beyond(rules, arms, memory, arm, probability):
    """Write to the cell after the last."""
    memory[1] += 1.0


@kernel
def far_too_many(rules, arms, memory, round, candidate):
    """Skip more rounds than needed."""
    return 50


@kernel
def count_default_plays(rules, arms, memory, arm, probability):
    """Keep an account of default plays, which a skip does not charge."""
    memory[0] -= 0.001


@dataclass(frozen=True)
class BrokenFloor(Floor):
    """The paper's floor, with some of its kernels replaced."""

    kernel: object
    slot: object = slots.fallback_probability
    max_loss: float | None = 0.1
    default_mean: float | None = 0.5
    can_fast_forward: bool = True

    needs_boundary = True
    shared_memory = 1

    def _whole(self):
        return ConfidenceFloor(self.max_loss, self.default_mean)

    def rules(self, n_arms, horizon, boundary):
        return self._whole().rules(n_arms, horizon, boundary)

    def kernels(self):
        return {**self._whole().kernels(), self.slot: self.kernel}


@pytest.mark.parametrize(
    ("floor", "says"),
    [
        (BrokenFloor(after_five, can_fast_forward=False), "below the floor in"),
        (BrokenFloor(refuse_if_less), "if lower is NaN: it must refuse"),
        (BrokenFloor(a_half), "0.5 in round 1, but it tosses no coins"),
        (BrokenFloor(two), "2.0 in round 1 is not from 0 to 1"),
        (BrokenFloor(every_other_time), "when asked again"),
        (BrokenFloor(charge_beyond, slots.charge), "has 1 numbers, but number 1 was used"),
        (BrokenFloor(far_too_many, slots.default_rounds), "skips an affordable candidate"),
        (BrokenFloor(count_default_plays, slots.charge), "default plays differs from single"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_floor_is_caught(floor, says):
    with pytest.raises(AssertionError, match=says):
        check_floor(floor, Boundary(noise_scale=0.5))


# Boundaries.


@kernel
def narrow(inverse_error, seen):
    """Give intervals that hold for one count at a time, and not for all of them together."""
    return math.sqrt(2.0 * math.log(2.0 * inverse_error) / seen)


@kernel
def wider_for_more_error(inverse_error, seen):
    """Give wider intervals the more of them may fail."""
    return 40.0 / (math.log(inverse_error) * math.sqrt(seen))


@kernel
def lower_than_that(rules, memory, arm, seen, total):
    """Give a lower end that is not the interval's."""
    return total / seen - 100.0


@kernel
def turned_round(rules, memory, arm, seen, total):
    """Give the ends in the wrong order."""
    return total / seen + 1.0, total / seen - 1.0


@kernel
def note_beyond(rules, memory, arm, reward):
    """Write where there is no memory."""
    memory[arm] += reward


class BrokenBoundary(type(STITCHED)):
    """The stitched boundary, with a kernel replaced."""

    def __init__(self, slot, kernel):
        super().__init__("broken", STITCHED.unit_radius, "", "nothing")
        object.__setattr__(self, "replaced", {slot: kernel})

    def kernels(self):
        return {**super().kernels(), **self.replaced}


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        (replace(STITCHED, name="broken", unit_radius=narrow), "an interval missed its mean in"),
        (
            replace(STITCHED, name="broken", unit_radius=wider_for_more_error),
            "but at a smaller delta",
        ),
        (BrokenBoundary(slots.lower_end, lower_than_that), "lower_end and upper_end return"),
        (BrokenBoundary(slots.interval, turned_round), "the interval after 1 rewards is"),
        (BrokenBoundary(slots.note, note_beyond), "has 0 numbers, but number 1 was used"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_boundary_is_caught(kind, says, monkeypatch):
    monkeypatch.setitem(BOUNDARIES, "broken", kind)
    with pytest.raises(AssertionError, match=says):
        check_boundary(Boundary("broken"))


def test_a_boundary_that_is_not_proved_for_so_much_noise_is_caught():
    with pytest.warns(UserWarning, match="above 0.707"):
        boundary = Boundary("as-printed", noise_scale=1.0)
    with (
        pytest.warns(UserWarning, match="above 0.707"),
        pytest.raises(AssertionError, match="an interval missed its mean"),
    ):
        check_boundary(boundary)


@pytest.mark.parametrize(
    ("name", "has_radius", "says"),
    [("stitched", False, "not set, but"), ("beta-binomial", True, "has no radius")],
)
def test_a_wrong_word_about_the_radius_is_caught(name, has_radius, says, monkeypatch):
    monkeypatch.setattr(type(BOUNDARIES[name]), "has_radius", has_radius)
    with pytest.raises((AssertionError, ValueError), match=says):
        check_boundary(Boundary(name))


# Environments.


@kernel
def sum_of_one(rules, arm, count, rng):
    """Draw a single reward and multiply it: the right mean, and too much spread."""
    return count * draw(rules, arm, rng)


class Generous(Bernoulli):
    """Pays 1 more often than it says."""

    def rules(self):
        return Bernoulli([mean + 0.1 for mean in self.means]).rules()


class Jumpy(Bernoulli):
    """Has a wrong `draw_sum`."""

    def kernels(self):
        return {**super().kernels(), draw_sum: sum_of_one}


class Quiet(Gaussian):
    """Says that it has less noise than it has."""

    def rules(self):
        return super().rules()._replace(noise_scale=1.1 * self.noise_scale)


class Jackpot(Tabulated):
    """Has rare rewards that its scale does not allow, though its variance is that of the scale."""

    noise_scale = 1.0


class Narrow(Tabulated):
    """Says that its rewards lie in a smaller range."""

    high = 0.9


@kernel
def forgets_one(rules, arms, chances, round, rng, rewards):
    """Leave the last reward as it was."""
    for i in range(len(rewards) - 1):
        rewards[i] = rules.levels[i]


@kernel
def pays_default_less(rules, arms, chances, round, rng, rewards):
    """Pay less than the default's mean in some rounds."""
    for i in range(len(rewards)):
        rewards[i] = rules.levels[i] if round % 7 else 0.0


@kernel
def plays_arms(rules, arms, chances, round, rng, rewards):
    """Write to what is not its own."""
    arms.plays[0] += 1


@dataclass(frozen=True)
class BrokenAdversary(Adaptive):
    """An adversary with a kernel replaced."""

    kernel: object = None

    def kernels(self):
        return {set_rewards: self.kernel}


RARE = 1e-2


@pytest.mark.parametrize(
    ("environment", "says"),
    [
        (Generous([0.5, 0.2]), "means: arm 0 paid"),
        (Jumpy([0.5, 0.2]), "draw_sum: sums of 7 rewards of arm 0 differ"),
        (Quiet([0.5, 0.2]), "have a standard deviation of"),
        (Jackpot([[0, 9], [0, 9]], [[1 - RARE, RARE]] * 2), "rewards of arm 0 are 4 times"),
        (Narrow([[0, 1], [0, 0.5]], [[0.5, 0.5], [0.5, 0.5]]), "arm 0 paid 0.0 to 1.0, not"),
        (BrokenAdversary([0.5, 0.7, 0.2], forgets_one), "are not within low and high"),
        (
            BrokenAdversary([0.5, 0.7, 0.2], pays_default_less),
            "the default arm pays 0.0 in round 7",
        ),
        (BrokenAdversary([0.5, 0.7, 0.2], plays_arms), "arms.plays was written to"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_broken_environment_is_caught(environment, says):
    with pytest.raises(AssertionError, match=says):
        check_environment(environment)


# Engines.


class BrokenEngine(CpuEngine):
    """The interpreted engine, to be broken."""

    def __init__(self, policy, environment, measure, seed):
        super().__init__(policy, environment, measure, seed, 1, interpreted=True)


class AlwaysFirst(BrokenEngine):
    """Takes every run for one of the first."""

    def play(self, outcome, first, tick):
        super().play(outcome, 0, tick)


class OneSeed(BrokenEngine):
    """Knows one seed."""

    def __init__(self, policy, environment, measure, seed):
        super().__init__(policy, environment, measure, 1)


class ByCount(BrokenEngine):
    """Has other random numbers if there are more runs."""

    def play(self, outcome, first, tick):
        self._seed = len(outcome.first_breach)
        super().play(outcome, first, tick)


class Silent(BrokenEngine):
    """Never says how far it is."""

    def play(self, outcome, first, tick):
        super().play(outcome, first, lambda done: None)


class Lazy(BrokenEngine):
    """Leaves out the last run."""

    def play(self, outcome, first, tick):
        whole = self.outcome(len(outcome.first_breach))
        super().play(whole, first, tick)
        for mine, theirs in zip(outcome, whole, strict=True):
            mine[:-1] = theirs[:-1]


class Halved(BrokenEngine):
    """Sums up half of the runs."""

    def parts(self, runs, tick):
        yield from super().parts(runs // 2, tick)


@pytest.mark.parametrize(
    ("engine", "says"),
    [
        (AlwaysFirst, "runs depend on those played before"),
        (OneSeed, "runs of other seeds are the same"),
        (ByCount, "runs depend on"),
        (Silent, "tick: the last call reported 0"),
        (Lazy, "outcome: some of"),
        (Halved, "parts: they do not sum up"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.__name__,
)
def test_a_broken_engine_is_caught(engine, says):
    with pytest.raises(AssertionError, match=says):
        check_engine(engine, runs=64)


def test_an_engine_of_another_distribution_is_caught():
    """Its runs are those of a policy that may lose twice as much."""

    def make(policy, environment, measure, seed):
        floor = getattr(policy.rules.floor, "max_loss", None)
        if floor is not None:
            rules = policy.rules._replace(floor=policy.rules.floor._replace(max_loss=0.9))
            policy = policy._replace(rules=rules)
        return CpuEngine(policy, environment, measure, seed, 1, interpreted=True)

    with pytest.raises(AssertionError, match="differ from th"):
        check_engine(make)
