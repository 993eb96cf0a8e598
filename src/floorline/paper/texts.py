"""The fixed texts of the report: its page, the captions, and what differs from the paper."""

from __future__ import annotations

from floorline.paper import budget

PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Conservative Bandits, reproduced by Floorline</title>
<style>
body {{ font: 16px/1.5 system-ui, sans-serif; color: #222; background: #fff;
       max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }}
h1 {{ line-height: 1.2; }}
h2 {{ margin-top: 2.5rem; border-bottom: 1px solid #ddd; }}
table {{ border-collapse: collapse; font-size: 0.88rem; display: block; overflow-x: auto; }}
th, td {{ text-align: left; vertical-align: top; padding: 0.3rem 0.7rem 0.3rem 0;
         border-bottom: 1px solid #eee; }}
tr.good td:nth-child(2) {{ color: #00644a; font-weight: 600; white-space: nowrap; }}
tr.bad td {{ background: #fdf0e8; }}
tr.bad td:nth-child(2) {{ color: #a34700; font-weight: 600; white-space: nowrap; }}
figure {{ margin: 1rem 0; }}
figure img {{ max-width: 100%; height: auto; }}
figcaption {{ font-size: 0.9rem; color: #444; }}
code {{ font-size: 0.9em; }}
</style>
</head>
<body>
<h1>Conservative Bandits, reproduced</h1>
<p>The experiments of Wu, Shariff, Lattimore and Szepesvári, <em>Conservative Bandits</em> (2016),
produced by <code>floorline paper</code>. Alpha is called <code>max_loss</code> in Floorline:
the share of the default arm's reward that may be lost.</p>
{body}
</body>
</html>
"""

CAPTIONS = {
    "regret-over-alpha": (
        "Average regret for varying alpha, n = 10,000",
        "The paper's first figure of its experiments section: delta = 1/n, bands of 95%.",
    ),
    "regret-over-horizon": (
        "Average regret as n varies, alpha = 0.1",
        "The paper's second figure of its experiments section: delta = 1/n, bands of 95%.",
    ),
    "runs-below-the-floor": (
        "Runs below the floor at any time",
        "The paper describes this and does not draw it: the share of runs whose expected reward "
        "was ever below (1 - alpha) of the default arm's. It does not change beyond alpha = 0.5. "
        "Bands of 95%.",
    ),
    "price-of-boundaries": (
        "The price of each boundary",
        "Left: the half-width of an interval, in units of 1/sqrt(s). Right: what that width "
        "costs Conservative UCB at n = 10,000, delta = 1/n.",
    ),
    "budget": (
        "The budget of one run",
        "The picture of the paper's stochastic section, drawn from a real run of Conservative "
        f"UCB: means {', '.join(map(str, budget.MEANS))}, noise of scale {budget.NOISE_SCALE}, "
        f"alpha = {budget.MAX_LOSS}, delta = {budget.DELTA}, boundary stitched, seed "
        f"{budget.SEED}. A mark shows what would be guaranteed if the candidate of that round "
        "were played: at or above the floor it is played, below it is refused, and playing the "
        "default arm adds to the budget.",
    ),
}

DIFFERENCES = """<ul>
<li><strong>The confidence radius.</strong> The paper prints sqrt(psi/s); the authors' program has
sqrt(2 psi/s). The program is right: for Gaussian noise of scale 1 the printed radius is too narrow,
since by the law of the iterated logarithm an average leaves such intervals sooner or later, with
probability 1. Boundary <code>authors</code> is the program's, <code>as-printed</code> the paper's;
the printed one has less regret, and no guarantee.</li>
<li><strong>The factor of log log s in psi.</strong> Printed with zeta = K/delta, programmed with
log zeta in its place, which is wider and also valid.</li>
<li><strong>The number of intervals.</strong> The paper counts the K challengers, the program all
K + 1 arms, whether the default mean is known or not.</li>
<li><strong>BudgetFirst.</strong> The paper leaves its regret bound open. The program takes
sqrt(2 K n psi(n)), about half of what can be proved. Under other boundaries
Floorline takes the certified warm-up.</li>
<li><strong>Unbalanced MOSS.</strong> The paper's targets have K in both places; the program has
K + 1 in the challengers' target. Under boundary <code>authors</code> the program's are used,
under others the printed ones.</li>
</ul>"""
