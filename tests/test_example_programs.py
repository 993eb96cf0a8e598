"""The programs in examples/, each against a real service, as their pages say."""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import shutil
import signal
import subprocess
import threading
from collections.abc import Callable, Iterator
from http.cookiejar import CookieJar
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, Request, build_opener, urlopen

import pytest

pytest.importorskip("starlette", reason="the extra [service] is not installed")

from floorline.cli.background import Background

EXAMPLES = Path(__file__).parents[1] / "examples"
WaitUntil = Callable[[Callable[[], bool]], None]
Ask = Callable[..., Any]
"""Asks a shop: method and path."""


class Example:
    """One of the programs, with a service that has its campaign."""

    def __init__(self, name: str, service: Background) -> None:
        self.folder = EXAMPLES / name
        self.url = service.url
        (block,) = re.findall(
            r"^```bash\n(.*?)^```", (self.folder / "README.md").read_text(), re.M | re.S
        )
        command, _, body = block.partition(" --json '")
        assert command == "curl -s http://127.0.0.1:8400/v1/campaigns"
        self.campaign = json.loads(body.rstrip().removesuffix("'"))["name"]
        self.send("/v1/campaigns", json.loads(body.rstrip().removesuffix("'")))

    def send(self, path: str, body: Any = None) -> Any:
        sent = None if body is None else json.dumps(body).encode()
        with urlopen(Request(self.url + path, sent, {"Content-Type": "application/json"})) as found:
            return json.load(found)

    def records(self) -> list[Any]:
        path = f"/v1/campaigns/{self.campaign}/decisions?limit=1000"
        found: list[Any] = self.send(path)["decisions"]
        return found

    def load(self, module: str) -> Any:
        """A module of the example, which finds the service by its variable."""
        spec = importlib.util.spec_from_file_location(module, self.folder / f"{module}.py")
        assert spec is not None and spec.loader is not None
        loaded = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(loaded)
        return loaded


@pytest.fixture
def example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], Example]]:
    service = Background(tmp_path / "service", 0)
    monkeypatch.setenv("FLOORLINE_URL", service.url)
    monkeypatch.chdir(tmp_path)
    yield lambda name: Example(name, service)
    service.end()


def visit(shop: Example, ask: Ask, wait_until: WaitUntil, forget: Callable[[], None]) -> None:
    """Three visits: one pays late and twice, one much, one nothing."""
    numbers = []
    for _ in range(3):
        forget()
        first = ask("GET", "/checkout")
        assert ask("GET", "/checkout") == first == {"checkout": "classic"}
        numbers.append(ask("POST", "/orders")["order"])
    assert len(shop.records()) == 3
    for number, amount in ((numbers[0], 49.5), (numbers[0], 49.5), (numbers[1], 5000)):
        assert ask("POST", f"/orders/{number}/paid?amount={amount}") == {"reported": True}
    wait_until(lambda: [one["reward"] for one in shop.records()] == [49.5, 200, None])


def test_the_shop_with_fastapi(example: Callable[[str], Example], wait_until: WaitUntil) -> None:
    pytest.importorskip("fastapi", reason="FastAPI is not installed")
    from starlette.testclient import TestClient

    shop = example("fastapi-shop")
    with TestClient(shop.load("shop").app) as client:
        ask = lambda method, path: client.request(method, path).json()  # noqa: E731
        visit(shop, ask, wait_until, client.cookies.clear)
        assert client.post("/orders/none/paid?amount=1").status_code == 404


def test_the_shop_with_flask(example: Callable[[str], Example], wait_until: WaitUntil) -> None:
    pytest.importorskip("flask", reason="Flask is not installed")
    shop = example("flask-shop")
    app = shop.load("shop").create_app()
    client = app.test_client()
    ask = lambda method, path: client.open(path, method=method).json  # noqa: E731
    visit(shop, ask, wait_until, lambda: client.delete_cookie("visit"))
    assert client.post("/orders/none/paid?amount=1").status_code == 404
    app.extensions["floorline"].close()
    assert Path("rewards.jsonl").read_text() == ""


