import pytest

from floorline.paper.sweeps import FIVE, PARTS, QUICK, RUNS, UCB, PaperRun, points


def of(sweep, settings=PaperRun()):  # noqa: B008 (it is immutable)
    return [p for part in PARTS for p in points(settings, part) if p.sweep == sweep]


def test_alpha_is_swept_as_the_authors_did():
    found = of("alpha")
    assert {p.horizon for p in found} == {10_000}
    for policy in FIVE:
        losses = [loss for p in found if p.policy == policy for loss in p.max_losses]
        assert losses == [round(0.01 * i, 2) for i in range(101)]


def test_horizons_are_swept_as_the_authors_did():
    found = of("horizon")
    assert {p.max_losses for p in found} == {(0.1,)}
    for policy in FIVE:
        assert [p.horizon for p in found if p.policy == policy] == list(range(2000, 98_001, 2000))


def test_delta_is_one_over_the_horizon():
    assert all(p.delta == 1 / p.horizon for part in PARTS for p in points(PaperRun(), part))


def test_what_does_not_depend_on_the_loss_is_simulated_once():
    assert len([p for p in of("alpha") if p.policy == UCB]) == 1
    rounds = RUNS * sum(p.horizon for sweep in ("alpha", "horizon") for p in of(sweep))
    assert rounds == pytest.approx(65e9, rel=0.02)  # 69 billion less 100 times UCB


def test_quick_has_the_same_parts_and_sweeps_and_the_ends_of_each():
    for part, sweeps in PARTS.items():
        assert [s.name for s in QUICK[part]] == [s.name for s in sweeps]
        for quick, full in zip(QUICK[part], sweeps, strict=True):
            assert quick.policies == full.policies
            assert set(quick.max_losses) <= set(full.max_losses)
            assert set(quick.horizons) <= set(full.horizons)
            assert {quick.max_losses[0], quick.max_losses[-1]} == {
                full.max_losses[0],
                full.max_losses[-1],
            }


def test_the_boundary_of_the_settings_is_used_except_where_boundaries_are_compared():
    found = of("alpha", PaperRun(boundary="stitched")) + of(
        "horizon", PaperRun(boundary="stitched")
    )
    assert {p.boundary for p in found} == {"stitched"}
    assert len({p.boundary for p in of("boundary", PaperRun(boundary="stitched"))}) == 5
