"""The JavaScript client in a real browser, on a page of another site than the service's."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from serving import PAGE, Server
from tcp_proxy import TcpProxy

from floorline.service.host.folder import Folder
from floorline.service.http.keys import SCOPES, KeyFile

PACKAGE = Path(__file__).parents[3] / "clients" / "js"
SDK = PACKAGE / "node_modules" / "@openfeature" / "web-sdk"

CAMPAIGNS = ("plain", "outage", "leaving", "slow", "strict", "foreign", "flag", "ofrep")

NESTED = "/node_modules/@openfeature/ofrep-web-provider/node_modules/@openfeature/ofrep-core"
"""The provider for servers has an older one."""

SITE = """<!doctype html>
<html lang="en">
<script type="importmap">
{"imports": {
  "floorline-client": "/src/index.js",
  "floorline-client/openfeature-web": "/src/openfeature-web.js",
  "@openfeature/core": "/node_modules/@openfeature/core/dist/esm/index.js",
  "@openfeature/ofrep-core": "NESTED/index.esm.js",
  "@openfeature/ofrep-web-provider": "/node_modules/@openfeature/ofrep-web-provider/index.esm.js",
  "@openfeature/web-sdk": "/node_modules/@openfeature/web-sdk/dist/esm/index.js"
}}
</script>
<title>Shop</title>
""".replace("NESTED", NESTED)


class Site(SimpleHTTPRequestHandler):
    """A shop whose page loads the client's files."""

    def do_GET(self) -> None:
        """Send the page, or a file of the package."""
        if self.path != "/":
            return super().do_GET()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(SITE.encode())
        return None

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture(scope="module")
def site() -> Iterator[str]:
    handler = partial(Site, directory=str(PACKAGE))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


class Shop:
    """A service with keys that pages of one site may call, and its campaigns."""

    def __init__(self, data: Path, site: str) -> None:
        keys = KeyFile(Folder(data, create=True).keys)  # a running service notices them late
        browser = ("decide", "reward")
        self.keys = {name: keys.create(browser, campaigns=[name]) for name in CAMPAIGNS}
        self.too_powerful = [
            keys.create((*browser, "read"), campaigns=["strict"]),
            keys.create(browser),
            keys.create(browser, campaigns=["strict", "other"]),
        ]
        admin = {"Authorization": f"Bearer {keys.create(SCOPES)}"}
        self.server = Server(data, "--cors-origin", site)
        self.client = self.server.client(headers=admin)

    def open(self, name: str) -> dict[str, str]:
        """A campaign, and what a page needs to call it."""
        assert self.client.post("/v1/campaigns", json={**PAGE, "name": name}).status_code == 201
        return {"url": self.server.url, "key": self.keys[name], "campaign": name}

    def rewards(self, name: str) -> list[float | None]:
        path = f"/v1/campaigns/{name}/decisions"
        return [one["reward"] for one in self.client.get(path).json()["decisions"]]


@pytest.fixture(scope="module")
def shop(tmp_path_factory: pytest.TempPathFactory, site: str) -> Iterator[Shop]:
    shop = Shop(tmp_path_factory.mktemp("service") / "data", site)
    yield shop
    shop.server.end()


@pytest.fixture
def visit(browser: Any, site: str) -> Iterator[Callable[[], Any]]:
    """Opens the shop's page; all pages of a test share a storage."""
    context = browser.new_context()

    def open_page(address: str = site) -> Any:
        page = context.new_page()
        page.goto(address)
        return page

    yield open_page
    context.close()


START = """async (shop) => {
    const { Client, LocalStorageJournal } = await import("floorline-client");
    const { url, key, campaign, timeoutMs = 20000, durable = true } = shop;
    const journal = durable ? new LocalStorageJournal() : undefined;
    window.client = new Client({ url, key, timeoutMs, journal, defaults: { [campaign]: "now" } });
    return await window.client.decide(campaign);
}"""
STORED = "() => Object.keys(localStorage).filter((key) => key.startsWith('floorline:'))"


def test_a_page_decides_and_reports(shop: Shop, visit: Any) -> None:
    page = visit()
    decision = page.evaluate(START, shop.open("plain"))
    assert decision["ticket"] and decision["arm"] == "now"
    assert page.evaluate("(ticket) => client.reward(ticket, 0.5)", decision["ticket"])
    assert len(page.evaluate(STORED)) == 1
    assert page.evaluate("() => client.flush(20000)")
    assert shop.rewards("plain") == [0.5]
    assert page.evaluate(STORED) == []