@pytest.mark.skipif(
    shutil.which("node") is None or not (EXAMPLES / "node-shop" / "node_modules").exists(),
    reason="no Node, or no npm packages: the shop with Express is not tested; run make node",
)
def test_the_shop_with_express(example: Callable[[str], Example], wait_until: WaitUntil) -> None:
    shop = example("node-shop")
    environment = {**os.environ, "PORT": "0", "REWARDS": str(Path("rewards.jsonl").absolute())}
    command = ["node", "shop.js"]
    with subprocess.Popen(
        command, cwd=shop.folder, env=environment, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            assert process.stdout is not None
            url = process.stdout.readline().strip()
            cookies = CookieJar()
            opener = build_opener(HTTPCookieProcessor(cookies))

            def ask(method: str, path: str) -> Any:
                with opener.open(Request(url + path, method=method)) as found:
                    return json.load(found)

            visit(shop, ask, wait_until, cookies.clear)
        finally:
            process.send_signal(signal.SIGTERM)
        assert process.wait(30) == 0
    assert Path("rewards.jsonl").read_text() == ""


class Model(BaseHTTPRequestHandler):
    """Stands for a language model: its answers cost what the server says."""

    def do_POST(self) -> None:
        prompt = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["prompt"]
        answer = {"text": prompt.upper(), "cost": self.server.cost}  # type: ignore[attr-defined]
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps(answer).encode())

    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture
def start() -> Iterator[Callable[[ThreadingHTTPServer], str]]:
    """Runs servers until the test ends."""
    servers = []

    def run(server: ThreadingHTTPServer) -> str:
        servers.append(server)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        return f"http://127.0.0.1:{server.server_port}"

    yield run
    for server in servers:
        server.shutdown()
        server.server_close()


@pytest.mark.parametrize(("cost", "retired"), [(0.02, []), (0.09, ["large"])])
def test_the_router_of_language_models(
    example: Callable[[str], Example],
    start: Callable[[ThreadingHTTPServer], str],
    cost: float,
    retired: list[str],
) -> None:
    shown = example("llm-router")
    program = shown.load("router")
    models = {}
    for name, price in (("small", 0.001), ("large", cost)):
        server = ThreadingHTTPServer(("127.0.0.1", 0), Model)
        server.cost = price  # type: ignore[attr-defined]
        models[name] = start(server)
    router = program.Router(("127.0.0.1", 0), models)
    router.floorline.timeout = 10.0  # this machine may be busy
    url = start(router)
    rng = random.Random(1)
    used = []
    for _ in range(300):
        answer = program.post(f"{url}/complete", {"prompt": "hello"})
        assert answer["text"] == "HELLO"
        used.append(answer["model"])
        score = rng.random() if answer["model"] == "small" else 0.5 + rng.random() / 2
        scored = {"ticket": answer["ticket"], "score": score}
        assert program.post(f"{url}/scores", scored) == {"taken": True}
        assert router.floorline.flush(10)
    assert program.post(f"{url}/scores", scored) == {"taken": True}  # and once more
    records = shown.records()
    assert [one["arm"] for one in records] == used
    assert all(one["reward"] is not None for one in records)
    assert router.costs == {}
    status = shown.send(f"/v1/campaigns/{shown.campaign}")["status"]
    assert "The floor holds" in status["verdict"]
    assert status["retired"] == retired
    assert (used[-1] == "small") == bool(retired)  # the better one, unless it is too dear


def test_a_feature_flag(example: Callable[[str], Example]) -> None:
    pytest.importorskip("openfeature", reason="the extra [openfeature] is not installed")
    from openfeature import api

    shown = example("feature-flag")
    program = shown.load("checkout")
    assert program.serve("visit-0", buys=True) == "classic"  # without a provider
    program.set_up()
    for number in range(4):
        program.serve(f"visit-{number % 3}", buys=number == 1)
    api.shutdown()
    api.clear_providers()
    assert [one["reward"] for one in shown.records()] == [None, 1, None]
