"""The joint floor's evidence in one piece, for tests; the floor keeps the costs of its sums."""

from floorline.floors.joint.evidence import divergence, evidence_on_line, mixture_cost
from floorline.floors.joint.subgaussian_form import normal_cost, subgaussian_on_line


def log_evidence(mean_sum, total, rho):
    """Log evidence against `mean_sum` as the sum of the means of rewards that sum to `total`."""
    return mixture_cost(total, rho) + divergence(rho + total, rho + mean_sum)


def joint_evidence_bounded(deficit, shift, default_plays, default_total, challenger_total, rho):
    """Least log evidence against any negative budget, for rewards in [0, 1]."""
    default = default_plays, default_total, mixture_cost(default_total, rho)
    challengers = challenger_total, mixture_cost(challenger_total, rho)
    return evidence_on_line(deficit, shift, *default, *challengers, rho)


def joint_evidence_subgaussian(
    deficit, shift, default_plays, default_total, challenger_plays, challenger_total, r
):
    """The same for subgaussian noise of scale 1."""
    costs = normal_cost(default_plays, r) + normal_cost(challenger_plays, r)
    default, challengers = (default_plays, default_total), (challenger_plays, challenger_total)
    return subgaussian_on_line(deficit, shift, *default, *challengers, costs, r)
