"""The page writes numbers as Python does, and so agrees with sentences and reports."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from pathlib import Path

import pytest

from floorline.live import amounts
from floorline.service import dashboard

FORMAT = Path(dashboard.__path__[0]) / "format.js"
PROGRAM = f"""
import {{ amount, exactPercent, percent, surePercent }} from "{FORMAT.as_uri()}";
import {{ readFileSync }} from "node:fs";
const {{ values, shares }} = JSON.parse(readFileSync(0));
console.log(JSON.stringify({{
  amount: values.map((value) => amount(value)),
  percent: shares.map((share) => percent(share)),
  sure_percent: shares.map((share) => surePercent(share)),
  exact_percent: shares.map((share) => exactPercent(share)),
}}));
"""
ODD = [0, 1234.5, 100.25, 100.35, 999.96, 9.9995, 0.00012345, 5e-10, -0.5, 123456.5, 1e12, 999.5]


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
def test_numbers_are_written_alike() -> None:
    rng = random.Random(1)
    halves = [round(rng.uniform(0, 20_000)) / 8 for _ in range(2000)]
    values = [*ODD, *halves, *(rng.gauss(0, 1) * 10 ** rng.randint(-6, 8) for _ in range(2000))]
    shares = [0.99995, 0.9, *(k / 1000 for k in range(1100)), *(rng.random() for _ in range(2000))]
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", PROGRAM],
        input=json.dumps({"values": values, "shares": shares}),
        capture_output=True,
        text=True,
        check=True,
    )
    for name, written in json.loads(done.stdout).items():
        given = values if name == "amount" else shares
        expected = [getattr(amounts, name)(value) for value in given]
        differing = [row for row in zip(given, expected, written, strict=True) if row[1] != row[2]]
        assert differing == [], name
