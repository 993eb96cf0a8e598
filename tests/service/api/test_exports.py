"""Everything that the dashboard shows, as CSV, JSON lines and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from serving import Server

from floorline.live.amounts import setting
from floorline.service.host.folder import Folder

parquet = pytest.importorskip("pyarrow.parquet", reason="pyarrow is not installed")


@pytest.fixture
def server(start: Callable[..., Server], tmp_path: Path) -> Server:
    """A service with a campaign that has decided, and has a note with commas in it."""
    started = start(tmp_path / "data")
    with started.client() as client:
        arms = ["now", "größer"]
        client.post(
            "/v1/campaigns",
            json={
                "name": "page",
                "arms": arms,
                "max_loss": 0.1,
                "missing": "unknown",
                "guardrails": [{"name": "ms", "low": 0, "high": 900, "limit": 500}],
            },
        )
        made = client.post("/v1/campaigns/page/decisions", json={"requests": [{}] * 30}).json()
        rewards = [
            {"ticket": d["ticket"], "reward": 1, "metrics": {"ms": 300}}
            for d in made["decisions"][:20]
        ]
        client.post("/v1/rewards", json={"rewards": rewards})
        client.post("/v1/campaigns/page/notes", json={"text": 'a, "b"; =1+1'})
    return started


READ: dict[str, Callable[[bytes], list[dict[str, Any]]]] = {
    "csv": lambda content: list(csv.DictReader(io.StringIO(content.decode()))),
    "jsonl": lambda content: [json.loads(line) for line in content.splitlines()],
    "parquet": lambda content: parquet.read_table(io.BytesIO(content)).to_pylist(),
}


def tables(server: Server, table: str, *forms: str) -> list[list[dict[str, Any]]]:
    """The rows of a table in these formats, by default all, as others read them."""
    found = []
    with server.client() as client:
        for form in forms or READ:
            path = f"/v1/campaigns/page/export?table={table}&format={form}"
            answer = client.get(path)
            assert answer.status_code == 200, answer.text
            file = "page" if table == "decisions" else f"page-{table}"
            assert f"{file}.{form}" in answer.headers["content-disposition"]
            found.append(READ[form](answer.content))
    return found


def test_all_formats_say_the_same(server: Server) -> None:
    lengths = {"decisions": 30, "summary": 1, "changes": 2}
    for table, length in lengths.items():
        made = tables(server, table)
        for rows in made:
            rows[0].pop("time", None)  # of a summary: when it was made
        from_csv, from_jsonl, from_parquet = made
        assert len(from_jsonl) == length
        assert from_parquet == from_jsonl
        assert [list(row) for row in from_csv] == [list(row) for row in from_jsonl]
        texts = [{k: "" if v is None else str(v) for k, v in row.items()} for row in from_jsonl]
        assert from_csv == texts


def test_they_are_what_the_api_says(server: Server) -> None:
    with server.client() as client:
        shown = client.get("/v1/campaigns/page").json()
        status = shown["status"]
        series = client.get("/v1/campaigns/page/series").json()
        events = client.get("/v1/campaigns/page/events?kind=changes").json()["events"]
    assert tables(server, "arms", "jsonl")[0] == status["arms"]
    (summary,) = tables(server, "summary", "jsonl")[0]
    of_its_own = {"arms", "guardrails", "duplicates", "time"}
    for name, value in status.items():
        if isinstance(value, dict):
            assert {part: summary[f"{name} {part}"] for part in value} == value
        elif name == "pending_by_age":
            assert [summary[f"{name} {group}"] for group in range(5)] == value
        elif name not in of_its_own:
            assert summary[name] == ("; ".join(value) if isinstance(value, list) else value)
    (metric,) = status["guardrails"]
    for row, arm in zip(tables(server, "guardrails", "jsonl")[0], metric["arms"], strict=True):
        assert row == {"metric": "ms", "limit": 500, "worse": "above", **arm}
    values = {row["setting"]: row["value"] for row in tables(server, "settings", "jsonl")[0]}
    assert values == {name: setting(value) for name, value in shown["settings"].items()}
    plain = {row["setting"]: row["value"] for row in tables(server, "settings", "csv")[0]}
    assert plain == values
    assert (
        plain | {"floor": "joint-steady", "voids": "false", "low": "0", "unit": "not given"}
        == plain
    )
    rows = tables(server, "series", "jsonl")[0]
    assert rows[-1]["decisions"] == status["decisions"] == 30
    assert rows[-1]["reward"] == series["reward"][-1]
    assert rows[-1]["arm now"] == status["arms"][0]["plays"]
    changes = tables(server, "changes", "jsonl")[0]
    assert [row["what"] for row in changes] == [event["words"] for event in events]
    assert changes[-1]["what"] == 'note: a, "b"; =1+1'


def test_what_is_not_there_is_refused(server: Server) -> None:
    with server.client() as client:
        for query in ("table=visitors", "format=xlsx"):
            answer = client.get(f"/v1/campaigns/page/export?{query}")
            assert answer.status_code == 422
            assert "table" in answer.text or "format" in answer.text
        body = {"name": "bare", "arms": ["a", "b"], "max_loss": 0.1, "missing": "unknown"}
        client.post("/v1/campaigns", json=body)
        answer = client.get("/v1/campaigns/bare/export?table=guardrails")
        assert answer.status_code == 422
        assert answer.json()["detail"] == "table: this campaign has no guardrails"


def test_the_command(floorline: Any, server: Server, tmp_path: Path) -> None:
    file = Folder(tmp_path / "data").store.locator("page")
    done = floorline("ledger", "export", file, "--table", "arms")
    assert done.returncode == 0, done.stderr
    assert next(csv.DictReader(io.StringIO(done.stdout)))["name"] == "now"
    out = tmp_path / "series.parquet"
    words = ("ledger", "export", file, "--table", "series", "--format", "parquet")
    assert floorline(*words, "--out", str(out)).returncode == 0
    assert parquet.read_table(out).num_rows == len(tables(server, "series", "jsonl")[0])
    assert floorline(*words).returncode == 2  # nowhere to write it
    assert floorline("ledger", "export", file, "--table", "x").returncode == 2
