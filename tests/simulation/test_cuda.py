"""The GPU engine without a GPU: numba's CUDA simulator, in a process of its own.

The simulator is slow, so sizes are small; benchmarks/gpu.py compares at full size on a card.
"""

import json
import os
import subprocess
import sys

import numpy as np
import pytest
from scipy import stats

from floorline import Gaussian, Policy, classical_ucb
from floorline.simulation import Case
from floorline.simulation.job import prepare

PROGRAM = """
import json, sys, warnings
warnings.simplefilter("ignore")  # unsigned words wrap around, which NumPy warns about
import numpy as np
from floorline import *

def run(name, environment, runs, device, **options):
    setting = PolicySetup.of(environment, 40, max_loss=0.3, noise_scale=0.3, **options)
    return simulate(make_policy(name, setting), environment, horizon=40, runs=runs, max_loss=0.3,
                    device=device, checkpoints=[10, 40])

"""

AGREEMENT = """
answers = {}
one_proposer = ("bayes-ucb", "anytime-moss", "empirical-ucb")
slow = ("thompson-votes", "information-directed")  # minutes in the simulator; see benchmarks/gpu.py
cases = [(name, {}) for name in CATALOGUE if name not in one_proposer and not name.endswith(slow)]
for joint in ({}, {"learned": True}, {"learned": True, "boundary": "beta-binomial"}):
    cases.append(("conservative-ucb", {"floor": "joint", **joint}))
for name, options in cases:
    for environment in (Bernoulli([0.4, 0.8, 0.1]), Adaptive([0.4, 0.8, 0.1])):
        if name == "safe-exp3-ix" and not environment.adversarial:
            continue
        if name.endswith(one_proposer) and environment.adversarial:
            continue  # slow in the simulator, and a floor's answer does not depend on them
        both = IN_FULL or name == "conservative-ucb"
        if not both and environment.adversarial != ("exp3" in name):
            continue  # where it belongs
        card = run(name, environment, 128, "cuda", **options)
        cpu = run(name, environment, 400, "python", **options)  # without a compilation
        key = f"{name}, {type(environment).__name__}, {options}"
        answers[key] = []
        for found in (card, cpu):
            assert (found.plays.sum(axis=2) == [10, 40]).all()
            values = [found.pseudo_regret[:, -1], found.lowest_budget[:, -1],
                      1.0 * (found.first_breach > 0), 1.0 * found.plays[:, -1, 0]]
            answers[key].append([[float(v.mean()), float(v.var() / len(v))] for v in values])
print(json.dumps(answers))
"""

STREAMS = """
from floorline.simulation.engines.cuda.random import Stream, start_stream, cuda_normal, cuda_uniform
environment = Gaussian([0.4, 0.8, 0.1], 0.3)
few, many = (run("conservative-thompson", environment, runs, "cuda") for runs in (5, 40))
assert np.array_equal(few.plays, many.plays[:5]), "a run depends on how many there are"
rng = Stream(np.zeros(2, np.uint64), np.zeros(1))
normals, uniforms = [], []
for r in range(200):
    start_stream(rng, np.uint64(1), np.uint64(r), np.uint64(0))
    normals.append([cuda_normal(rng) for _ in range(50)])
    uniforms.append([cuda_uniform(rng) for _ in range(50)])
print(json.dumps([normals, uniforms]))
"""

