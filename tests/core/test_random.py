import numpy as np

from floorline.core.random import normal, uniform


def test_normal_and_uniform_are_the_generators_own():
    ours, numpys = np.random.default_rng(3), np.random.default_rng(3)
    assert normal(ours) == numpys.standard_normal()
    assert uniform(ours) == numpys.random()
