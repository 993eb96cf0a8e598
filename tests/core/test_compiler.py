"""Compiled code is kept between processes, and is never stale."""

import json
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import floorline
from floorline.core.compiler import cache_folder

PROGRAM = """
import json, sys
import numpy as np
from floorline import Boundary, ConfidenceFloor, Gaussian, Policy, Proposer, simulate
from mine import pick
policy = Policy(Proposer(pick))  # compiled in half the time of one with a floor
if "with a floor" in sys.argv:
    policy = Policy(Proposer(pick), ConfidenceFloor(0.5, 0.5), Boundary(noise_scale=0.1))
found = simulate(policy, Gaussian([0.5, 0.6, 0.1], 0.1), horizon=200, runs=4, max_loss=0.5)
print(json.dumps(found.plays[:, -1].sum(axis=0).tolist()))
"""

MINE = """
from floorline import kernel
from helper import second
@kernel
def pick(rules, arms, memory, round, rng):
    return second(round)
"""

HELPER = """
from floorline import kernel
CHOICE = {choice}
@kernel
def second(round):
    return CHOICE
"""


def play(folder: Path, package: Path | None = None) -> list[int]:
    """The plays that a new process finds."""
    path = [str(folder)] + ([str(package)] if package else [])
    environment = {
        **os.environ,
        "FLOORLINE_CACHE_DIR": str(folder / "cache"),
        "PYTHONPATH": os.pathsep.join(path),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    command = [sys.executable, "-c", PROGRAM, *(["with a floor"] if package else [])]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def kept(folder: Path) -> set[Path]:
    return set((folder / "cache").rglob("*.nbc"))


def write(folder: Path, choice: int) -> None:
    (folder / "mine.py").write_text(MINE)
    (folder / "helper.py").write_text(HELPER.format(choice=choice))


def test_an_edit_of_a_users_kernel_is_seen(tmp_path):
    write(tmp_path, choice=1)
    first = play(tmp_path)
    files = kept(tmp_path)
    assert files, "nothing was kept"
    assert first[1] > 0
    assert first[2] == 0
    assert play(tmp_path) == first
    assert kept(tmp_path) == files, "the second process compiled again"
    write(tmp_path, choice=2)  # same size, in a file that the kernel's own file imports
    second = play(tmp_path)
    assert second[2] > 0
    assert second[1] == 0


def test_an_edit_of_the_package_is_seen(tmp_path):
    write(tmp_path, choice=1)
    package = tmp_path / "package"
    shutil.copytree(Path(floorline.__file__).parent, package / "floorline")
    first = play(tmp_path, package)
    edited = package / "floorline" / "floors" / "confidence_account.py"
    text = edited.read_text()
    assert "(1.0 - max_loss)" in text
    edited.write_text(text.replace("(1.0 - max_loss)", "(0.0 - max_loss)"))
    assert play(tmp_path, package)[1] > first[1]


def test_a_kernel_without_readable_source_is_not_kept(tmp_path):
    write(tmp_path, choice=1)
    (tmp_path / "mine.py").write_text(
        f"code = {MINE!r}\nexec(compile(code, '<made up>', 'exec'))\n"
    )
    assert play(tmp_path)[1] > 0
    assert not kept(tmp_path)


def test_an_unwritable_cache_folder_is_done_without(tmp_path):
    write(tmp_path, choice=1)
    (tmp_path / "cache").write_text("a file where the folder should be")
    assert play(tmp_path)[1] > 0


def test_folders_that_nobody_uses_any_more_are_removed(tmp_path, monkeypatch):
    monkeypatch.setenv("FLOORLINE_CACHE_DIR", str(tmp_path))
    names = {"old": "0" * 32, "young": "1" * 32, "not ours": "notes", "ours no more": "f" * 31}
    now = time.time()
    for name in names.values():
        (tmp_path / name / "inner").mkdir(parents=True)
        (tmp_path / name / "inner" / "code.nbc").write_text("code")
        age = 0 if name == names["young"] else 22 * 86_400
        os.utime(tmp_path / name, (now - age, now - age))
    used = cache_folder()
    assert {path.name for path in tmp_path.iterdir()} == {*names.values(), used.name} - {"0" * 32}
    os.utime(used, (now - 90 * 86_400,) * 2)
    assert cache_folder() == used  # and it is marked as in use
    assert used.stat().st_mtime >= now - 1
