"""Exports of a campaign that take long, made in a child process."""

from __future__ import annotations

import tempfile
from contextlib import closing
from pathlib import Path

from floorline.live.export import decisions, write_parquet
from floorline.live.ledgers import LedgerReader, read_ledger
from floorline.report.facts import read_facts
from floorline.report.tables import TABLES, encode
from floorline.service.host.child_process import become_child, output_of, write_output


async def export_in_child(locator: str, table: str, form: str, now: float) -> bytes:
    """Return a table of a campaign at this time, in one of the formats.

    Raises:
        ChildError: it could not be made.
    """
    return await output_of(__name__, locator, table, form, repr(now))


def export_table(ledger: LedgerReader, table: str, form: str, now: float) -> bytes:
    """Return a table; decisions as Parquet only, since their other formats are streamed."""
    if table != "decisions":
        return encode(TABLES[table](read_facts(ledger, "", now)), form)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "decisions.parquet"
        write_parquet(decisions(ledger), str(file))
        return file.read_bytes()


def main() -> None:
    """Write the export that the arguments ask for to standard output."""
    locator, table, form, now = become_child()
    with closing(read_ledger(locator)) as ledger:
        output = export_table(ledger, table, form, float(now))
    write_output(output)


if __name__ == "__main__":
    main()