SUMS = """
import importlib
modules = [importlib.import_module("floorline.simulation." + name)
           for name in ("engines.cuda.engine", "engines.cuda.bins", "engines.cuda.parts",
                        "engines.cuda.sums", "digest", "results")]
for module in modules:  # small enough to have several of each
    vars(module).update({name: size for name, size in
                         {"CHUNK": 16, "PIECE": 4, "GROUP": 2}.items() if name in vars(module)})
cuda = modules[0]

def case(loss, environment=Gaussian([0.4, 0.8, 0.1])):  # far more noise than was told
    setting = PolicySetup(n_arms=3, horizon=20, default_mean=0.4, max_loss=0.3, noise_scale=0.3,
                      delta=0.5)
    policy = make_policy("conservative-ucb", setting)
    return dict(policy=policy, environment=environment, horizon=20,
                max_loss=loss, checkpoints=[5, 8, 20])  # many breaches are in round 8

def numbers(found, quantiles=True):
    spreads = [found.pseudo_regret, found.lowest_budget, found.rewards]
    parts = [[s.mean, s.standard_error, s.min, s.max] for s in spreads if s]
    parts += [[s.quantile(0.3) for s in spreads if s and quantiles]]
    return np.array([found.breach_rate, *found.plays.T, *sum(parts, [])])

def summarized(size, **options):
    cuda.CudaEngine._chunk = size
    return summarize(**case(0.05), runs=75, device="cuda", rewards=True, **options)

split, whole = summarized(32), summarized(96)
assert np.array_equal(numbers(split), numbers(whole)), "depends on the split into launches"
every = simulate(**case(0.05), runs=75, device="cuda", rewards=True).summary()
assert np.allclose(numbers(every), numbers(split), rtol=1e-12, atol=1e-12)
assert 0 < split.breach_rate[-1] < 1 and split.runs == 75
losses = [0.05, 0.2, 0.3]
each = [numbers(summarize(**case(loss), runs=40, device="cuda")) for loss in losses]
cuda.CudaEngine._chunk = 16
cases = [Case(**case(loss)) for loss in losses]
for one, found in zip(each, sweep(cases, runs=40, device="cuda"), strict=True):
    assert np.array_equal(one, numbers(found)), "a sweep gives other numbers"
plain = [case._replace(quantiles=False) for case in cases]
for one, found in zip(each, sweep(plain, runs=40, device="cuda"), strict=True):
    rest = numbers(found, quantiles=False)
    assert np.array_equal(one[:-2], rest), "depends on whether quantiles are wanted"
watched = summarized(32, misses=True)
assert np.array_equal(numbers(watched), numbers(split)), "watching changes something"
job = importlib.import_module("floorline.simulation.job")
engine = job.prepare(Case(**case(0.05), misses=True), 75, 1, None, "cuda").engine
engine.play(outcome := engine.outcome(75), 0, lambda done: None)
first = outcome.first_miss
assert watched.miss_rate.tolist() == [((0 < first) & (first <= c)).mean() for c in (5, 8, 20)]
print(json.dumps([watched.miss_rate.tolist(),
                  summarize(**case(0.05), runs=20_000, misses=True).miss_rate.tolist()]))
"""

COUNTED = """
from floorline.simulation import grids

sizes = []  # settings of each launch
launch = grids.CudaEngine._launch
def counted(self, records, settings, first, **rest):
    sizes.append(settings)
    launch(self, records, settings, first, **rest)
grids.CudaEngine._launch = counted

"""

CASES = """

def case(name, loss, horizon, means):
    setting = PolicySetup(n_arms=3, horizon=horizon, default_mean=means[0], max_loss=loss or 0.5,
                      noise_scale=0.3, delta=0.5)
    return Case(make_policy(name, setting), Gaussian(means), horizon, loss, [horizon // 2, horizon],
                quantiles=False)

def numbers(found):
    spreads = [[s.mean, s.standard_error, s.min, s.max]
               for s in (found.pseudo_regret, found.lowest_budget)]
    return np.array([found.breach_rate, *found.plays.T, *sum(spreads, [])]).tolist()

def swept(cases):
    sizes.clear()
    return [numbers(found) for found in sweep(cases, runs=9, device="cuda")]

good, bad = [0.4, 0.8, 0.1], [0.4, 0.1, 0.3]
"""

GRID = """
cases = [case("conservative-ucb", 0.1, 8, good), case("conservative-ucb", 0.3, 20, bad),
         case("conservative-ucb", 0.2, 12, good), case("ucb", 0.1, 12, bad),
         case("ucb", 0.2, 30, good), case("conservative-ucb", 0, 6, good)]
alone = [numbers(summarize(*one[:2], horizon=one.horizon, max_loss=one.max_loss, runs=9,
                           checkpoints=one.checkpoints, device="cuda")) for one in cases]
assert len(set(map(str, alone))) == len(cases), "all different: a mistaken setting shows"
assert swept(cases) == alone and sizes == [4, 2]
grids.MAX_LAUNCH_ROUNDS = 9 * (8 + 20)  # of 20, 12, 8 and 6 rounds, then 30 and 12
assert swept(cases) == alone and sizes == [1, 3, 1, 1]
grids.FIRST_WINDOW = 2
assert swept(cases) == alone and sizes == [2, 2, 1, 1]
"""

