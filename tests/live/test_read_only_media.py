"""Ledgers where nothing can be written can be read and verified."""

import os
import shutil
import tempfile
from pathlib import Path

import pytest
from campaigns import new_campaign, play

from floorline.live import LedgerError
from floorline.live.verify import verify

NOBODY = 65534


def as_nobody(task):
    """What `task` returns, a text, in a process that may write nowhere here."""
    read, write = os.pipe()
    child = os.fork()
    if child == 0:  # nothing of the tests may go on here
        try:
            if os.getuid() == 0:
                os.setuid(NOBODY)
            text = task()
        except BaseException as error:
            text = f"{type(error).__name__}: {error}"
        os.write(write, text.encode())
        os._exit(0)
    os.close(write)
    os.waitpid(child, 0)
    with open(read) as stream:
        return stream.read()


@pytest.fixture
def folder():
    """A folder that others may read; pytest's own are closed to them."""
    with tempfile.TemporaryDirectory() as name:
        path = Path(name)
        path.chmod(0o755)
        yield path
        path.chmod(0o755)


def seal(folder):
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)


def verified(path):
    report = verify(str(path))
    return f"{report.events} {report.problems}"


def test_a_closed_ledger_is_verified_on_read_only_media(folder):
    with new_campaign(folder / "c") as campaign:
        play(campaign, {"now": [1], "video": [0], "quiz": [0]}, 20)
    before = sorted(file.name for file in folder.iterdir())
    seal(folder)
    assert as_nobody(lambda: verified(folder / "c")) == "41 []"
    assert sorted(file.name for file in folder.iterdir()) == before


def test_a_ledger_whose_log_cannot_be_read_is_not_read_without_it(folder):
    with new_campaign(folder / "c") as campaign:
        campaign.decide()
        (folder / "media").mkdir()
        for suffix in ("", "-wal"):
            shutil.copyfile(folder / f"c{suffix}", folder / "media" / f"c{suffix}")
    seal(folder / "media")
    answer = as_nobody(lambda: verified(folder / "media" / "c"))
    (folder / "media").chmod(0o755)
    assert answer.startswith(LedgerError.__name__), answer
