"""Kernels that differ in anything must not be mistaken for each other, on disk or in memory."""

import gc
import types
from typing import NamedTuple

import numpy as np
import pytest

from floorline import (
    Boundary,
    ConfidenceFloor,
    Gaussian,
    Policy,
    Proposer,
    classical_ucb,
    kernel,
    simulate,
    unbalanced_moss,
)
from floorline.core.compiler import _cause, compiled
from floorline.core.fingerprint import fingerprint
from floorline.core.kernel import slot

ARMS = Gaussian([0.5, 0.5, 0.5], 0.1)
CHOICE = 1


def plays(proposer):
    policy = Policy(proposer, ConfidenceFloor(1.0, 0.5), Boundary(noise_scale=0.1))
    return simulate(policy, ARMS, horizon=50, runs=1).plays[0, -1].tolist()


def always(n):
    @kernel
    def arm(rules, arms, memory, round, rng, which=n):
        return which

    return arm


def test_kernels_that_differ_in_a_default_or_came_after_another_was_forgotten():
    for n in (1, 2, 1, 2):
        assert plays(Proposer(always(n)))[n] > 40
        gc.collect()
    one, two = always(1), always(2)
    assert plays(Proposer(one))[1] == plays(Proposer(two))[2] > 40


def test_a_changed_global_number_is_seen():
    @kernel
    def chosen(rules, arms, memory, round, rng):
        return CHOICE

    for n in (1, 2, 1):
        globals()["CHOICE"] = n
        assert plays(Proposer(chosen))[n] > 40


@kernel
def through_a_module(x):
    return settings.CHOICE


class Pair(NamedTuple):
    one: float
    other: float


@kernel
def with_a_record(x):
    return Pair(x, x)


@kernel
def plain_constant(x):
    return CHOICE + np.float64(2.0)


settings = types.ModuleType("settings")
settings.CHOICE = 2  # type: ignore[attr-defined]


def test_what_cannot_be_told_is_not_kept():
    assert fingerprint(plain_constant, {}).complete
    kept = fingerprint(with_a_record, {})
    assert kept.complete
    again = types.FunctionType(with_a_record.__code__, {"Pair": NamedTuple("Pair", [("a", int)])})
    again.__module__ = __name__
    assert fingerprint(kernel(again), {}).digest != kept.digest
    assert not fingerprint(through_a_module, {}).complete


@slot
def shape(x):
    raise NotImplementedError


@kernel
def square(x):
    return x * x


@kernel
def half(x):
    return x / 2


@kernel
def over_a_constant(x):
    return shape(x) + plain_constant(x)


@kernel
def over_a_module(x):
    return shape(x) + through_a_module(x)


def test_what_two_of_them_call_is_compiled_once_and_what_differs_is_not():
    one, two = (compiled(over_a_constant, {shape: chosen}) for chosen in (square, half))
    assert two(6.0) + 33.0 == one(6.0)
    inner = [function.py_func.__globals__ for function in (one, two)]
    assert inner[0]["plain_constant"] is inner[1]["plain_constant"]
    assert inner[0]["shape"] is not inner[1]["shape"]


@pytest.mark.parametrize("outer", [over_a_constant, over_a_module])
def test_what_two_of_them_call_is_compiled_again_if_a_number_has_changed(outer, monkeypatch):
    before = compiled(outer, {shape: half})(0.0)
    monkeypatch.setitem(globals(), "CHOICE", 11)
    monkeypatch.setattr(settings, "CHOICE", 12)
    assert compiled(outer, {shape: square})(0.0) == before + 10


@kernel
def off_by_one(rules, arms, memory, round, rng):
    return arms.plays.size


@kernel
def backwards(rules, arms, memory, round, rng):
    return -1


@pytest.mark.parametrize("device", ["cpu", "python"])
@pytest.mark.parametrize("propose", [off_by_one, backwards])
def test_an_arm_that_does_not_exist_is_an_error(propose, device):
    policy = Policy(Proposer(propose), ConfidenceFloor(0.1, 0.5), Boundary(noise_scale=0.1))
    with pytest.raises(ValueError, match="proposer: must name one of the arms 0 to 2"):
        simulate(policy, ARMS, horizon=100, runs=4, device=device)


@kernel
def misspelt(rules, arms, memory, round, rng):
    return arms.averages[0] > 0


@kernel
def forgets_to_return(rules, arms, memory, round, rng):
    _ = arms.plays[0]


@kernel
def returns_at_times(rules, arms, memory, round, rng):
    if arms.plays[0] > 3:
        return 0


@kernel
def returns_none(rules, arms, memory, round, rng):
    arm = None
    if round > 3:
        arm = 0
    return arm


@kernel
def imports_inside(rules, arms, memory, round, rng):
    import math

    return math.floor(0.5)


@kernel
def without_rng(rules, arms, memory, round):
    return 0


@pytest.mark.parametrize(
    ("propose", "message"),
    [
        (misspelt, "kernel misspelt: cannot be compiled: Unknown attribute 'averages'"),
        (forgets_to_return, r"kernel candidate_of: cannot be compiled: .* int\(none\)"),
        (returns_at_times, "kernel returns_at_times: must return a value on every path"),
        (returns_none, "kernel returns_none: must return a value on every path"),
        (imports_inside, "kernel imports_inside: cannot be compiled: it imports a module"),
        (
            without_rng,
            r"kernel without_rng: must take \(rules, arms, memory, round, rng\), as propose does, "
            r"not \(rules, arms, memory, round\)$",
        ),
    ],
)
def test_a_kernel_that_cannot_be_compiled_is_named_in_one_line(propose, message):
    with pytest.raises(ValueError, match=message) as caught:
        plays(Proposer(propose))
    assert "\n" not in str(caught.value)


def test_a_kernel_that_allocates_is_told_so():
    message = (
        "NRT required but not enabled\nDuring: typing of CPUDispatcher(<function mine at 0x1>)"
    )
    assert _cause(message).startswith("kernel mine: cannot be compiled: it makes an array")


def test_rules_of_a_proposer_are_a_named_tuple():
    with pytest.raises(ValueError, match=r"rules: must be a named tuple .*, not \{'kept': 0.9\}"):
        Proposer(backwards, rules={"kept": 0.9})


def test_a_proposer_made_for_other_arms_is_refused():
    policy = Policy(unbalanced_moss([30.0, 40.0], 100))
    with pytest.raises(ValueError, match="arms: must be 2, for which the proposer was built"):
        simulate(policy, ARMS, horizon=100, runs=1, max_loss=0.1)


def test_more_noise_than_the_boundary_was_told_of_warns():
    policy = Policy(classical_ucb(), ConfidenceFloor(0.1, 0.5), Boundary(noise_scale=0.05))
    with pytest.warns(UserWarning, match="noise_scale: rewards may have a scale of 0.1"):
        simulate(policy, ARMS, horizon=10, runs=1, device="python")


def test_a_kernel_whose_module_cannot_be_imported_is_not_kept_on_disk(monkeypatch):
    """As in a file that `--policy FILE.py:NAME` loads: numba could not load its code again."""
    assert fingerprint(plain_constant, {}).complete
    monkeypatch.setattr(plain_constant, "__module__", "loaded_from_a_file")
    assert not fingerprint(plain_constant, {}).complete
