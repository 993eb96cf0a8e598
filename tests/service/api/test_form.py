"""The form of a new campaign: a number that cannot be read never becomes a default."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest
from browsing import expect, ready
from serving import Server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    started = Server(tmp_path_factory.mktemp("service") / "data")
    yield started
    started.end()


@pytest.fixture
def form(server: Server, look: Callable[..., Any]) -> Any:
    """The form, with all that has no default."""
    page = ready(look(server.url))
    page.click("#new")
    page.click("text=More settings")
    page.fill("#name", "landing")
    page.fill("#arms", "now\nvideo")
    page.check("#missing-unknown")
    return page


def enter(page: Any, field: str, text: str) -> None:
    """Type it, as `fill` would refuse what is not a number."""
    page.fill(field, "")
    page.locator(field).press_sequentially(text)


@pytest.mark.parametrize(
    "name", ["max_loss", "delta", "low", "high", "holdback", "drift_level", "default_mean"]
)
def test_what_is_not_a_number_is_refused(server: Server, form: Any, name: str) -> None:
    """The browser gives it as an empty text."""
    enter(form, f"#{name}", "0.2e")
    form.click("text=Open the campaign")
    expect(form.locator(f"#{name}-error")).to_have_text("must be a number")
    expect(form.locator(f"#{name}")).to_be_focused()
    expect(form.locator(f"#{name}")).to_have_value("")
    with server.client() as client:
        assert client.get("/v1/campaigns").json()["campaigns"] == []


@pytest.mark.parametrize("name", ["max_loss", "delta"])
def test_an_emptied_share_promises_nothing(form: Any, name: str) -> None:
    form.fill(f"#{name}", "")
    expect(form.locator(f"#{name}-hint")).to_have_text("A share from 0 to 1, such as 0.1 for 10%.")
    form.click("text=Open the campaign")
    expect(form.locator(f"#{name}-error")).to_have_text("must be given")
    form.fill(f"#{name}", "0.1")
    expect(form.locator(f"#{name}-hint")).to_contain_text("90%")


def test_a_number_of_a_guardrail_is_named(form: Any) -> None:
    form.click("text=Add a guardrail")
    form.fill("#guardrail-1-name", "latency_ms")
    enter(form, "#guardrail-1-limit", "8e")
    form.click("text=Open the campaign")
    expect(form.locator("#guardrails-error")).to_have_text("Limit, if any: must be a number")


def test_the_guardrail_that_is_wrong_gets_the_focus(form: Any) -> None:
    for row, (name, limit) in enumerate([("latency_ms", "5"), ("cost", "8e")], 1):
        form.click("text=Add a guardrail")
        form.fill(f"#guardrail-{row}-name", name)
        form.fill(f"#guardrail-{row}-low", "0")
        enter(form, f"#guardrail-{row}-limit", limit)
    form.fill("#guardrail-1-high", "9")
    form.click("text=Open the campaign")
    expect(form.locator("#guardrail-2-limit")).to_be_focused()  # not a number
    form.fill("#guardrail-2-limit", "8")
    form.focus("#name")
    form.click("text=Open the campaign")
    expect(form.locator("#guardrails-error")).to_contain_text("high")
    expect(form.locator("#guardrail-2-high")).to_be_focused()  # it is missing
    form.fill("#guardrail-2-high", "7")
    form.click("text=Open the campaign")
    expect(form.locator("#guardrails-error")).to_contain_text("must be a number at least 0")
    expect(form.locator("#guardrail-2-limit")).to_be_focused()  # it is above the highest value


def test_a_control_group_that_was_chosen_stays(form: Any) -> None:
    form.select_option("#floor", "randomised")
    expect(form.locator("#holdback")).to_have_value("0.05")
    form.fill("#holdback", "0.2")
    form.select_option("#floor", "joint")
    expect(form.locator("#holdback")).to_have_value("0.2")
