"""Reading a ledger in an SQLite file, even while its campaign runs."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any
from urllib.parse import quote

import apsw

from floorline.live.errors import DamagedLedger, LedgerError
from floorline.live.events import KINDS, VERSION, Row
from floorline.live.ledgers import sqlite_files as files
from floorline.live.ledgers.reader import PAGE_SIZE, UNCHANGED, LedgerReader, Mark

APPLICATION_ID = 0x466C6F6F  # "Floo"

SELECT = 'SELECT seq, time, kind, ticket, key, body, "check" FROM events WHERE '


class SqliteReader(LedgerReader):
    """The events of one campaign in an SQLite file, for reading."""

    def __init__(self, locator: str) -> None:
        super().__init__(locator)
        self._db: Any = None
        self._mark_path = files.mark_path(locator)
        try:
            self._connect()
        except apsw.Error as error:
            self.close(untouched=True)
            raise self._translated(error) from None
        except BaseException:
            self.close(untouched=True)
            raise

    def _connect(self) -> None:
        if not os.path.exists(self.locator):
            raise LedgerError(f"{self.locator}: there is no such file")
        files.refuse_folder(self.locator)
        try:
            self._open(self.locator, apsw.SQLITE_OPEN_READONLY)
        except (apsw.CantOpenError, apsw.ReadOnlyError):
            # SQLite creates files beside the ledger, which it cannot do on read-only media.
            if files.has_log(self.locator) or os.access(Path(self.locator).parent, os.W_OK):
                raise
            self._open(_immutable(self.locator), apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI)

    def _open(self, address: str, mode: int) -> None:
        self._db = apsw.Connection(address, flags=mode)
        self._db.set_busy_timeout(5000)
        self._check_form()

    def _check_form(self) -> None:
        db, path = self._db, self.locator
        if db.pragma("application_id") != APPLICATION_ID:
            raise LedgerError(f"{path}: is not a ledger of Floorline; {UNCHANGED}")
        version = db.pragma("user_version")
        if version > VERSION:
            raise LedgerError(
                f"{path}: was written by a newer version of Floorline (form {version}, "
                f"and this one knows {VERSION}); {UNCHANGED}"
            )
        if files.is_truncated(path, db.pragma("page_count"), db.pragma("page_size")):
            raise DamagedLedger(f"{path}: is damaged: its end is missing; {UNCHANGED}")

    def close(self, *, untouched: bool = False) -> None:
        """Close the file; `untouched`: leave even its log as it is."""
        if self._db is not None:
            if untouched:
                self._db.config(apsw.SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            self._db.close()

    def back_up(self, locator: str) -> None:
        """Copy the ledger as it is now to a new file, even while its campaign runs."""
        self._do("VACUUM INTO ?", (locator,))
        files.delete_mark(locator)  # that of an earlier copy of this name

    def page(
        self,
        start: int,
        limit: int = PAGE_SIZE,
        *,
        newest: bool = False,
        kinds: Sequence[str] = KINDS,
    ) -> list[Row]:
        """Return up to `limit` rows of these kinds after `start`, or before it, newest first."""
        where = "seq < ? ORDER BY seq DESC LIMIT ?" if newest else "seq > ? ORDER BY seq LIMIT ?"
        if kinds == KINDS:
            return self._do(SELECT + where, (start, limit))
        return self._do(f"{SELECT}kind IN {_list(kinds)} AND {where}", (*kinds, start, limit))

    def rows_at(self, seqs: Collection[int]) -> list[Row]:
        """Return the rows with these sequence numbers, as far as they exist."""
        return self._do(f"{SELECT}seq IN {_list(seqs)} ORDER BY seq", (*seqs,))

    def rows_about(self, decision_seqs: Collection[int]) -> list[Row]:
        """Return the rows about these decisions, in order."""
        return self._do(f"{SELECT}ticket IN {_list(decision_seqs)} ORDER BY seq", (*decision_seqs,))

    def row_of_key(self, key: str) -> Row | None:
        """Return the row of the decision made for a request key."""
        return next(iter(self._do(SELECT + "key = ?", (key,))), None)

    def counts(self) -> dict[str, int]:
        """Return the number of events of each kind."""
        return dict(self._do("SELECT kind, count(*) FROM events GROUP BY kind"))

    def snapshots(self) -> list[int]:
        """Return the sequence numbers of the snapshots, the latest first."""
        return [seq for (seq,) in self._do("SELECT seq FROM snapshots ORDER BY seq DESC")]

    def stored_snapshot(self, seq: int) -> bytes:
        """Return a snapshot as it was stored."""
        ((blob,),) = self._do("SELECT state FROM snapshots WHERE seq = ?", (seq,))
        return blob  # type: ignore[no-any-return]

    @property
    def secret(self) -> bytes | None:
        """The secret of this ledger; None in older files, which have none."""
        if not self._do("SELECT 1 FROM sqlite_schema WHERE name = 'secrets'"):
            return None
        return next((secret for (secret,) in self._do("SELECT secret FROM secrets")), None)

    def mark(self) -> Mark | None:
        """Return the mark of the last commit, from a separate file."""
        return files.read_mark(self._mark_path)

    def problems(self) -> list[str]:
        """Return what SQLite itself finds wrong with the file."""
        lines = [line for (line,) in self._do("PRAGMA integrity_check")]
        return [] if lines == ["ok"] else lines

    def _do(self, statement: str, values: tuple[Any, ...] = ()) -> list[Any]:
        """Return all rows of a statement."""
        try:
            return self._run(statement, values)
        except apsw.Error as error:
            self.failed = True
            raise self._translated(error) from None
        except UnicodeDecodeError:
            raise DamagedLedger(
                f"{self.locator}: is damaged; {UNCHANGED}. Restore a backup"
            ) from None

    def _run(self, statement: str, values: tuple[Any, ...]) -> list[Any]:
        return self._db.execute(statement, values).fetchall()  # type: ignore[no-any-return]

    def _translated(self, error: apsw.Error) -> LedgerError:
        """Return an error of SQLite in plain words."""
        path = self.locator
        if isinstance(error, apsw.NotADBError):
            return LedgerError(f"{path}: is not a ledger; {UNCHANGED}")
        if isinstance(error, apsw.CorruptError):
            return DamagedLedger(f"{path}: is damaged ({error}); {UNCHANGED}. Restore a backup")
        if isinstance(error, apsw.FullError):
            return LedgerError(f"{path}: the disk is full; nothing was written")
        if isinstance(error, apsw.ReadOnlyError):
            return LedgerError(f"{path}: cannot be written to (read-only)")
        return LedgerError(f"{path}: {error}")


def salvage_opening(path: str) -> dict[str, Any] | None:
    """Return what a campaign was opened with, read without the files beside its ledger.

    Those cannot be created on a disk that is full or read-only.
    """
    flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    try:
        with closing(apsw.Connection(_immutable(path), flags=flags)) as db:
            ((body,),) = db.execute("SELECT body FROM events WHERE seq = 1").fetchall()
        return dict(json.loads(str(body)))
    except (apsw.Error, ValueError, TypeError):
        return None


def _immutable(path: str) -> str:
    """Return the address of a file that nobody changes, and beside which nothing is made."""
    return f"file:{quote(os.path.abspath(path))}?immutable=1"


def _list(values: Collection[object]) -> str:
    """Return the placeholders of a list of values."""
    return f"({', '.join('?' for _ in values)})"
