"""The history of benchmarks: a ratio that has grown by more than a tenth is pointed out."""

import importlib.util
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "benchmarks" / "history.py"


@pytest.fixture(scope="module")
def history():
    spec = importlib.util.spec_from_file_location("bench_history", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize(("last", "shown"), [(1.09, ""), (1.12, "+12%"), (0.5, "")])
def test_a_regression_of_a_tenth_shows(history, last, shown):
    rows = [history.Row("", "", "a / b", ratio) for ratio in (1.0, 3.0, 1.0, last)]
    assert history.report(rows)[-1] == f"| a / b | {last:.3g} | 1 | {shown} |"


def test_what_is_stored_is_read_again(history, tmp_path, monkeypatch):
    monkeypatch.setattr(history, "HISTORY", tmp_path / "history.csv")
    for ratio in (2.0, 2.5):
        history.append({"a / b": ratio})
    assert history.by_name(history.read()) == {"a / b": [2.0, 2.5]}
    history.draw(history.read(), tmp_path / "figures" / "history.svg")
    assert (tmp_path / "figures" / "history.svg").stat().st_size > 1000