SAME = """
many = dict(policy=make_policy("ucb", PolicySetup(n_arms=3, horizon=30, default_mean=0.4)),
            environment=Gaussian([0.4, 0.8, 0.1]))
looks = [(30, 0.1, [3, 30]), (12, 0.1, [4, 12]), (12, 0.2, [4, 12]), (30, 0.1, [3, 30]),
         (20, 0.1, [4, 20]), (12, 0.1, [12])]  # the third has other breaches, the last another form
ours = [Case(**many, horizon=horizon, max_loss=loss, checkpoints=rounds)
        for horizon, loss, rounds in looks]
alone = [numbers(summarize(**many, horizon=horizon, max_loss=loss, checkpoints=rounds, runs=9,
                           device="cuda")) for horizon, loss, rounds in looks]
assert alone[1] != alone[2], "the loss matters"
assert swept([case._replace(quantiles=False) for case in ours]) == alone and sizes == [1, 1, 1]
with_quantiles = [found.pseudo_regret.quantile(0.3).tolist()
                  for found in sweep(ours, runs=9, device="cuda")]
assert with_quantiles == [
    summarize(**many, horizon=horizon, max_loss=loss, checkpoints=rounds, runs=9, device="cuda")
    .pseudo_regret.quantile(0.3).tolist() for horizon, loss, rounds in looks]
grids.CudaEngine.max_runs = property(lambda self: 9 if self.checkpoints.size < 4 else 8)
assert swept([case._replace(quantiles=False) for case in ours]) == alone
assert sizes == [1] * 6, "too large to merge"
skipping = case("conservative-ucb", 0.1, 20, good)
grids.CudaEngine.max_runs = 2**20
assert len(swept([skipping, skipping._replace(checkpoints=[5, 20]), skipping])) == 3
assert sizes == [2], "the same checkpoints only, where default rounds are skipped"
"""

FAILING = """
def case(horizon, policy="conservative-ucb"):
    environment = Gaussian([0.4, 0.8, 0.1], 0.3)
    setting = PolicySetup.of(environment, horizon, max_loss=0.3)
    return Case(make_policy(policy, setting), environment, horizon, 0.3)

def cases():
    yield case(8)
    yield case(12)
    yield case(8, "ucb")
    yield case(9, "ucb")._replace(horizon=-1)  # cannot be prepared

finished = []
try:
    for found in sweep(cases(), runs=9, device="cuda"):
        finished.append(int(found.checkpoints[-1]))
except ValueError as error:
    assert "horizon" in str(error)
else:
    raise AssertionError("the error is lost")
assert finished == [8, 12, 8], finished
"""

OWN = """
from typing import Any, NamedTuple

SHIFT = 1

class Own(NamedTuple):
    value: Any

@kernel
def own_arm(rules, arms, memory, round, rng):
    if rules.value[0]:
        return SHIFT
    return 0

def plays(*values):
    cases = [Case(Policy(Proposer(own_arm, rules=Own(value))), Gaussian([0.4, 0.8, 0.1]), 6, 0.1)
             for value in values]
    return [found.plays[0].tolist() for found in sweep(cases, runs=3, device="cuda")]

default, challenger = [6, 0, 0], [0, 6, 0]
whole = [np.array([0, 7]), np.array([1])]
assert plays(*whole) == [default, challenger] and sizes == [2]
for values in ([np.array([0.0]), np.array([1])], [one.astype(bool) for one in whole],
               [one.astype(np.float32) for one in whole]):
    sizes.clear()
    found = plays(*values)
    assert found == [default, challenger] and sizes == [1, 1], "types must not change"
SHIFT = 2
assert plays(*whole) == [default, [0, 0, 6]], "what was compiled before is out of date"
"""


