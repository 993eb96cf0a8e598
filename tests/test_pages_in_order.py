"""README and the pages on the service, followed by one reader from top to bottom, as written."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("starlette", reason="the extra [service] is not installed")

ROOT = Path(__file__).parents[1]
HOW_TO = ROOT / "docs" / "how-to"
CLIENT = ROOT / "clients" / "js"
SERVE = re.compile(r"^(?:\.venv/bin/)?floorline serve (.*)$", re.M)


def blocks(page: Path, kind: str) -> list[str]:
    return re.findall(rf"^```{kind}\n(.*?)^```", page.read_text(), re.M | re.S)


class Reader:
    """Follows pages in a folder, with the service that the first of them starts."""

    def __init__(self, folder: Path, words: list[str]) -> None:
        self.folder = folder
        (folder / ".venv").symlink_to(sys.prefix)
        bin_folder = Path(sys.executable).parent
        self._environment = {**os.environ, "PATH": f"{bin_folder}{os.pathsep}{os.environ['PATH']}"}
        command = [sys.executable, "-m", "floorline", "serve", *words, "--port", "0"]
        self.service = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
        assert self.service.stderr is not None
        lines = (json.loads(line) for line in self.service.stderr)
        self._url = next(line["address"] for line in lines if line["message"] == "listening")
        assert any("startup complete" in line["message"] for line in lines)

    def run(self, *command: str, where: Path | None = None) -> str:
        """What a command prints; it must end well."""
        words = [word.replace("http://127.0.0.1:8400", self._url) for word in command]
        done = subprocess.run(
            words,
            cwd=where or self.folder,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def shell(self, block: str) -> str:
        """What a block of commands prints, TICKET in it being that of the block's decision."""
        before, ticket, after = block.partition("curl -s http://127.0.0.1:8400/v1/decisions/TICKET")
        said = self.run("bash", "-c", f"set -e\n{before}")
        if ticket:
            found = re.findall(r'"ticket":"([^"]+)"', said)[-1]
            said += self.run("bash", "-c", (ticket + after).replace("TICKET", found))
        return said


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    (words,) = SERVE.findall((ROOT / "README.md").read_text())
    reader = Reader(tmp_path, words.split())
    yield reader
    reader.service.send_signal(signal.SIGTERM)
    assert reader.service.wait(30) == 0
    assert reader.service.stderr is not None
    reader.service.stderr.close()


def test_every_page_starts_the_service_on_one_folder() -> None:
    """Or on a database, whose address is no folder."""
    pages = [ROOT / "README.md", *HOW_TO.glob("*.md")]
    folders = {
        page.name: set(re.findall(r"--data ([^:\s]+)(?!\S)", "".join(blocks(page, r"\w*"))))
        for page in pages
    }
    named = {name: folder for name, folder in folders.items() if folder}
    assert {"README.md", "call-the-service.md", "operate.md", "dashboard.md"} <= set(named)
    assert set.union(*named.values()) == {"out/service"}


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
def test_the_pages_in_order(
    reader: Reader, wait_until: Callable[[Callable[[], bool]], None]
) -> None:
    follow_readme(reader)
    follow_call_the_service(reader)
    key = follow_operate(reader)
    pause = "curl -s http://127.0.0.1:8400/v1/campaigns/page/pause -X POST -H"
    # As the page says, a running service notices a new key within a second.
    wait_until(lambda: '"state":"paused"' in reader.shell(f'{pause} "Authorization: Bearer {key}"'))


@pytest.mark.skipif(shutil.which("curl") is None, reason="there is no curl")
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no Node")
@pytest.mark.skipif(
    not (CLIENT / "node_modules" / "@openfeature").exists(), reason="make node has not been run"
)
def test_the_page_on_javascript(reader: Reader) -> None:
    follow_readme(reader)
    follow_javascript(reader)


def follow_readme(reader: Reader) -> None:
    (commands,) = blocks(ROOT / "README.md", "bash")
    assert '"result":"accepted"' in reader.shell(commands)


def follow_call_the_service(reader: Reader) -> None:
    page = HOW_TO / "call-the-service.md"
    *commands, ofrep, _ = blocks(page, "bash")  # the last is about keys: see below
    said = reader.shell("\n".join(commands))
    assert '"result":"duplicate"' in said  # the visit of README, reported again
    assert "The floor holds" in said
    assert reader.shell(ofrep).count('"metadata":{"ticket":') >= 2
    programs = blocks(page, "python")
    assert len(programs) == 4
    for program in programs:
        patient = program.replace(':8400"', ':8400", timeout=10')  # this machine may be busy
        assert reader.run(sys.executable, "-c", patient).startswith("show current")


def follow_javascript(reader: Reader) -> None:
    node, browser, server = blocks(HOW_TO / "javascript.md", "js")
    for program in (node, server):
        program = program.replace("  url:", "  timeoutMs: 10000,\n  url:")
        patient = '{ timeoutMs: 10000, url: "http://127.0.0.1:8400" }'
        program = program.replace("new Client()", f"new Client({patient})")
        program = program.replace("rewards.jsonl", f"{reader.folder}/rewards.jsonl")
        said = reader.run("node", "--input-type=module", "--eval", program, where=CLIENT)
        assert said.startswith("show current")
    assert node in (CLIENT / "README.md").read_text()
    assert "LocalStorageJournal" in browser  # what it does is tested in a browser


def follow_operate(reader: Reader) -> str:
    """Follow the page, and return a key that it creates."""
    _, commands, keys, backup, *_ = blocks(HOW_TO / "operate.md", "sh")
    assert '"result":"duplicate"' in reader.shell(commands)
    reader.shell(backup)
    copy = "out/backup-2026-11-15/campaigns/page.ledger"
    assert f"floorline ledger verify {copy}" in (HOW_TO / "operate.md").read_text()
    reader.run("floorline", "ledger", "verify", copy)
    *_, with_a_key = blocks(HOW_TO / "call-the-service.md", "bash")
    listed: Any = json.loads(reader.shell(with_a_key).splitlines()[-1])
    assert [one["name"] for one in listed["campaigns"]] == ["newsletter", "page"]
    mine, website, *_ = reader.shell(keys.replace("floorline key revoke ID", "true")).splitlines()
    assert mine.startswith("fl_") and website.startswith("fl_")
    return mine
