"""What a report and the dashboard show, as tables: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import msgspec

from floorline.core.checks import choice
from floorline.live.amounts import setting
from floorline.live.export import FORMATS, parquet_modules
from floorline.live.notes import words_of
from floorline.live.settings import CampaignSettings
from floorline.report.facts import ReportFacts

Rows = list[dict[str, Any]]
"""The rows of a table, all with the same columns."""


NOT_IN_SUMMARY = ("arms", "guardrails", "duplicates")
"""Fields with a table of their own, and one that no ledger records."""


def summary_table(facts: ReportFacts) -> Rows:
    """Return the campaign's status as one row, apart from the tables below."""
    row: dict[str, Any] = {}
    for name, value in asdict(facts.status).items():
        if name in NOT_IN_SUMMARY:
            continue
        if isinstance(value, dict):
            row |= {f"{name} {part}": number for part, number in value.items()}
        elif name == "pending_by_age":
            row |= {f"{name} {group}": number for group, number in enumerate(value)}
        else:
            row[name] = "; ".join(value) if isinstance(value, list) else value
    return [row]


def guardrails_table(facts: ReportFacts) -> Rows:
    """Return what is known of each further metric and arm."""
    return [
        {"metric": metric.name, "limit": metric.limit, "worse": metric.worse, **asdict(arm)}
        for metric in facts.status.guardrails
        for arm in metric.arms
    ]


def settings_table(facts: ReportFacts) -> Rows:
    """Return each setting, with its value as the page shows it."""
    return [
        {"setting": name, "value": setting(value)}
        for name, value in facts.settings.to_json().items()
    ]


def arms_table(facts: ReportFacts) -> Rows:
    """Return what is known of each arm; the first is the default."""
    return [asdict(arm) for arm in facts.status.arms]


def series_table(facts: ReportFacts) -> Rows:
    """Return the course of the current epoch, with the decisions by arm and by reason."""
    reasons = sorted({reason for point in facts.points for reason in point.reasons})
    rows = []
    for point in facts.points:
        row = {name: getattr(point, name) for name in point.__struct_fields__}
        plays, counts = row.pop("plays"), row.pop("reasons")
        row |= {f"arm {name}": plays.get(name, 0) for name in facts.settings.arms}
        rows.append(row | {f"reason {name}": counts.get(name, 0) for name in reasons})
    return rows


def changes_table(facts: ReportFacts) -> Rows:
    """Return what was done to the campaign, including notes."""
    return [
        {
            "seq": event.seq,
            "time": event.time,
            "kind": event.kind,
            "what": words_of(event.kind, event.body),
        }
        for event in facts.events
    ]


TABLES: dict[str, Callable[[ReportFacts], Rows]] = {
    "summary": summary_table,
    "arms": arms_table,
    "series": series_table,
    "guardrails": guardrails_table,
    "changes": changes_table,
    "settings": settings_table,
}


def refuse_empty_table(table: str, settings: CampaignSettings) -> None:
    """Raise ValueError if a campaign with these settings has nothing for this table."""
    if table == "guardrails" and not settings.guardrails:
        raise ValueError("table: this campaign has no guardrails")


def encode(rows: Rows, form: str) -> bytes:
    """Return a table in one of FORMATS; what is unknown is empty or null."""
    choice("format", form, FORMATS)
    if form == "jsonl":
        return b"".join(msgspec.json.encode(row) + b"\n" for row in rows)
    if form == "parquet":
        return _parquet(rows)
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    return text.getvalue().encode()


def _parquet(rows: Rows) -> bytes:
    arrow, parquet = parquet_modules()
    out = io.BytesIO()
    parquet.write_table(arrow.Table.from_pylist(rows), out)
    return out.getvalue()
