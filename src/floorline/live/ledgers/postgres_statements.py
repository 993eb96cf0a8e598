"""The SQL statements of a PostgreSQL ledger's writer."""

from __future__ import annotations

from typing import LiteralString

NEW_CAMPAIGN: LiteralString = """
WITH new AS (
    INSERT INTO floorline.campaigns (name, form, secret) VALUES (%s, %s, %s)
    ON CONFLICT (name) DO NOTHING RETURNING campaign
)
INSERT INTO floorline.marks SELECT campaign, 0, 0 FROM new
"""

# Rows travel as one parameter, which takes half the time of one array per column.
ROWS: LiteralString = """
(row ->> 0)::bigint, (row ->> 1)::double precision, row ->> 2, (row ->> 3)::bigint,
row ->> 4, row ->> 5, (row ->> 6)::bigint
"""
INSERT: LiteralString = (
    f"INSERT INTO floorline.events SELECT %(campaign)s, {ROWS} "
    "FROM json_array_elements(%(rows)s::json) AS row"
)
MOVE_MARK: LiteralString = (
    'UPDATE floorline.marks SET seq = %(seq)s, "check" = %(check)s '
    'WHERE campaign = %(campaign)s AND seq = %(last_seq)s AND "check" = %(last_check)s '
)
COMMIT_GROUP: LiteralString = (
    f"WITH moved AS ({MOVE_MARK} RETURNING campaign) "
    f"INSERT INTO floorline.events SELECT moved.campaign, {ROWS} "
    "FROM moved, json_array_elements(%(rows)s::json) AS row"
)
"""A whole transaction in one statement; it writes nothing unless the mark is the expected one."""

TAKEN_KEYS: LiteralString = "SELECT key FROM floorline.events WHERE campaign = %s AND key = ANY(%s)"
STORE_SNAPSHOT: LiteralString = """
INSERT INTO floorline.snapshots VALUES (%(campaign)s, %(seq)s, %(state)s)
ON CONFLICT (campaign, seq) DO UPDATE SET state = excluded.state
"""
DELETE_SNAPSHOT: LiteralString = (
    "DELETE FROM floorline.snapshots WHERE campaign = %(campaign)s AND seq = %(seq)s"
)
SET_SECRET: LiteralString = (
    "UPDATE floorline.campaigns SET secret = %(secret)s WHERE campaign = %(campaign)s"
)
ERASE: LiteralString = """
UPDATE floorline.events SET key = NULL, body = split_part(body, chr(10), 1)
WHERE campaign = %(campaign)s AND seq = ANY(%(seqs)s::bigint[]) AND strpos(body, chr(10)) > 0
"""
DELETE_CAMPAIGN: tuple[LiteralString, ...] = (
    "DELETE FROM floorline.owners WHERE campaign = %(campaign)s",
    "DELETE FROM floorline.snapshots WHERE campaign = %(campaign)s",
    "DELETE FROM floorline.marks WHERE campaign = %(campaign)s",
    "DELETE FROM floorline.events WHERE campaign = %(campaign)s",
    "DELETE FROM floorline.campaigns WHERE campaign = %(campaign)s",
)
RETIRE: LiteralString = (
    "UPDATE floorline.campaigns SET retired = true, name = %(name)s WHERE campaign = %(campaign)s"
)
END_SESSION: LiteralString = (
    "SELECT pg_terminate_backend(pid, 2000) FROM pg_locks WHERE locktype = 'advisory' "
    "AND database = (SELECT oid FROM pg_database WHERE datname = current_database()) "
    "AND classid = %s AND objid = %s AND pid = %s"
)
"""Ends the session that holds a campaign's lock, and waits up to two seconds for that."""