def test_rewards_of_an_outage_are_sent_by_the_next_page(
    shop: Shop, visit: Any, wait_until: Any
) -> None:
    settings = shop.open("outage")
    # The browser's own offline mode lets through what a page sends while it is closed.
    network = TcpProxy("127.0.0.1", int(shop.server.url.rpartition(":")[2]))
    page = visit()
    ticket = page.evaluate(START, {**settings, "url": f"http://127.0.0.1:{network.port}"})["ticket"]
    network.close()
    page.evaluate("(ticket) => client.reward(ticket, 0.25)", ticket)
    assert page.evaluate("() => client.flush(300)") is False
    page.close()
    assert shop.rewards("outage") == [None]
    later = visit()
    assert later.evaluate(STORED) == [f"floorline:reward:{ticket}:0.25"]
    later.evaluate(START, settings)
    wait_until(lambda: shop.rewards("outage")[0] == 0.25)
    later.wait_for_function("() => !Object.keys(localStorage).length")


def test_a_reward_is_sent_while_the_page_is_left(shop: Shop, visit: Any, wait_until: Any) -> None:
    """Also if all rewards that wait are more than a browser sends then."""
    page = visit()
    ticket = page.evaluate(START, {**shop.open("leaving"), "durable": False})["ticket"]
    page.evaluate(
        """(ticket) => {
            client.reward(ticket, 1);
            for (let n = 0; n < 999; n++) client.reward("1-1-1", n, { latency_ms: n });
            location.href = "about:blank";
        }""",
        ticket,
    )
    wait_until(lambda: shop.rewards("leaving") == [1])


def test_a_slow_service_gives_the_default_arm(shop: Shop, visit: Any) -> None:
    page = visit()
    page.route("**/decisions", lambda route: None)  # never answered
    decision = page.evaluate(START, {**shop.open("slow"), "timeoutMs": 100})
    assert (decision["arm"], decision["ticket"], decision["reason"]) == ("now", None, "timeout")


def test_a_key_that_can_do_more_is_refused(shop: Shop, visit: Any) -> None:
    settings = shop.open("strict")
    page = visit()
    for key in shop.too_powerful:
        decision = page.evaluate(START, {**settings, "key": key})
        assert decision["reason"] == "not-for-browsers"
    assert shop.rewards("strict") == []


def test_a_page_of_another_site_is_not_answered(shop: Shop, visit: Any, site: str) -> None:
    page = visit(site.replace("127.0.0.1", "localhost"))
    assert page.evaluate(START, shop.open("foreign"))["reason"] == "unreachable"
    assert shop.rewards("foreign") == []


@pytest.mark.skipif(not SDK.exists(), reason="OpenFeature's SDK is not installed: run make node")
def test_openfeature_on_a_page(shop: Shop, visit: Any) -> None:
    settings = shop.open("flag")
    found = visit().evaluate(
        """async ({ url, key, campaign }) => {
            const { OpenFeature } = await import("@openfeature/web-sdk");
            const { Client } = await import("floorline-client");
            const { FloorlineWebProvider } = await import("floorline-client/openfeature-web");
            const client = new Client({ url, key, timeoutMs: 20000 });
            await OpenFeature.setProviderAndWait(new FloorlineWebProvider(client, [campaign]));
            const flags = OpenFeature.getClient();
            const details = flags.getStringDetails(campaign, "other");
            flags.track("click", { value: 0.75, ticket: details.flagMetadata.ticket });
            await OpenFeature.clearProviders();
            return details;
        }""",
        settings,
    )
    assert (found["value"], found["reason"]) == ("now", "DEFAULT")
    assert shop.rewards("flag") == [0.75]


@pytest.mark.skipif(not SDK.exists(), reason="OpenFeature's SDK is not installed: run make node")
def test_openfeatures_own_ofrep_provider_on_a_page(shop: Shop, visit: Any) -> None:
    settings = shop.open("ofrep")
    page = visit()
    statuses: list[int] = []
    page.on("response", lambda answer: statuses.append(answer.status))
    found = page.evaluate(
        """async ({ url, key, campaign }) => {
            const { OpenFeature, ProviderEvents } = await import("@openfeature/web-sdk");
            const { OFREPWebProvider } = await import("@openfeature/ofrep-web-provider");
            const { Client } = await import("floorline-client");
            const { rewardTracker } = await import("floorline-client/openfeature-web");
            const client = new Client({ url, key });
            const headers = [["Authorization", `Bearer ${key}`]];
            const options = { baseUrl: url, pollInterval: 50, headers, cacheMode: "disabled" };
            const track = rewardTracker(client);
            const provider = Object.assign(new OFREPWebProvider(options), { track });
            await OpenFeature.setContext({ targetingKey: "visitor" });
            await OpenFeature.setProviderAndWait(provider);
            const flags = OpenFeature.getClient();
            const details = flags.getStringDetails(campaign, "other");
            flags.track("click", { value: 0.75, ticket: details.flagMetadata.ticket });
            await client.flush(20000);
            return details;
        }""",
        settings,
    )
    assert (found["value"], found["reason"]) == ("now", "DEFAULT")
    while 304 not in statuses:  # it polls
        page.wait_for_event("response")
    assert shop.rewards("ofrep") == [0.75]
