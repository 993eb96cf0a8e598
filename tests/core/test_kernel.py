import pytest

from floorline.core.kernel import bind, kernel, slot

FACTOR = 3.0


def plain(x: float) -> float:
    return x


@slot
def shape(x: float) -> float:
    raise NotImplementedError


@kernel
def double(x: float) -> float:
    return 2.0 * x


@kernel
def cube(x: float) -> float:
    return x * x * x


@kernel
def scaled(x: float) -> float:
    return FACTOR * shape(x)


@kernel
def outer(x: float) -> float:
    return scaled(x) + 1.0


@kernel
def calls_plain(x: float) -> float:
    return plain(x)


def test_slots_are_filled_all_the_way_down():
    assert bind(outer, {shape: double})(5.0) == 31.0
    assert bind(outer, {shape: cube})(2.0) == 25.0


def test_binding_leaves_the_original_alone():
    bind(outer, {shape: double})
    with pytest.raises(NotImplementedError):
        outer(1.0)


def test_wrap_meets_every_inner_kernel_once_and_not_the_outermost():
    seen = []

    def note(twin, one):
        assert twin is not one
        seen.append(one.__name__)
        return twin

    bind(outer, {shape: double}, wrap=note)
    assert sorted(seen) == ["double", "scaled"]


def test_an_open_slot_is_an_error():
    with pytest.raises(ValueError, match="slot shape is not filled"):
        bind(outer, {})


def test_calling_what_is_no_kernel_is_an_error():
    with pytest.raises(ValueError, match="calls plain, which is not a kernel"):
        bind(calls_plain, {})


def test_a_closure_is_an_error():
    secret = 4.0

    @kernel
    def leaks(x: float) -> float:
        return secret * x

    with pytest.raises(ValueError, match="enclosing function"):
        bind(leaks, {})


def test_an_attribute_that_shares_a_name_with_a_function_is_no_call():
    @kernel
    def reads(x: complex) -> float:
        return x.plain  # type: ignore[attr-defined,no-any-return]

    assert bind(reads, {})  # `plain` is also a global function that is no kernel
