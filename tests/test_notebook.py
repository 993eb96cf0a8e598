"""The notebook of the docs: its code runs, and it is stored without outputs.

`make docs` runs it, too, in a Jupyter kernel, and fails with it.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

matplotlib = pytest.importorskip("matplotlib")
NOTEBOOK = Path(__file__).parents[1] / "docs" / "notebook.ipynb"
CELLS = [cell for cell in json.loads(NOTEBOOK.read_text())["cells"] if cell["cell_type"] == "code"]


def test_outputs_are_not_stored() -> None:
    assert [cell["outputs"] for cell in CELLS] == [[]] * len(CELLS)
    assert {cell["execution_count"] for cell in CELLS} == {None}


def test_what_the_notebook_says_is_true(monkeypatch: pytest.MonkeyPatch) -> None:
    matplotlib.use("Agg")
    names: dict[str, Any] = {}
    for cell in CELLS:
        exec("".join(cell["source"]), names)
    rates = {name: one.breach_rate[-1] for name, one in names["found"].summaries.items()}
    assert rates["ucb"] > 0.2
    assert rates["conservative-ucb"] == rates["conservative-thompson"] == 0
    assert len(names["table"]) == 3 * 50
    assert names["campaign"].status().winner == "video"
    matplotlib.pyplot.close("all")
