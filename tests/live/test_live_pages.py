"""What the pages on live campaigns show on the command line is what the command line shows."""

import doctest
import re
import shlex
from pathlib import Path
from types import SimpleNamespace

import pytest
from typer.testing import CliRunner

from floorline.cli.main import app
from floorline.live import Campaign

PAGES = Path(__file__).parents[2] / "docs" / "how-to"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)


@pytest.mark.locks  # the page shows that a second writer is refused
@pytest.mark.parametrize("name", ["live-campaign.md"])
def test_console_blocks_are_real(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("floorline.live.opening.new_campaign_id", lambda: "5e1f0c7a92")
    for kind in ("memory", "sqlite"):
        monkeypatch.setattr(f"floorline.live.ledgers.{kind}.new_secret", lambda: bytes(32))
    monkeypatch.setitem(Campaign.open.__func__.__kwdefaults__, "clock", lambda: 1.8e9)
    monkeypatch.setattr("floorline.cli.ledger.time", SimpleNamespace(time=lambda: 1.8e9))
    known: dict[str, object] = {}
    shown = 0
    for kind, text in BLOCK.findall((PAGES / name).read_text()):
        if kind == "python":
            examples = doctest.DocTestParser().get_examples(text)
            runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
            test = doctest.DocTest(examples, known, name, name, 0, text)
            assert runner.run(test, clear_globs=False).failed == 0
            known = test.globs
        else:
            command, _, expected = text.partition("\n")
            words = shlex.split(command.removeprefix("$ floorline "))
            assert CliRunner().invoke(app, words).output.rstrip("\n") == expected.rstrip("\n")
            shown += 1
    assert shown > 0
