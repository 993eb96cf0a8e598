"""Connections to PostgreSQL: locators, settings of a session, and errors in plain words."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar
from urllib.parse import SplitResult, quote, unquote, urlsplit, urlunsplit

import psycopg
from psycopg import pq
from psycopg.abc import PQGen

from floorline.live.errors import LedgerError
from floorline.live.names import MAX_NAME

T = TypeVar("T")

SESSION: dict[str, Any] = {
    "connect_timeout": 3,
    # A machine that disappears is noticed within two seconds.
    "keepalives_idle": 1,
    "keepalives_interval": 1,
    "keepalives_count": 2,
    "tcp_user_timeout": 2000,
    "application_name": "floorline",
}
"""The parameters that a locator's query may set, except the name."""


class Locator(NamedTuple):
    """A ledger in PostgreSQL: `postgresql://HOST/DATABASE/CAMPAIGN`."""

    database: str
    """The URL of the database, as libpq reads it."""
    campaign: str
    shown: str
    """The locator without its password and parameters, for messages."""


def parse(locator: str) -> Locator:
    """Return the parts of a ledger's locator.

    >>> parse("postgresql://me:secret@db:5432/shop/page?sslmode=require")._asdict()
    {'database': 'postgresql://me:secret@db:5432/shop?sslmode=require', 'campaign': 'page', \
'shown': 'postgresql://me@db:5432/shop/page'}
    """
    url = urlsplit(locator)
    database, _, campaign = url.path.rpartition("/")
    if not database.strip("/") or not campaign:
        raise LedgerError(
            f"{without_password(locator)}: must name a database and a campaign: "
            "postgresql://HOST/DATABASE/CAMPAIGN"
        )
    name = unquote(campaign)
    if len(name) > MAX_NAME or not name.isprintable():
        raise LedgerError(f"campaign {name!r}: must be printable, of 1 to {MAX_NAME} characters")
    return Locator(urlunsplit(url._replace(path=database)), name, without_password(locator))


def locator_of(database: str, campaign: str) -> str:
    """Return the locator of a campaign's ledger in a database."""
    url = urlsplit(database)
    return urlunsplit(url._replace(path=f"{url.path.rstrip('/')}/{quote(campaign, safe='')}"))


def without_password(url: str) -> str:
    """Return a URL without password and parameters."""
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    user = user.partition(":")[0]
    return urlunsplit(SplitResult(parts.scheme, user + at + host, parts.path, "", ""))


class Connection(psycopg.Connection[tuple[Any, ...]]):
    """A session that is given up if a statement gets no answer in time."""

    answer_seconds = float("inf")

    def wait(self, gen: PQGen[T], *options: Any, **others: Any) -> T:
        """Return the result of a conversation with the server."""
        deadline = time.monotonic() + self.answer_seconds
        try:
            return super().wait(_until(deadline, gen), *options, **others)
        except NoAnswer:
            self.close()
            raise


class NoAnswer(psycopg.OperationalError):
    """The database has not answered in time: a network that was cut, or a server that hangs."""


def _until(deadline: float, conversation: PQGen[T]) -> PQGen[T]:
    """The same conversation, which raises NoAnswer when the server is silent at the deadline."""
    try:
        state = next(conversation)
        while True:
            ready = yield state
            if not ready and time.monotonic() >= deadline:
                raise NoAnswer("no answer in time")
            state = conversation.send(ready)
    except StopIteration as end:
        result: T = end.value
        return result


def connect(database: str, answer_seconds: float = float("inf")) -> Connection:
    """Return a session in which each statement is a transaction, unless one is begun.

    Args:
        database: its URL.
        answer_seconds: after which a statement without an answer ends the session.

    Raises:
        LedgerError: the database cannot be reached, or there is a pooler in between.
    """
    shown = without_password(database)
    with in_plain_words(shown):
        parameters = SESSION | psycopg.conninfo.conninfo_to_dict(database)
        connection = Connection.connect(autocommit=True, **parameters)
    connection.answer_seconds = answer_seconds
    try:
        with in_plain_words(shown):
            _check(connection, shown)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: Connection, shown: str) -> None:
    """Raise LedgerError unless this is a session of a database that can hold ledgers."""
    ((backend, encoding),) = connection.execute(
        "SELECT pg_backend_pid(), current_setting('server_encoding')"
    ).fetchall()
    if encoding != "UTF8":
        raise LedgerError(f"{shown}: its encoding is {encoding}, and must be UTF8")
    if backend != connection.info.backend_pid:
        raise LedgerError(
            f"{shown}: there is a pooler in between, which may give a session's lock to others; "
            "connect to PostgreSQL itself"
        )


@contextmanager
def in_plain_words(shown: str) -> Iterator[None]:
    """Raise LedgerError, with a locator and one line, for an error of PostgreSQL."""
    try:
        yield
    except psycopg.Error as error:
        raise LedgerError(f"{shown}: {_reason(error)}") from None


def _reason(error: psycopg.Error) -> str:
    if isinstance(
        error, psycopg.errors.InsufficientPrivilege | psycopg.errors.ReadOnlySqlTransaction
    ):
        return f"cannot be written to ({error.diag.message_primary})"
    if isinstance(error, psycopg.errors.DiskFull):
        return "the disk of the database is full; nothing was written"
    if error.diag.message_primary:
        return error.diag.message_primary
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    return f"the database cannot be reached ({lines[0] if lines else 'no reason given'})"


def in_transaction(connection: Connection) -> bool:
    """Return whether a transaction was begun, or has failed and must be rolled back."""
    return connection.info.transaction_status not in (
        pq.TransactionStatus.IDLE,
        pq.TransactionStatus.UNKNOWN,
    )
