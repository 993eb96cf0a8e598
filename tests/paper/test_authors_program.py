"""The points of the figures against the authors' program.

Each may differ by 5.5 combined standard errors plus 1e-5 relative: a correct build fails a
point with probability 4e-8.
"""

from dataclasses import replace
from pathlib import Path

import pytest

from floorline.paper.authors import AuthorsComparison, compare, references
from floorline.paper.run import produce
from floorline.paper.sweeps import PARTS, PaperRun, points

GRID = [point for part in PARTS for point in points(PaperRun(), part)]


def point_of(theirs):
    """The point of the grid that the authors' number belongs to."""
    sweep = "alpha" if theirs.horizon == 10_000 else "horizon"
    for point in GRID:
        same = (point.sweep, point.policy, point.horizon) == (sweep, theirs.policy, theirs.horizon)
        if same and theirs.max_loss in point.max_losses:
            return replace(point, max_losses=(theirs.max_loss,))
    raise AssertionError(f"no point for {theirs}")


@pytest.mark.parametrize("theirs", references(), ids=lambda r: f"{r.policy} {r[1]} {r[2]}")
def test_every_number_of_the_authors_program_is_reproduced(theirs):
    settings = PaperRun(runs=4000 if theirs.horizon <= 10_000 else 1000)
    (found,) = compare(*produce([point_of(theirs)], settings))
    assert found.theirs == theirs
    assert found.agrees, found


@pytest.mark.parametrize("boundary", ["stitched", "as-printed"])
def test_another_radius_is_noticed(boundary):
    """Negative control."""
    theirs = next(r for r in references() if r[:3] == ("conservative-ucb", 10_000, 0.1))
    point = replace(point_of(theirs), boundary=boundary)
    (found,) = compare(*produce([point], PaperRun(runs=640)))
    assert not found.agrees


def test_what_agrees_is_decided_by_both_errors():
    theirs = references()[0]
    ((ours,),) = produce([point_of(theirs)], PaperRun(runs=64))
    exact = ours._replace(standard_error=0.0)
    near = exact._replace(mean=theirs.mean + 5.4 * theirs.standard_error)
    far = exact._replace(mean=theirs.mean + 5.6 * theirs.standard_error)
    assert AuthorsComparison(theirs, near).agrees
    assert not AuthorsComparison(theirs, far).agrees
    assert AuthorsComparison(theirs, far._replace(standard_error=theirs.standard_error)).agrees


def test_the_shipped_numbers_are_those_of_the_tests():
    import floorline.paper

    shipped = Path(floorline.paper.__file__).with_name("authors_regret.csv")
    assert (
        shipped.read_text() == (Path(__file__).parents[1] / "data/authors_regret.csv").read_text()
    )
