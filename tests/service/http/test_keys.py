"""Keys: who may do what."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, problem
from starlette.testclient import TestClient

from floorline.core.file_locks import lock_file
from floorline.service.api.examples import EXAMPLES
from floorline.service.api.routes import OPERATIONS
from floorline.service.app import Service
from floorline.service.config import Config
from floorline.service.host import feed
from floorline.service.host.files import replace_file
from floorline.service.host.folder import KEYS_MARKER, Folder
from floorline.service.http import keys
from floorline.service.http.gate import is_own_page
from floorline.service.http.keys import KeyFile
from floorline.service.http.limits import RateLimit
from floorline.service.http.operations import Operation
from floorline.service.http.problems import Problem


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> KeyFile:
    monkeypatch.setattr(keys, "RELOAD_SECONDS", 0.0)
    return KeyFile(Folder(tmp_path / "data", create=True).keys)


def bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key}"}


def test_only_a_hash_is_kept(file: KeyFile) -> None:
    key = file.create(["decide"], "shop")
    secret = key.split("_", 2)[2]
    assert len(secret) == 43  # 256 bits
    text = file.path.read_text()
    assert secret not in text
    assert file.path.stat().st_mode & 0o777 == 0o600
    (kept,) = file.keys().values()
    assert (kept.name, kept.scopes, kept.id) == ("shop", ("decide",), key.split("_")[1])


def test_what_is_no_key(file: KeyFile) -> None:
    key = file.create(["decide"])
    kind, number, secret = key.split("_", 2)
    assert file.check(f"Bearer {key}".encode(), "decide").id == number
    for wrong in (
        "",
        "Bearer",
        f"Basic {key}",
        f"Bearer {kind}_{number}_",
        f"Bearer {key}x",
        f"Bearer {kind}_00000000_{secret}",
        f"Bearer {number}_{secret}",
        f"Bearer {key[:-1]}",
        "Bearer \xff_\xff_\xff",
    ):
        with pytest.raises(Problem) as raised:
            file.check(wrong.encode("latin-1"), "decide")
        assert raised.value.status == 401


def test_scopes(file: KeyFile) -> None:
    for wrong in ([], ["write"], ["decide", "root"]):
        with pytest.raises(ValueError, match="scopes: must be"):
            file.create(wrong)
    with pytest.raises(ValueError, match="campaigns: must be some names"):
        file.create(["decide"], campaigns=[])  # neither all nor none


@pytest.mark.parametrize("scope", keys.SCOPES)
def test_a_key_opens_what_its_scope_says_and_nothing_else(
    file: KeyFile, scope: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(feed, "MAX_LISTENERS", 0)  # a live stream would not end by itself
    key = file.create([scope])
    admin = file.create(["admin"])
    service = Service(Config(file.path.parent))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        client.post("/v1/campaigns", json=PAGE, headers=bearer(admin))
        for operation in OPERATIONS:
            path = operation.path.format(name="page", key="page", ticket="a-1-0")
            answer = client.request(operation.method, path, headers=bearer(key))
            if operation.scope in (None, scope):
                assert answer.status_code not in (401, 403), path
            else:
                default = "now" if "page" in path else None
                assert answer.status_code == 403
                assert answer.json()["default_arm"] == default
            without = client.request(operation.method, path)
            assert (without.status_code == 401) == (operation.scope is not None)
            if operation.scope is not None:
                assert without.json()["default_arm"] is None  # strangers learn nothing
                assert without.headers["www-authenticate"] == "Bearer"


def test_keys_change_while_the_service_runs(file: KeyFile) -> None:
    with TestClient(Service(Config(file.path.parent)), base_url="http://127.0.0.1") as client:
        assert client.get("/v1/campaigns").status_code == 200
        key = file.create(["read"])
        assert client.get("/v1/campaigns").status_code == 401
        assert client.get("/v1/campaigns", headers=bearer(key)).status_code == 200
        file.revoke(key.split("_")[1])
        assert client.get("/v1/campaigns", headers=bearer(key)).status_code == 401
        assert client.get("/v1/campaigns").status_code == 401  # not open again
        file.path.unlink()
        assert client.get("/v1/campaigns").status_code == 401


def test_without_keys_only_this_machine(tmp_path: Path) -> None:
    for host in ("0.0.0.0", "192.0.2.1", "::", "example.org"):
        with pytest.raises(ValueError, match=r"there are no keys\. Create one with: floorline key"):
            Config(tmp_path, host=host)
    KeyFile(Folder(tmp_path, create=True).keys).create(["read"])
    Config(tmp_path, host="0.0.0.0")


def test_the_command_line(floorline, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    refused = floorline("serve", "--data", str(tmp_path), "--host", "0.0.0.0")
    assert refused.returncode == 2
    assert refused.stderr.startswith("floorline: --host: 0.0.0.0 can be reached by others")
    data = ("--data", str(tmp_path))
    made = floorline(
        "key", "create", "--create", *data, "--scopes", "decide,reward", "--name", "shop"
    )
    key = made.stdout.strip()
    assert key.startswith("fl_")
    listed = floorline("key", "list", *data).stdout
    assert "shop" in listed and "decide,reward" in listed and key not in listed
    number = key.split("_")[1]
    assert floorline("key", "revoke", number, *data).returncode == 0
    again = floorline("key", "revoke", number, *data)
    assert again.returncode == 2
    assert again.stderr == f"floorline: ID: must be one of those listed, not {number!r}\n"


def test_too_many_requests(file: KeyFile) -> None:
    one, other = file.create(["decide", "admin"]), file.create(["decide"])
    service = Service(Config(file.path.parent, rate=3))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        client.post("/v1/campaigns", json=PAGE, headers=bearer(one))
        path = "/v1/campaigns/page/decisions"
        answers = [client.post(path, headers=bearer(one)) for _ in range(4)]
        problem(answers[-1], 429, "too-many", "now")
        assert answers[-1].headers["retry-after"] == "1"
        assert client.post(path, headers=bearer(other)).status_code == 200


def test_the_rate_is_kept_over_time() -> None:
    now = 0.0
    limit = RateLimit(10.0, clock=lambda: now)
    allowed = 0
    for step in range(1000):
        now = step / 100
        allowed += limit.wait("key") == 0.0
    assert 100 <= allowed <= 110  # ten seconds at ten a second, and one full bucket


@pytest.mark.parametrize(
    ("host", "origin", "own"),
    [
        ("localhost:8400", None, True),
        ("127.0.0.1:8400", "http://127.0.0.1:8400", True),
        ("[::1]:8400", "http://[::1]:8400", True),
        ("localhost:8400", "http://localhost:9", False),
        ("localhost:8400", "https://evil.example", False),
        ("evil.example:8400", None, False),
        ("localhost:8400", "null", False),
        ("[", None, False),
    ],
)
def test_foreign_pages(host: str, origin: str | None, own: bool) -> None:
    assert is_own_page(host.encode(), origin.encode() if origin else None) is own


def test_a_foreign_page_cannot_use_a_service_without_keys(client: TestClient, page: str) -> None:
    for headers in ({"origin": "https://evil.example"}, {"host": "evil.example"}):
        answer = client.post(f"{page}/stop", headers=headers)
        problem(answer, 403, "foreign-page")
        problem(client.post(f"{page}/decisions", headers=headers), 403, "foreign-page")
    assert client.get(page).json()["status"]["state"] == "running"


@pytest.mark.parametrize("content", [b"", b'[{"id":', b"{}", b"\xff"])
def test_keys_that_cannot_be_read_let_nobody_in(
    file: KeyFile, content: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "RELOAD_SECONDS", 60.0)  # only the first request reads
    key = file.create(["admin", "read"])
    kept = file.path.read_bytes()
    file.path.write_bytes(content)
    service = Service(Config(file.path.parent))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        for _ in range(3):
            for headers in ({}, bearer(key)):
                problem(client.get("/v1/campaigns", headers=headers), 503, "unavailable")
                problem(client.get("/dashboard/access", headers=headers), 503, "unavailable")
        file.path.write_bytes(kept)
        service.keys._checked_at = float("-inf")
        assert client.get("/v1/campaigns").status_code == 401
        assert client.get("/v1/campaigns", headers=bearer(key)).status_code == 200


def test_keys_that_may_not_be_read_let_nobody_in(
    file: KeyFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keys, "RELOAD_SECONDS", 60.0)
    file.create(["admin"])

    def refuse(self: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(Path, "read_bytes", refuse)
    service = Service(Config(file.path.parent))
    with TestClient(service, base_url="http://127.0.0.1") as client:
        for _ in range(3):
            problem(client.get("/v1/campaigns"), 503, "unavailable")


def test_a_service_does_not_start_with_keys_that_cannot_be_read(
    floorline,
    tmp_path: Path,  # type: ignore[no-untyped-def]
) -> None:
    Folder(tmp_path, create=True).keys.write_bytes(b"[")
    refused = floorline("serve", "--data", str(tmp_path), "--port", "0")
    assert refused.returncode == 2
    assert refused.stderr.startswith(f"floorline: --data: {tmp_path}/keys.json cannot be read")
    assert floorline("key", "list", "--data", str(tmp_path)).returncode == 2


@pytest.mark.locks
def test_keys_created_at_once_are_all_kept(file: KeyFile, monkeypatch: pytest.MonkeyPatch) -> None:
    def replace_under_a_lock(path: Path, content: bytes) -> None:
        folder = os.open(path.parent, os.O_RDONLY)
        try:
            with pytest.raises(BlockingIOError):  # nobody else can be between reading and writing
                lock_file(folder)
        finally:
            os.close(folder)
        replace_file(path, content)

    monkeypatch.setattr(keys, "replace_file", replace_under_a_lock)
    with ThreadPoolExecutor(4) as pool:
        made = list(pool.map(lambda _: KeyFile(file.path).create(["read"]), range(4)))
    assert set(file.keys()) == {key.split("_")[1] for key in made}


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_keys_that_root_makes_belong_to_the_service(tmp_path: Path) -> None:
    path = Folder(tmp_path, create=True).keys
    os.chown(tmp_path, 12345, 12346)
    KeyFile(path).create(["read"])
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 12346)


@pytest.mark.parametrize("words", [("list",), ("revoke", "abc")])
def test_only_create_makes_a_folder(
    floorline,
    tmp_path: Path,
    words: tuple[str, ...],  # type: ignore[no-untyped-def]
) -> None:
    refused = floorline("key", *words, "--data", str(tmp_path / "typo"))
    assert (refused.returncode, "is not a data folder" in refused.stderr) == (2, True)
    assert not (tmp_path / "typo").exists()


def test_deleting_the_keys_does_not_open_the_service(file: KeyFile) -> None:
    file.create(["read"])
    file.path.unlink()
    with TestClient(Service(Config(file.path.parent)), base_url="http://127.0.0.1") as client:
        assert client.get("/v1/campaigns").status_code == 401
        key = file.create(["read"])
        assert client.get("/v1/campaigns", headers=bearer(key)).status_code == 200


def test_keys_of_an_earlier_version_are_required_for_ever_too(file: KeyFile) -> None:
    file.create(["read"])
    file.path.with_name(KEYS_MARKER).unlink()  # which that version did not write
    with TestClient(Service(Config(file.path.parent)), base_url="http://127.0.0.1") as client:
        assert client.get("/v1/campaigns").status_code == 401
    file.path.unlink()
    assert KeyFile(file.path).required


def test_only_those_with_a_key_learn_the_names_of_campaigns(file: KeyFile) -> None:
    reader, writer = file.create(["read"]), file.create(["reward"])
    folder = Folder(file.path.parent)
    Path(folder.store.locator("secret-launch")).write_bytes(b"x" * 5000)
    with TestClient(Service(Config(folder.path)), base_url="http://127.0.0.1") as client:
        for headers in ({}, bearer(writer), bearer("fl_0_0")):
            ready = client.get("/readyz", headers=headers).json()
            assert (ready["unavailable_campaigns"], ready["unavailable"]) == (1, [])
        ready = client.get("/readyz", headers=bearer(reader)).json()
        assert ready["unavailable"] == ["secret-launch"]
        file.path.write_bytes(b"[")
        assert client.get("/readyz", headers=bearer(reader)).json()["unavailable"] == []


@pytest.mark.parametrize("name", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_without_keys_a_proxy_is_refused(client: TestClient, page: str, name: str) -> None:
    """Whoever reaches the proxy would have full access."""
    headers = {name: "192.0.2.1"}
    problem(client.post(f"{page}/stop", headers=headers), 403, "foreign-page")
    assert client.get(page).json()["status"]["state"] == "running"
    assert client.get("/readyz", headers=headers).status_code == 200


def test_with_keys_a_proxy_is_welcome(file: KeyFile) -> None:
    key = file.create(["read"])
    with TestClient(Service(Config(file.path.parent)), base_url="http://127.0.0.1") as client:
        headers = {**bearer(key), "X-Forwarded-For": "192.0.2.1", "Host": "shop.example"}
        assert client.get("/v1/campaigns", headers=headers).status_code == 200


@pytest.fixture
def shops(file: KeyFile, monkeypatch: pytest.MonkeyPatch) -> Iterator[TestClient]:
    """Two campaigns, whose default arms are `now` and `then`."""
    monkeypatch.setattr(feed, "MAX_LISTENERS", 0)  # a live stream would not end by itself
    admin = bearer(file.create(["admin"]))
    with TestClient(Service(Config(file.path.parent)), base_url="http://127.0.0.1") as client:
        other = {**PAGE, "name": "other", "arms": ["then", "quiz"]}
        for campaign in (PAGE, other):
            assert client.post("/v1/campaigns", json=campaign, headers=admin).status_code == 201
        yield client


def ask(client: TestClient, operation: Operation, secret: str, **path: str) -> Any:
    words = {"FinishBody": {"arm": "now"}, "StopBody": {"arm": "now"}}  # an arm of these campaigns
    if operation.path.endswith("/promote-arm"):  # the example was retired a moment ago
        words["ArmBody"] = {"arm": PAGE["arms"][1]}
    examples = {**EXAMPLES, **words}
    json = examples[operation.body.__name__] if operation.body and operation.body_required else None
    where = operation.path.format(**path)
    return client.request(operation.method, where, headers=bearer(secret), json=json)


def test_to_a_limited_key_other_campaigns_do_not_exist(file: KeyFile, shops: TestClient) -> None:
    unlimited = file.create(keys.SCOPES)
    key = file.create(keys.SCOPES, campaigns=["page"])
    decide = "/v1/campaigns/{}/decisions"
    own, foreign = (
        shops.post(decide.format(name), headers=bearer(unlimited)).json()["ticket"]
        for name in ("page", "other")
    )
    unknown = f"{'0' * 10}-1-0"
    for operation in OPERATIONS:
        if "{" not in operation.path:
            continue
        theirs = ask(shops, operation, key, name="other", key="other", ticket=foreign)
        nobodys = ask(shops, operation, key, name="nobody", key="nobody", ticket=unknown)
        assert theirs.status_code == 404, operation.path
        told, expected = theirs.json(), nobodys.json()
        del told["request_id"], expected["request_id"]
        text = str(told).replace("other", "nobody").replace(foreign, unknown)
        assert text == str(expected), operation.path
        assert told["default_arm"] is None
    status = shops.get("/v1/campaigns/other", headers=bearer(unlimited)).json()["status"]
    assert (status["state"], status["decisions"], status["arms"][0]["seen"]) == ("running", 1, 0)
    # Its own campaign can be used as before; what deletes it comes last.
    for operation in sorted(OPERATIONS, key=lambda one: one.path.endswith("/delete")):
        if "{" in operation.path and operation.id != "feed_live":
            mine = ask(shops, operation, key, name="page", key="page", ticket=own)
            assert mine.status_code in (200, 409), (operation.path, mine.text)


def test_what_a_limited_key_sees_of_the_whole_service(file: KeyFile, shops: TestClient) -> None:
    headers = bearer(file.create(keys.SCOPES, campaigns=["page", "soon"]))
    unlimited = bearer(file.create(keys.SCOPES))
    listed = shops.get("/v1/campaigns", headers=headers).json()["campaigns"]
    assert [campaign["name"] for campaign in listed] == ["page"]
    problem(shops.get("/metrics", headers=headers), 403, "wrong-scope")
    made = shops.post("/v1/campaigns/other/decisions", headers=unlimited).json()
    batch = {"rewards": [{"ticket": made["ticket"], "reward": 1}]}
    (result,) = shops.post("/v1/rewards", json=batch, headers=headers).json()["results"]
    assert result["problem"]["type"].endswith(":unknown-ticket")
    for name in ("other", "nobody"):  # whether or not there is one
        answer = shops.post("/v1/campaigns", json={**PAGE, "name": name}, headers=headers)
        problem(answer, 403, "wrong-scope")
    new = shops.post("/v1/campaigns", json={**PAGE, "name": "soon"}, headers=headers)
    assert new.status_code == 201
    shops.app.host.registry.catalogue.set_unavailable("other", "test")  # type: ignore[attr-defined]
    assert shops.get("/readyz", headers=headers).json()["unavailable"] == []
    assert shops.get("/readyz", headers=unlimited).json()["unavailable"] == ["other"]


def test_a_limited_key_without_the_scope_learns_nothing(file: KeyFile, shops: TestClient) -> None:
    headers = bearer(file.create(["reward"], campaigns=["page"]))
    for name, default in (("page", "now"), ("other", None), ("nobody", None)):
        answer = shops.post(f"/v1/campaigns/{name}/decisions", headers=headers)
        problem(answer, 403, "wrong-scope", default)


def test_a_key_is_limited_on_the_command_line(floorline, file: KeyFile) -> None:  # type: ignore[no-untyped-def]
    words = ("key", "create", "--data", str(file.path.parent), "--scopes", "decide,read")
    made = floorline(*words, "--campaign", "page", "--campaign", "other")
    assert made.stderr == "scopes: decide, read; campaigns: page, other\n"
    assert file.keys()[made.stdout.split("_")[1]].campaigns == ("page", "other")
    made = floorline(*words)
    assert made.stderr == "scopes: decide, read; campaigns: all\n"
    assert file.keys()[made.stdout.split("_")[1]].campaigns is None
    listed = floorline("key", "list", "--data", str(file.path.parent)).stdout
    assert "page" in listed and "other" in listed and "all" in listed
    assert floorline(*words, "--campaign", "").returncode == 2
