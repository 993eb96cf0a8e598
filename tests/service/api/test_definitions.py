"""Every number has one definition: the page that documents them names the functions there are."""

from __future__ import annotations

import importlib
import re
from dataclasses import fields
from pathlib import Path

from floorline.live.same_rounds import SameRounds
from floorline.live.status import ArmStatus, Status
from floorline.service.api.responses import Series

PAGE = Path(__file__).parents[3] / "docs" / "how-to" / "dashboard.md"
TEXT = PAGE.read_text()
TABLE = re.findall(r"^\| `([\w.]+)` \|.*\| `([\w.]+)` \|$", TEXT, re.M)
"""Fields of the API and the functions that compute them."""


def test_each_number_of_a_status_is_documented() -> None:
    documented = {field for field, _ in TABLE}
    numbers = {field.name for field in fields(Status)} - {"id", "arms", "labels", "archived"}
    arm_numbers = {f"arms.{field.name}" for field in fields(ArmStatus)} - {"arms.name"}
    same_rounds = {f"same_rounds.{field.name}" for field in fields(SameRounds)}
    series = {f"series.{name}" for name in Series.__struct_fields__}
    assert documented == numbers | arm_numbers | same_rounds | series


def test_the_functions_are_there() -> None:
    for _, path in TABLE:
        module, _, name = path.rpartition(".")
        assert hasattr(importlib.import_module(f"floorline.live.{module}"), name), path
