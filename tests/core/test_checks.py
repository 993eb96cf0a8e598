import math

import pytest

from floorline.core.checks import choice, number, whole


@pytest.mark.parametrize("value", [-0.1, 1.1, math.nan, math.inf, "x", None])
def test_number_refuses_what_is_outside(value):
    with pytest.raises(ValueError, match=r"max_loss: must be a number at least 0 and at most 1"):
        number("max_loss", value, 0, 1)


def test_number_with_an_open_end():
    assert number("delta", 1, 0, 1, open_low=True) == 1.0
    with pytest.raises(ValueError, match="above 0"):
        number("delta", 0, 0, 1, open_low=True)


@pytest.mark.parametrize("value", [0, -3, 1.5, "7", True, None])
def test_whole_refuses_what_is_no_count(value):
    with pytest.raises(ValueError, match="runs: must be a whole number of at least 1"):
        whole("runs", value, 1)


def test_choice_says_what_is_allowed():
    with pytest.raises(ValueError, match="fallback: must be one of a, b, not 'c'"):
        choice("fallback", "c", ["a", "b"])
