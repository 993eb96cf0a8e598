"""The data folder and its backups."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from serving import PAGE, Server

from floorline.live import Campaign
from floorline.live.verify import verify
from floorline.service.data import opened_data
from floorline.service.host import backup
from floorline.service.host.folder import Folder

Run = Callable[..., "subprocess.CompletedProcess[str]"]


def test_a_folder_of_a_newer_version_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "format").write_text("99\n")
    with pytest.raises(ValueError, match="has layout version '99'"):
        Folder(tmp_path, create=True)


@pytest.mark.parametrize("exists", [False, True])
def test_a_missing_or_empty_folder_is_refused(tmp_path: Path, floorline: Run, exists: bool) -> None:
    """It may be a folder that is not mounted, and then all tickets would be unknown."""
    data = tmp_path / "data"
    if exists:
        data.mkdir()
    for words in (("serve", "--port", "0"), ("key", "create", "--scopes", "read")):
        refused = floorline(*words, "--data", str(data))
        assert refused.returncode == 2
        assert refused.stderr.startswith(f"floorline: --data: {data} is not a data folder.")
        assert "use floorline serve --create" in refused.stderr
    assert data.exists() == exists
    assert not exists or os.listdir(data) == []


def test_create_is_harmless_on_existing_data(start: Callable[..., Server], tmp_path: Path) -> None:
    for _ in range(2):
        server = start(tmp_path)  # which adds --create
        server.client().post("/v1/campaigns", json=PAGE)
        assert server.end() == 0
    assert Folder(tmp_path).store.names() == ["page"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_a_folder_that_root_creates_belongs_to_the_service(tmp_path: Path) -> None:
    os.chown(tmp_path, 12345, 12346)
    folder = Folder(tmp_path, create=True)
    for path in (folder.campaigns, tmp_path / "format"):
        assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(ValueError, match="cannot be used"):
        Folder(tmp_path / "file", create=True)


def test_a_backup_of_a_running_service_can_be_restored(
    start: Callable[..., Server], tmp_path: Path, floorline: Run
) -> None:
    server = start(tmp_path / "data")
    client = server.client()
    client.post("/v1/campaigns", json=PAGE)
    path = "/v1/campaigns/page/decisions"
    made = client.post(path, json={"request_key": "before"}).json()
    done = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy"))
    assert done.returncode == 0, done.stderr
    client.post(path, json={"request_key": "after"})
    assert server.end() == 0
    restored = start(tmp_path / "copy").client()
    assert restored.get("/v1/campaigns/page").json()["status"]["decisions"] == 1
    assert restored.post(path, json={"request_key": "before"}).json() == made
    again = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "copy"))
    assert (again.returncode, "exists already" in again.stderr) == (2, True)


def test_a_backup_has_the_keys_and_the_webhooks(tmp_path: Path) -> None:
    data, copy = tmp_path / "data", tmp_path / "copy"
    with opened_data(data, create=True) as opened:
        opened.keys.create(["read"])
        opened.webhooks.add("https://example.org/hook")
    with opened_data(data) as opened:
        kept = opened.keys.keys(), opened.webhooks.webhooks()
        assert all(kept)
    backup.back_up(data, copy)
    with opened_data(copy) as opened:
        assert (opened.keys.keys(), opened.webhooks.webhooks()) == kept
    for folder in (data, copy):
        (folder / "keys.json").unlink()  # by mistake; a key is needed all the same
        backup.back_up(folder, tmp_path / f"{folder.name}-without")
        with opened_data(tmp_path / f"{folder.name}-without") as opened:
            assert opened.keys.required


def test_a_backup_leaves_other_folders_alone(tmp_path: Path, floorline: Run) -> None:
    Folder(tmp_path / "shop-new", create=True)
    Campaign.open(
        tmp_path / "shop-new" / "campaigns" / "page.ledger", arms=["a", "b"], max_loss=0.1
    ).close()
    data, to = ("--data", str(tmp_path / "shop-new")), ("--to", str(tmp_path / "shop"))
    assert floorline("backup", *data, *to).returncode == 0
    for folder in ("shop-new", "shop"):
        assert verify(str(tmp_path / folder / "campaigns" / "page.ledger")).problems == []
    assert sorted(os.listdir(tmp_path)) == ["shop", "shop-new"]


def test_a_backup_that_fails_leaves_nothing(
    tmp_path: Path, floorline: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    Folder(tmp_path / "data", create=True)

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(backup, "_copy", fail)
    refused = floorline("backup", "--data", str(tmp_path / "data"), "--to", str(tmp_path / "to"))
    assert (refused.returncode, "No space left" in refused.stderr) == (2, True)
    assert os.listdir(tmp_path) == ["data"]


def test_a_damaged_ledger_does_not_keep_the_others_from_a_backup(
    tmp_path: Path, floorline: Run
) -> None:
    folder = Folder(tmp_path / "data", create=True)
    Campaign.open(Path(folder.store.locator("page")), arms=["a", "b"], max_loss=0.1).close()
    Path(folder.store.locator("bad")).write_bytes(b"x" * 5000)
    done = floorline("backup", "--data", str(folder.path), "--to", str(tmp_path / "copy"))
    assert done.returncode == 1
    assert done.stderr.startswith("bad was not copied: ")
    assert Folder(tmp_path / "copy").store.names() == ["page"]
