"""The clients against a real service, and against ones that hang, drop answers or are gone."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from socket import create_server
from typing import Any

import pytest

from floorline.client import AsyncClient, Client, Decision, ServiceError
from floorline.client.messages import decision_request

Decide = Callable[..., list[Decision]]


@pytest.fixture(params=["sync", "async"])
def decide(request: pytest.FixtureRequest) -> Decide:
    """Makes decisions one after the other, with a client of either kind."""

    def with_threads(url: str, campaign: str, *keys: str | None, **options: Any) -> list[Decision]:
        with Client(url, **options) as client:
            return [client.decide(campaign, key) for key in keys]

    async def with_loop(
        url: str, campaign: str, *keys: str | None, **options: Any
    ) -> list[Decision]:
        async with AsyncClient(url, **options) as client:
            return [await client.decide(campaign, key) for key in keys]

    if request.param == "sync":
        return with_threads
    return lambda *words, **options: asyncio.run(with_loop(*words, **options))


class Proxy(ThreadingHTTPServer):
    """Passes requests on to a service, and drops the first answers."""

    def __init__(self, port: int, drops: int) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.port, self.drops = port, drops
        self.headers: list[dict[str, str]] = []
        self.url = f"http://127.0.0.1:{self.server_address[1]}"


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Proxy

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.headers.append(dict(self.headers))
        beyond = HTTPConnection("127.0.0.1", self.server.port)
        beyond.request("POST", self.path, body, {"Content-Type": "application/json"})
        answer = beyond.getresponse()
        content = answer.read()
        beyond.close()
        if self.server.drops > 0:
            self.server.drops -= 1
            self.close_connection = True
            return
        self.send_response(answer.status)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, *words: Any) -> None:
        pass


@pytest.fixture
def proxy(service: Any) -> Iterator[Callable[[int], Proxy]]:
    started: list[Proxy] = []

    def start(drops: int) -> Proxy:
        started.append(Proxy(service.port, drops))
        threading.Thread(target=started[-1].serve_forever, args=(0.01,), daemon=True).start()
        return started[-1]

    yield start
    for one in started:
        one.shutdown()
        one.server_close()


@pytest.fixture
def hanging() -> Iterator[str]:
    """The address of a server that never answers."""
    with create_server(("127.0.0.1", 0), backlog=64) as listening:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"


def test_the_service_decides(service: Any, campaign: str, decide: Decide) -> None:
    first, again, other, own = decide(service.url, campaign, "a", "a", None, None, timeout=10)
    assert first == again
    assert len({first.ticket, other.ticket, own.ticket}) == 3
    records = service.records(campaign)
    assert [one["ticket"] for one in records] == [first.ticket, other.ticket, own.ticket]
    assert [one["arm"] for one in records] == [first.arm, other.arm, own.arm]
    assert records[0]["request_key"] == "a"
    assert first.guaranteed_budget == records[0]["guaranteed_budget"]


def test_keys_of_the_client_are_unique_and_in_the_order_of_time(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    made = []
    for milliseconds in (1_700_000_000_000, 1_700_000_000_001, 1_900_000_000_000):
        monkeypatch.setattr("time.time_ns", lambda now=milliseconds: now * 1_000_000)
        made.append({decision_request(None, None)["request_key"] for _ in range(100)})
    assert [len(keys) for keys in made] == [100] * 3
    for one, later in pairwise(made):
        assert max(one) < min(later)
    assert {len(key) for keys in made for key in keys} == {32}


def test_a_context_is_passed_on(service: Any, campaign: str) -> None:
    async def ask() -> None:
        async with AsyncClient(service.url, timeout=10) as client:
            await client.decide(campaign, "b", context={"hour": 2})
            await client.decide_many(campaign, ["c", "d"], contexts=[None, {"hour": 4}])

    with Client(service.url, timeout=10) as client:
        made = client.decide(campaign, "a", context={"hour": 1})
        assert made.probability is not None
        with pytest.raises(ValueError, match="contexts: must be as many as request_keys, 1, not 0"):
            client.decide_many(campaign, ["e"], contexts=[])
    asyncio.run(ask())
    kept = {one["request_key"]: one["context"] for one in service.records(campaign)}
    assert kept == {"a": {"hour": 1}, "b": {"hour": 2}, "c": None, "d": {"hour": 4}}


def test_a_candidate_is_passed_on(service: Any, campaign: str) -> None:
    with Client(service.url, timeout=10) as client:
        assert client.decide(campaign, candidate="quiz").candidate == "quiz"
        with pytest.raises(ServiceError, match="invalid: candidate"):
            client.ask(campaign, candidate="radio")


def test_a_server_that_hangs_is_not_waited_for(hanging: str, decide: Decide) -> None:
    made = decide(hanging, "page", None, defaults={"page": "now"}, timeout=0.05)
    assert made == [Decision(None, "now", True, None, "timeout", None, None)]


@pytest.mark.parametrize("many", [False, True])
def test_busy_threads_do_not_make_others_wait(hanging: str, many: bool) -> None:
    async def ask() -> list[Decision]:
        async with AsyncClient(
            hanging, connections=1, defaults={"page": "now"}, timeout=0.1
        ) as client:
            if not many:
                return await asyncio.gather(*(client.decide("page") for _ in range(100)))
            calls = (client.decide_many("page", ["a", "b"]) for _ in range(100))
            return [
                decision for decisions in await asyncio.gather(*calls) for decision in decisions
            ]

    async def ask_in_time() -> list[Decision]:
        return await asyncio.wait_for(ask(), 8)  # one after the other it would be 10 seconds

    decisions = asyncio.run(ask_in_time())
    assert len(decisions) == (200 if many else 100)
    assert {decision.reason for decision in decisions} == {"timeout"}


def test_without_an_answer_and_a_default_the_error_is_raised(decide: Decide) -> None:
    with pytest.raises(ServiceError, match="unreachable"):
        decide("http://127.0.0.1:9", "page", None)


def test_the_default_is_learned_from_decisions(service: Any, decide: Decide) -> None:
    name = service.open("learned", max_loss=0)
    with Client(service.url, timeout=10) as client:
        assert client.decide(name).arm == "now"
        client.timeout = 1e-9
        made = client.decide(name)
    assert (made.ticket, made.arm, made.reason) == (None, "now", "timeout")


def test_the_default_is_learned_from_problems(service: Any, decide: Decide) -> None:
    name = service.open("stopped")
    service.send(f"/v1/campaigns/{name}/stop", {})
    (made,) = decide(service.url, name, None, timeout=10)
    assert (made.ticket, made.arm, made.reason) == (None, "now", "stopped")


def test_an_unknown_campaign_is_answered_too(service: Any, decide: Decide) -> None:
    (made,) = decide(service.url, "nowhere", None, defaults={"nowhere": "x"}, timeout=10)
    assert (made.arm, made.reason) == ("x", "unknown-campaign")


def test_a_retry_is_no_second_decision(
    service: Any, campaign: str, decide: Decide, proxy: Callable[[int], Proxy]
) -> None:
    between = proxy(2)
    (made,) = decide(between.url, campaign, None, timeout=10)
    assert len(between.headers) == 3
    assert [one["ticket"] for one in service.records(campaign)] == [made.ticket]


def test_three_tries_and_no_more(
    campaign: str, decide: Decide, proxy: Callable[[int], Proxy]
) -> None:
    between = proxy(100)
    (made,) = decide(between.url, campaign, None, timeout=10, defaults={campaign: "now"})
    assert (made.reason, len(between.headers)) == ("unreachable", 3)


def test_the_key_is_sent(campaign: str, proxy: Callable[[int], Proxy]) -> None:
    between = proxy(0)
    with Client(between.url, "fl_1_secret", timeout=10) as client:
        client.decide(campaign)
    assert between.headers[0]["Authorization"] == "Bearer fl_1_secret"


def test_many_at_once(service: Any, campaign: str) -> None:
    async def ask() -> list[Decision]:
        async with AsyncClient(service.url, timeout=20) as client:
            made = await asyncio.gather(*(client.decide(campaign) for _ in range(60)))
            assert all(client.reward(one.ticket, 0.5) for one in made)
            assert await client.flush(20)
        return made

    assert len({made.ticket for made in asyncio.run(ask())}) == 60
    status = service.status(campaign)
    assert (status["decisions"], status["pending"]) == (60, 0)


def test_connections_that_a_restart_cut_off_are_all_replaced(service: Any, campaign: str) -> None:
    with Client(service.url, timeout=20) as client:
        together = threading.Barrier(8)

        def ask() -> None:
            together.wait()
            client.decide(campaign)

        threads = [threading.Thread(target=ask) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(client._pool._idle) > 3, "more idle connections than there are tries"
        service.kill()
        service.start()
        assert client.decide(campaign).ticket is not None
    assert service.status(campaign)["decisions"] == 9, "what was acknowledged survived"


def test_voids(service: Any) -> None:
    name = service.open("voids", voids=True)
    plain = service.open("no-voids", max_loss=0)
    with Client(service.url, timeout=10) as client:
        client.void(client.decide(name).ticket)
        with pytest.raises(ServiceError, match=r"conflict: .*cannot be voided"):
            client.void(client.decide(plain).ticket)
        with pytest.raises(ServiceError, match="unknown-ticket"):
            client.void("abc-1-0")
    assert service.status(name)["arms"][0]["voided"] == 1


def test_a_late_decision_is_voided_by_its_key(service: Any, proxy: Callable[[int], Proxy]) -> None:
    name = service.open("late", voids=True)
    with Client(proxy(3).url, timeout=10, defaults={name: "now"}) as client:
        assert client.decide(name, "visit-1").ticket is None
        client.void(client.decide(name, "visit-1").ticket)
    assert [one["outcome"] for one in service.records(name)] == ["voided"]


def test_an_address_that_is_none() -> None:
    with pytest.raises(ValueError, match="url: must be like http://"):
        Client("127.0.0.1:8400")


@pytest.mark.parametrize("key", ["fl_1_secret\n", "fl_1 secret", "", "fl_1_sécret", b"fl_1_secret"])
def test_a_key_that_is_none_is_not_shown(key: Any) -> None:
    with pytest.raises(ValueError, match="key: must be printable ASCII") as caught:
        Client("http://127.0.0.1:9", key)
    assert "cret" not in str(caught.value)
