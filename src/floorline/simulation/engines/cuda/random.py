"""Random draws on a GPU: a stream for every run, which depends on its number alone."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from floorline.core.kernel import kernel, rough
from floorline.core.records import Floats


class Stream(NamedTuple):
    """State of an xoroshiro128+ generator, and a spare normal draw (NaN: none)."""

    state: NDArray[np.uint64]
    spare: Floats


@kernel
def scramble(word: np.uint64) -> np.uint64:
    """Return a 64-bit word mixed so that neighbours have nothing in common (splitmix64)."""
    word = word + np.uint64(0x9E3779B97F4A7C15)
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@kernel
def start_stream(rng: Any, seed: np.uint64, run: np.uint64, side: np.uint64) -> None:
    """Initialise a stream for a seed, a run and its main or side use."""
    key = scramble(scramble(seed) ^ (run * np.uint64(2) + side))
    rng.state[0] = scramble(key)
    rng.state[1] = scramble(key + np.uint64(1))
    rng.spare[0] = math.nan


@kernel
def next_word(rng: Stream) -> np.uint64:
    """Return the next 64 random bits."""
    a = rng.state[0]
    b = rng.state[1]
    word = a + b
    b ^= a
    rng.state[0] = ((a << np.uint64(24)) | (a >> np.uint64(40))) ^ b ^ (b << np.uint64(16))
    rng.state[1] = (b << np.uint64(37)) | (b >> np.uint64(27))
    return word  # type: ignore[no-any-return]


@kernel
def cuda_uniform(rng: Stream) -> float:
    """Return a uniform draw from [0, 1)."""
    return np.float64(next_word(rng) >> np.uint64(11)) * 1.1102230246251565e-16


@kernel
def cuda_normal(rng: Stream) -> float:
    """Return a standard normal draw; the other of its pair is kept for the next call."""
    spare = rng.spare[0]
    if not math.isnan(spare):
        rng.spare[0] = math.nan
        return spare  # type: ignore[no-any-return]
    first, second = pair_of_normals(next_word(rng))
    rng.spare[0] = np.float64(second)
    return np.float64(first)


@rough
def pair_of_normals(word: np.uint64) -> tuple[np.float32, np.float32]:
    """Return two standard normals from one word, by Box and Muller in single precision."""
    share = np.float32(np.float32(word >> np.uint64(32)) + np.float32(0.5))
    angle = np.float32(np.int32(word & np.uint64(0xFFFFFFFF)))
    level = np.float32(-2.0) * math.log(share * np.float32(2.3283064e-10))
    radius = math.sqrt(max(level, np.float32(0.0)))
    turn = angle * np.float32(1.4629181e-09)  # 2 pi over 2^32
    return np.float32(radius * math.cos(turn)), np.float32(radius * math.sin(turn))


@rough
def rough_weight(exponent: float) -> float:
    """Return exp(exponent), for exponents up to 0, in single precision."""
    return np.float64(math.exp(np.float32(exponent)))
