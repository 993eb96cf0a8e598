"""The JavaScript client: its own tests, by Node's test runner against a real service."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from floorline import __version__

PACKAGE = Path(__file__).parents[2] / "clients" / "js"

if shutil.which("node") is None:
    pytest.skip(
        "no Node: the JavaScript client is not tested; run make node",
        allow_module_level=True,
    )
if not (PACKAGE / "node_modules" / "typescript").exists():
    pytest.skip(
        "no npm packages: the JavaScript client is not tested; run make node",
        allow_module_level=True,
    )


def run(*command: str, **environment: str) -> str:
    done = subprocess.run(
        command,
        cwd=PACKAGE,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("file", sorted(path.name for path in (PACKAGE / "test").glob("*.test.js")))
def test_with_nodes_test_runner(service: Any, file: str) -> None:
    said = run("node", "--test", "--test-timeout=60000", f"test/{file}", FLOORLINE_URL=service.url)
    assert int(re.findall(r"^. pass (\d+)$", said, re.M)[0]) >= 1
    assert re.findall(r"^. (?:fail|skipped|todo|cancelled) (\d+)$", said, re.M) == ["0"] * 4


def test_the_types(tmp_path: Path) -> None:
    """They are checked, and the declarations in the package are those of its sources."""
    run("node_modules/.bin/tsc", "--outDir", str(tmp_path))
    made, kept = (
        {path.name: path.read_text() for path in folder.iterdir()}
        for folder in (tmp_path, PACKAGE / "types")
    )
    assert made == kept, "run npm run types in clients/js"


def test_a_typed_program(tmp_path: Path) -> None:
    """A program in TypeScript is checked against the declarations, and its mistakes are found."""
    program = tmp_path / "shop.ts"
    program.write_text(
        'import { Client, type Decision } from "floorline-client";\n'
        'import { FileJournal } from "floorline-client/node";\n'
        'import { FloorlineProvider } from "floorline-client/openfeature-server";\n'
        'import { OpenFeature } from "@openfeature/server-sdk";\n'
        'const journal = new FileJournal("rewards.jsonl");\n'
        'const client = new Client({ defaults: { page: "now" }, timeoutMs: 150, journal });\n'
        'const decision: Decision = await client.decide("page", { requestKey: "visit-1" });\n'
        "const sent: boolean = client.reward(decision.ticket, 1);\n"
        "OpenFeature.setProvider(new FloorlineProvider(client));\n"
        "// @ts-expect-error: a mistake\n"
        'client.reward(decision.ticket, "1");\n'
        "// @ts-expect-error: another\n"
        "const arm: number = decision.arm;\n"
        "export { arm, sent };\n"
    )
    (tmp_path / "node_modules").mkdir()
    (tmp_path / "node_modules" / "floorline-client").symlink_to(PACKAGE)
    for name in ("@openfeature", "@types", "undici-types"):
        (tmp_path / "node_modules" / name).symlink_to(PACKAGE / "node_modules" / name)
    (tmp_path / "package.json").write_text('{"type": "module"}')
    options = "--noEmit --strict --module nodenext --target es2022 --skipLibCheck --ignoreConfig"
    run("node_modules/.bin/tsc", *options.split(), str(program))


def test_the_package_has_the_version_of_floorline() -> None:
    text = (PACKAGE / "package.json").read_text()
    assert re.findall(r'^  "version": "(.+)"', text, re.M) == [__version__]
    assert '"dependencies"' not in text
