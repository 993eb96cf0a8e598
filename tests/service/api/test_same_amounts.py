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
import {{ amount, exactPercent, percent, setting, surePercent }} from "{FORMAT.as_uri()}";
import {{ readFileSync }} from "node:fs";
const {{ values, shares, settings }} = JSON.parse(readFileSync(0));
console.log(JSON.stringify({{
  amount: values.map((value) => amount(value)),
  percent: shares.map((share) => percent(share)),
  sure_percent: shares.map((share) => surePercent(share)),
  exact_percent: shares.map((share) => exactPercent(share)),
  setting: settings.map((value) => setting(value)),
}}));
"""
ODD = [0, 1234.5, 100.25, 100.35, 999.96, 9.9995, 0.00012345, 5e-10, -0.5, 123456.5, 1e12, 999.5]
SETTINGS = [
    *(None, False, True, "joint", [], ["now", "größer"], 0.0, -0.0, 1.0, 0.05, 1e12, 0.1 + 0.2),
    *(1e-5, 1.5e-6, 1e-6, 9.5e-7, 1e-12, 1e-200, [0.5, 0.5], -250.0),
    [{"name": "ms", "low": 0.0, "limit": None, "worse": "above"}, {"name": "size", "low": 1.5}],
]


@pytest.mark.skipif(shutil.which("node") is None, reason="no Node here")
def test_numbers_are_written_alike() -> None:
    rng = random.Random(1)
    halves = [round(rng.uniform(0, 20_000)) / 8 for _ in range(2000)]
    values = [*ODD, *halves, *(rng.gauss(0, 1) * 10 ** rng.randint(-6, 8) for _ in range(2000))]
    shares = [0.99995, 0.9, *(k / 1000 for k in range(1100)), *(rng.random() for _ in range(2000))]
    done = subprocess.run(
        ["node", "--input-type=module", "--eval", PROGRAM],
        input=json.dumps({"values": values, "shares": shares, "settings": SETTINGS}),
        capture_output=True,
        text=True,
        check=True,
    )
    for name, written in json.loads(done.stdout).items():
        given = {"amount": values, "setting": SETTINGS}.get(name, shares)
        expected = [getattr(amounts, name)(value) for value in given]
        differing = [row for row in zip(given, expected, written, strict=True) if row[1] != row[2]]
        assert differing == [], name