def simulator(program: str, *, in_full: bool = False) -> str:
    environment = {**os.environ, "NUMBA_ENABLE_CUDASIM": "1"}
    done = subprocess.run(
        [sys.executable, "-c", f"IN_FULL = {in_full}\n{PROGRAM}{program}"],
        env=environment,
        capture_output=True,
        text=True,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("in_full", [False, pytest.param(True, marks=pytest.mark.soak)])
def test_every_policy_agrees_with_the_cpu(in_full):
    """In full: in a stochastic environment and against an adversary, not in one of the two.

    The CPU's runs are interpreted, which `check_policy` finds equal to the compiled ones.
    Means within 6.5 standard errors; about 120 comparisons: false alarm below 1e-8.

    A tenth of a play more is allowed where a small sample shows no spread at all.
    """
    for key, (card, cpu) in json.loads(simulator(AGREEMENT, in_full=in_full)).items():
        for (mean, variance), (other, other_variance) in zip(card, cpu, strict=True):
            error = 6.5 * np.sqrt(variance + other_variance)
            assert mean == pytest.approx(other, abs=error + 0.1), key


def test_streams_belong_to_runs_and_are_random():
    """KS tests at 1e-8, within runs and across them."""
    normals, uniforms = (np.array(part) for part in json.loads(simulator(STREAMS)))
    for draws, distribution in ((normals, stats.norm), (uniforms, stats.uniform)):
        assert stats.kstest(draws.ravel(), distribution.cdf).pvalue > 1e-8
        assert stats.kstest(draws[:, 0], distribution.cdf).pvalue > 1e-8
        assert abs(np.corrcoef(draws[:-1, 0], draws[1:, 0])[0, 1]) < 0.45  # 6 errors of 1/sqrt(199)
    assert abs(np.corrcoef(normals[:, ::2].ravel(), normals[:, 1::2].ravel())[0, 1]) < 0.09


def test_sums_made_on_the_card_are_those_of_its_runs():
    """Whatever the split into launches. Misses agree with the CPU: false alarm below 1e-9."""
    card, cpu = (np.array(rates) for rates in json.loads(simulator(SUMS)))
    assert (np.diff(card) >= 0).all() and 0.3 < cpu[0] < cpu[-1] < 0.95
    assert card == pytest.approx(cpu, abs=6.5 * np.sqrt(0.25 / 75))


def test_a_sweep_in_few_launches_gives_what_each_of_its_cases_gives_alone():
    simulator(COUNTED + CASES + GRID)


def test_cases_of_a_sweep_that_are_the_same_runs_are_played_once():
    simulator(COUNTED + CASES + SAME)


def test_an_error_in_a_sweep_keeps_what_was_finished():
    simulator(FAILING)


def test_a_proposer_of_ones_own_is_the_same_in_a_sweep():
    """Numbers and arrays share a launch if that leaves their types alone."""
    simulator(COUNTED + OWN)


@pytest.mark.parametrize("wrong", [{"horizon": 2**31}, {"seed": 2**64}])
def test_what_a_gpu_cannot_count_is_refused(wrong):
    (name,) = wrong
    given = {"horizon": 10, "seed": 1, **wrong}
    case = Case(Policy(classical_ucb()), Gaussian([0.4, 0.8]), given["horizon"], 0.1)
    with pytest.raises(ValueError, match=f"{name}: must be below"):
        prepare(case, 1, given["seed"], None, "cuda")


def test_without_a_gpu_it_says_so_in_one_line(floorline):
    from numba import cuda

    if cuda.is_available():
        pytest.skip("there is a GPU")
    done = floorline("simulate", "--policy", "ucb", "--means", "0.5,0.6", "--device", "cuda")
    assert done.returncode == 2
    assert done.stderr == (
        "floorline: --device: cuda needs an NVIDIA GPU and its driver; none was found\n"
    )


def test_without_the_extra_it_says_what_to_install():
    program = """
import sys
sys.modules["numba.cuda"] = None
from floorline import *
try:
    simulate(Policy(classical_ucb()), Gaussian([0.5, 0.6]), horizon=1, runs=1, max_loss=0.1,
             device="cuda")
except ValueError as error:
    print(error)
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stdout == "device: cuda needs the extra [cuda]: pip install 'floorline[cuda]'\n"
