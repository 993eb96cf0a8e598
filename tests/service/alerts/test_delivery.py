"""Webhooks: signed, retried, bounded, and never sent elsewhere."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import json
import socket
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from receiving import Receiver

from floorline.service.alerts import delivery, posting
from floorline.service.alerts.conditions import DRIFT, KINDS, WINNER
from floorline.service.alerts.delivery import AlertDelivery, new_alert
from floorline.service.alerts.webhooks import MAX_WEBHOOKS, Webhook, WebhookFile
from floorline.service.data import opened_data
from floorline.service.host.folder import Folder

AT_ONCE = (0.0, 0.0)


@pytest.fixture
def file(tmp_path: Path) -> WebhookFile:
    return WebhookFile(Folder(tmp_path / "data", create=True).path)


@pytest.fixture(params=["folder", "database"])
def data(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """What `--data` may be."""
    if request.param == "folder":
        Folder(tmp_path / "data", create=True)
        return str(tmp_path / "data")
    url: str = request.getfixturevalue("database")
    with opened_data(url, create=True):
        return url


async def deliver(sender: AlertDelivery, count: int = 1, kind: str = WINNER) -> None:
    for number in range(count):
        await sender.notify(new_alert(kind, "raised", "page", f"text {number}"))
    await asyncio.gather(*sender._tasks.values())


def test_a_message_is_signed(file: WebhookFile) -> None:
    with Receiver() as receiver:
        secret = file.add(receiver.url).secret
        asyncio.run(deliver(AlertDelivery(file)))
        message = receiver.next()
    stamp, signed = (part.split("=")[1] for part in message.signature.split(","))
    # As a receiver in any language would check it.
    right = hmac.new(secret.encode(), f"{stamp}.".encode() + message.body, hashlib.sha256)
    assert hmac.compare_digest(signed, right.hexdigest())
    wrong = hmac.new(b"another", f"{stamp}.".encode() + message.body, hashlib.sha256)
    assert signed != wrong.hexdigest()
    assert message.alert["kind"] == "winner-found"
    assert (message.alert["campaign"], message.alert["text"]) == ("page", "text 0")


def test_a_message_is_sent_again_until_it_is_accepted(file: WebhookFile) -> None:
    with Receiver(500, 503) as receiver:
        file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender))
        ids = [receiver.next().alert["id"] for _ in range(3)]
    assert len(set(ids)) == 1
    assert sender.dropped == 0


def test_a_message_is_given_up_and_the_next_one_is_sent(file: WebhookFile) -> None:
    with Receiver(500, 500, 500) as receiver:
        file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender, 2))
        texts = [receiver.next().alert["text"] for _ in range(4)]
    assert texts == ["text 0"] * 3 + ["text 1"]
    assert sender.dropped == 1


def test_redirects_are_not_followed(file: WebhookFile) -> None:
    with Receiver(302, 302, 302) as receiver:
        file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender))
    assert sender.dropped == 1


def test_an_answer_that_makes_no_sense_is_a_failure(file: WebhookFile) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, Receiver() as receiver:

        def answer() -> None:
            for _ in range(3):
                connection, _ = listening.accept()
                with connection:
                    connection.recv(65536)
                    connection.sendall(b"what?\r\n\r\n")

        nonsense = threading.Thread(target=answer)
        nonsense.start()
        file.add(f"http://127.0.0.1:{listening.getsockname()[1]}/")
        file.add("http://127.0.0.1:9/\N{SNOWMAN}")
        file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender))
        nonsense.join()
        assert receiver.next().alert["text"] == "text 0"
    assert sender.dropped == 2


def test_webhooks_that_cannot_be_read_for_a_while_lose_nothing(
    file: WebhookFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Receiver() as receiver:
        file.add(receiver.url)
        read, failures = file.webhooks, [ValueError("the database is away")]

        def flaky() -> list[Webhook]:
            if len(looks) == 1 and failures:  # while it is being sent
                raise failures.pop()
            looks.append(1)
            return read()

        looks: list[int] = []
        monkeypatch.setattr(file, "webhooks", flaky)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender))
        assert receiver.next().alert["text"] == "text 0"
    assert (sender.dropped, failures) == (0, [])


def test_a_receiver_that_is_not_there_holds_up_nothing(file: WebhookFile) -> None:
    with Receiver() as receiver:
        file.add("http://127.0.0.1:9/")  # nothing listens there
        file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)
        asyncio.run(deliver(sender))
        assert receiver.next().alert["text"] == "text 0"
    assert sender.dropped == 1


def test_one_deadline_holds_for_a_response_that_comes_byte_by_byte(
    file: WebhookFile, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posting, "TIMEOUT_SECONDS", 0.5)
    ended = threading.Event()

    def trickle() -> None:
        connection, _ = listening.accept()
        with connection, suppress(OSError):
            connection.sendall(b"HTTP/1.1 200 OK\r\nX: ")
            while not ended.wait(0.05):
                connection.sendall(b"a")

    with socket.create_server(("127.0.0.1", 0)) as listening:
        thread = threading.Thread(target=trickle, daemon=True)
        thread.start()
        webhook = file.add(f"http://127.0.0.1:{listening.getsockname()[1]}")
        giving_up = threading.Timer(20, ended.set)  # then the test fails, and does not hang
        giving_up.start()
        with suppress(OSError):  # it has said 200 by then
            delivery.send(webhook, new_alert(WINNER, "raised", "page", "text"))
        assert not ended.is_set()
        giving_up.cancel()
        ended.set()
        thread.join()


def test_a_bounded_number_waits(file: WebhookFile, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(delivery, "MAX_WAITING", 3)
    with Receiver() as receiver:
        webhook = file.add(receiver.url)
        sender = AlertDelivery(file, AT_ONCE)

        async def add_at_once() -> None:
            for number in range(5):
                sender._add(webhook, new_alert(WINNER, "raised", "page", f"text {number}"))
            await asyncio.gather(*sender._tasks.values())

        asyncio.run(add_at_once())
        texts = [receiver.next().alert["text"] for _ in range(3)]
    assert texts == ["text 2", "text 3", "text 4"]
    assert sender.dropped == 2


def test_only_what_is_wanted_is_sent(file: WebhookFile) -> None:
    with Receiver() as receiver:
        file.add(receiver.url, [DRIFT])

        async def both() -> None:
            sender = AlertDelivery(file, AT_ONCE)
            await deliver(sender, kind=WINNER)
            await deliver(sender, kind=DRIFT)

        asyncio.run(both())
        assert receiver.next().alert["kind"] == "drift"
        assert receiver.messages.empty()


def test_the_file_is_its_owners_and_is_checked(file: WebhookFile, tmp_path: Path) -> None:
    added = file.add("https://example.org/hook")
    path = tmp_path / "data" / "webhooks.json"
    assert path.stat().st_mode & 0o077 == 0
    assert json.loads(path.read_bytes())[0]["kinds"] == list(KINDS)
    for url in ("ftp://example.org", "example.org", "", "https://"):
        with pytest.raises(ValueError, match="url: must be an address"):
            file.add(url)
    with pytest.raises(ValueError, match="kinds"):
        file.add("https://example.org", ["weather"])
    for _ in range(MAX_WEBHOOKS - 1):
        file.add("https://example.org/hook")
    with pytest.raises(ValueError, match="at most 20"):
        file.add("https://example.org/hook")
    file.remove(added.id)
    assert added.id not in [webhook.id for webhook in file.webhooks()]
    path.write_bytes(b"not json")
    with pytest.raises(ValueError, match="cannot be read"):
        file.webhooks()


def test_a_database_has_a_bounded_number(database: str) -> None:
    with opened_data(database, create=True) as opened:
        webhooks = opened.webhooks
        added = [webhooks.add(f"https://example.org/{n}") for n in range(MAX_WEBHOOKS)]
        assert webhooks.webhooks() == added
        with pytest.raises(ValueError, match="at most 20"):
            webhooks.add("https://example.org/hook")
        opened.source.session.run("DROP TABLE floorline.webhooks")  # type: ignore[attr-defined]
        with pytest.raises(ValueError, match="the webhooks cannot be read"):
            webhooks.webhooks()


def test_the_command(floorline, data: str) -> None:
    def known() -> list[Webhook]:
        with opened_data(data) as opened:
            return opened.webhooks.webhooks()

    with Receiver(500) as receiver:
        secret = floorline("webhook", "add", receiver.url, "--data", data, "--kinds", "drift")
        assert secret.returncode == 0, secret.stderr
        (webhook,) = known()
        assert secret.stdout.strip() == webhook.secret
        listed = floorline("webhook", "list", "--data", data)
        assert webhook.id in listed.stdout
        assert webhook.secret not in listed.stdout
        refused = floorline("webhook", "test", webhook.id, "--data", data)
        assert (refused.returncode, "answered 500" in refused.stderr) == (2, True)
        assert refused.stderr.startswith(f"floorline: {receiver.url} did not accept it")
        assert floorline("webhook", "test", webhook.id, "--data", data).stdout == "accepted\n"
    assert floorline("webhook", "remove", webhook.id, "--data", data).returncode == 0
    assert known() == []
    for word in ("remove", "test"):
        missing = floorline("webhook", word, webhook.id, "--data", data)
        assert missing.returncode == 2
        assert missing.stderr == f"floorline: ID: must be one of those listed, not {webhook.id!r}\n"
