"""The tables of campaigns in PostgreSQL, and how they are created and migrated."""

from __future__ import annotations

from typing import LiteralString

from floorline.live.errors import LedgerError
from floorline.live.ledgers.postgres_connection import (
    Connection,
    connect,
    in_plain_words,
    without_password,
)
from floorline.live.ledgers.reader import UNCHANGED

LOCK_CLASS = 0x466C6F6F  # "Floo"
"""The first number of our advisory locks; the second is a campaign's number."""
SCHEMA_LOCK = 0
"""The second number of the lock for creating or migrating the tables; no campaign has it."""

LEDGERS: LiteralString = """
CREATE SCHEMA IF NOT EXISTS floorline;
CREATE TABLE floorline.schema (version integer NOT NULL);
INSERT INTO floorline.schema VALUES (0);
CREATE TABLE floorline.campaigns (
    campaign integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name text NOT NULL UNIQUE,
    form integer NOT NULL,
    secret bytea,
    retired boolean NOT NULL DEFAULT false
);
CREATE TABLE floorline.events (
    campaign integer NOT NULL REFERENCES floorline.campaigns,
    seq bigint NOT NULL,
    time double precision NOT NULL,
    kind text NOT NULL,
    ticket bigint,
    key text,
    body text NOT NULL,
    "check" bigint NOT NULL,
    PRIMARY KEY (campaign, seq)
);
CREATE UNIQUE INDEX events_by_key ON floorline.events (campaign, key) WHERE key IS NOT NULL;
CREATE INDEX events_by_ticket ON floorline.events (campaign, ticket) WHERE ticket IS NOT NULL;
CREATE TABLE floorline.marks (
    campaign integer PRIMARY KEY REFERENCES floorline.campaigns,
    seq bigint NOT NULL,
    "check" bigint NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE floorline.snapshots (
    campaign integer NOT NULL REFERENCES floorline.campaigns,
    seq bigint NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (campaign, seq)
);
"""

SERVERS: LiteralString = """
ALTER TABLE floorline.campaigns ADD COLUMN id text, ADD COLUMN default_arm text;
CREATE INDEX campaigns_by_id ON floorline.campaigns (id);
CREATE TABLE floorline.keys (id text PRIMARY KEY, key text NOT NULL);
CREATE TABLE floorline.service (secret bytea NOT NULL, keys_required boolean NOT NULL);
INSERT INTO floorline.service VALUES (
    decode(replace(gen_random_uuid()::text || gen_random_uuid()::text, '-', ''), 'hex'), false
);
CREATE TABLE floorline.servers (
    server text PRIMARY KEY,
    address text NOT NULL,
    seen timestamptz NOT NULL
) WITH (fillfactor = 10);
CREATE TABLE floorline.owners (
    campaign integer PRIMARY KEY REFERENCES floorline.campaigns,
    server text NOT NULL REFERENCES floorline.servers ON DELETE CASCADE
);
"""

WEBHOOKS: LiteralString = """
CREATE TABLE floorline.webhooks (
    id text PRIMARY KEY,
    number integer GENERATED ALWAYS AS IDENTITY,
    webhook text NOT NULL
);
ALTER TABLE floorline.servers ADD COLUMN refused bigint NOT NULL DEFAULT 0;
"""

TAKEOVERS: LiteralString = """
ALTER TABLE floorline.campaigns ADD COLUMN unserved_since timestamptz;
CREATE TABLE floorline.alerts (
    campaign text NOT NULL,
    kind text NOT NULL,
    text text NOT NULL,
    PRIMARY KEY (campaign, kind)
);
"""

MIGRATIONS: tuple[LiteralString, ...] = (LEDGERS, SERVERS, WEBHOOKS, TAKEOVERS)
"""The script that migrates to each version from the previous one; the first creates the tables."""

SCHEMA_VERSION = len(MIGRATIONS)


def version_of(connection: Connection) -> int:
    """Return the version of the tables in a database; 0 if there are none."""
    # Not to_regclass, whose result may be older than a lock that was waited for.
    tables: LiteralString = (
        "SELECT FROM pg_tables WHERE schemaname = 'floorline' AND tablename = 'schema'"
    )
    if connection.execute(tables).fetchone() is None:
        return 0
    row = connection.execute("SELECT version FROM floorline.schema").fetchone()
    return 0 if row is None else int(row[0])


def check_version(connection: Connection, database: str) -> None:
    """Raise LedgerError unless the tables are those of this version of Floorline."""
    version, shown = version_of(connection), without_password(database)
    if version == 0:
        raise LedgerError(f"{shown}: has no tables of Floorline")
    if version > SCHEMA_VERSION:
        raise LedgerError(
            f"{shown}: was written by a newer version of Floorline (schema {version}, and this "
            f"one knows {SCHEMA_VERSION}); {UNCHANGED}"
        )
    if version < SCHEMA_VERSION:
        raise LedgerError(
            f"{shown}: has schema {version}, and this version of Floorline needs "
            f"{SCHEMA_VERSION}; stop the servers and run: floorline ledger migrate {shown}"
        )


def create(connection: Connection, database: str) -> None:
    """Create the tables if there are none. Several processes may do so at once."""
    with in_plain_words(without_password(database)):
        if version_of(connection) == 0:
            _migrate(connection)
        check_version(connection, database)


def migrate(database: str) -> tuple[int, int]:
    """Return the version of the tables before and after they were brought up to date.

    Raises:
        LedgerError: there are none, or they are newer than this version of Floorline.
    """
    with in_plain_words(without_password(database)), connect(database) as connection:
        before = version_of(connection)
        if 0 < before < SCHEMA_VERSION:
            _migrate(connection)
        check_version(connection, database)
        return before, version_of(connection)


def _migrate(connection: Connection) -> None:
    """Run the scripts that are missing, in one transaction that excludes others."""
    with connection.transaction():
        connection.execute("SELECT pg_advisory_xact_lock(%s, %s)", (LOCK_CLASS, SCHEMA_LOCK))
        for script in MIGRATIONS[version_of(connection) :]:
            connection.execute(script)
        connection.execute("UPDATE floorline.schema SET version = %s", (SCHEMA_VERSION,))
