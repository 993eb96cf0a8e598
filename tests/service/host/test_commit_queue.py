"""Group commit: what is answered is durable, and a group that fails has not happened."""

from __future__ import annotations

import asyncio
import threading
from pathlib import Path
from typing import Any

import pytest

from floorline.live import Campaign, LedgerError, Ticket
from floorline.service.host import commit_queue, pending
from floorline.service.host.commit_queue import CommitQueue
from floorline.service.host.errors import Unavailable


def new(folder: Path) -> tuple[Campaign, CommitQueue, list[Any]]:
    campaign = Campaign.open(folder / "page.ledger", arms=["now", "video"], max_loss=0.1)
    seen: list[Any] = []
    return campaign, CommitQueue(campaign, seen.append, lambda size, _: seen.append(size)), seen


def test_requests_that_wait_are_committed_together(tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        _, one, seen = new(tmp_path)
        await asyncio.gather(*(one.submit(Campaign.decide) for _ in range(2 * full + 7)))
        await one.close()
        return seen

    full = pending.MAX_GROUP
    seen = asyncio.run(ask())
    assert seen[::2] == [True] * 3
    assert seen[1::2] == [full, full, 7]


def test_a_group_waits_for_requests_that_are_being_read(tmp_path: Path) -> None:
    async def ask() -> list[Any]:
        _, one, seen = new(tmp_path)
        works = []
        for _ in range(10):
            works.append(one.submit(Campaign.decide))
            await asyncio.sleep(0)  # as if each were read in a turn of its own
        await asyncio.gather(*works)
        await one.close()
        return seen

    assert asyncio.run(ask()) == [True, 10]


def groups_of_one_who_asks_again(folder: Path, after_turns: int) -> list[Any]:
    """What is seen if another waits meanwhile, and an answer is read some turns later."""
    second_waits = threading.Event()

    def first(campaign: Campaign) -> Ticket:
        second_waits.wait()
        return campaign.decide()

    async def ask() -> list[Any]:
        _, one, seen = new(folder)
        answered = one.submit(first)
        await turns(10)  # until it is being run
        second = one.submit(Campaign.decide)
        second_waits.set()
        await answered
        await turns(after_turns)  # as if the answer were read, and another request sent
        await asyncio.gather(second, one.submit(Campaign.decide))
        await one.close()
        return seen

    async def turns(count: int) -> None:
        for _ in range(count):
            await asyncio.sleep(0)

    return asyncio.run(ask())


def test_a_group_waits_until_those_who_were_just_answered_can_ask_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Responses are written in the turn after that in which they are made."""
    monkeypatch.setattr(commit_queue, "MAX_GATHERING_SECONDS", 0.0)
    assert groups_of_one_who_asks_again(tmp_path, after_turns=2) == [True, 1, True, 2]


def test_a_small_group_waits_for_those_who_were_just_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_queue, "GATHERING_SHARE", 1e9)
    monkeypatch.setattr(commit_queue, "MAX_GATHERING_SECONDS", 0.3)
    assert groups_of_one_who_asks_again(tmp_path, after_turns=10) == [True, 1, True, 2]


def test_batches_that_fill_a_group_do_not_wait(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a wait of hours the test would not end."""
    monkeypatch.setattr(commit_queue, "GATHERING_SHARE", 1e9)
    monkeypatch.setattr(commit_queue, "MAX_GATHERING_SECONDS", 1e4)

    async def ask() -> int:
        _, one, seen = new(tmp_path)
        await asyncio.gather(*(one.submit(Campaign.decide, pending.BATCH_SHARE) for _ in "abc"))
        await one.close()
        return len(seen) // 2

    assert asyncio.run(asyncio.wait_for(ask(), 30)) == 3


def test_a_queue_is_idle_once_the_last_is_answered(tmp_path: Path) -> None:
    async def ask() -> bool:
        _, one, _ = new(tmp_path)
        await one.submit(Campaign.decide)
        idle = one.is_idle
        await one.close()
        return idle

    assert asyncio.run(ask())


def wrong(campaign: Campaign) -> Ticket:
    return campaign.decide(candidate="radio")


def overflow(campaign: Campaign) -> Ticket:
    raise OverflowError("too large")


def run_out(campaign: Campaign) -> Ticket:
    return next(iter(()))


def interrupt(campaign: Campaign) -> Ticket:
    raise SystemExit


def test_an_interrupted_group_does_not_stall_the_queue(tmp_path: Path) -> None:
    async def ask() -> tuple[Any, int]:
        _, one, _ = new(tmp_path)
        found = await asyncio.gather(one.submit(interrupt), return_exceptions=True)
        await one.submit(Campaign.decide)
        decisions = (await one.submit(Campaign.status)).decisions
        await one.close()
        return found[0], decisions

    found, decisions = asyncio.run(asyncio.wait_for(ask(), 30))
    assert isinstance(found, Unavailable)
    assert decisions == 1


@pytest.mark.parametrize(
    ("work", "error"),
    [(wrong, ValueError), (overflow, OverflowError), (run_out, RuntimeError)],
)
def test_one_that_fails_does_not_harm_the_others(
    tmp_path: Path, work: Any, error: type[Exception]
) -> None:
    async def ask() -> tuple[list[Any], int]:
        _, one, _ = new(tmp_path)
        works = [one.submit(Campaign.decide), one.submit(work), one.submit(Campaign.decide)]
        found = await asyncio.gather(*works, return_exceptions=True)
        decisions = (await one.submit(Campaign.status)).decisions
        await one.close()
        return found, decisions

    found, decisions = asyncio.run(asyncio.wait_for(ask(), 30))
    assert isinstance(found[1], error)
    assert [type(one) for one in found[::2]] == [Ticket, Ticket]
    assert decisions == 2


def test_nothing_is_answered_before_it_is_durable(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(commit_queue, "FAILURE_PAUSE_SECONDS", 0.0)

    async def ask() -> tuple[list[Any], int]:
        campaign, one, seen = new(tmp_path)
        commit = campaign._ledger.commit
        fail = [True]

        def commit_or_not() -> None:
            if fail.pop() if fail else False:
                raise LedgerError("the disk is full")
            commit()

        monkeypatch.setattr(campaign._ledger, "commit", commit_or_not)
        works = [one.submit(Campaign.decide) for _ in range(3)]
        found = await asyncio.gather(*works, return_exceptions=True)
        assert seen == [False]
        assert one.failure == "the disk is full"
        decisions = (await one.submit(Campaign.status)).decisions
        assert one.failure is None
        await one.close()
        return found, decisions

    found, decisions = asyncio.run(ask())
    assert [type(one) for one in found] == [LedgerError] * 3
    assert decisions == 0


def test_after_a_failure_the_ledger_rests(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def ask() -> None:
        campaign, one, _ = new(tmp_path)
        monkeypatch.setattr(campaign._ledger, "commit", broken)
        with pytest.raises(LedgerError):
            await one.submit(Campaign.decide)
        with pytest.raises(Unavailable, match="broken"):
            one.submit(Campaign.decide)
        monkeypatch.undo()
        one._paused_until = 1e-9  # the pause is over
        await one.submit(Campaign.decide)
        await one.close()

    def broken() -> None:
        raise LedgerError("broken")

    asyncio.run(ask())


def test_too_much_waiting(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pending, "MAX_PENDING", 10)

    async def ask() -> None:
        _, one, _ = new(tmp_path)
        works = [one.submit(Campaign.decide) for _ in range(10)]
        with pytest.raises(Unavailable):
            one.submit(Campaign.decide)
        await asyncio.gather(*works)
        await one.submit(Campaign.decide)
        await one.close()

    asyncio.run(ask())


def test_a_client_that_has_gone_does_not_stop_the_others(tmp_path: Path) -> None:
    async def ask() -> int:
        _, one, _ = new(tmp_path)
        gone, there = one.submit(Campaign.decide), one.submit(Campaign.decide)
        gone.cancel()
        await there
        decisions = (await one.submit(Campaign.status)).decisions
        await one.close()
        return decisions

    assert asyncio.run(ask()) == 2


def test_those_who_look_on_do_no_harm(tmp_path: Path) -> None:
    def broken(*_: object) -> None:
        raise KeyError("after")

    async def ask() -> None:
        campaign, _, _ = new(tmp_path)
        for one in (CommitQueue(campaign, broken, broken), CommitQueue(campaign, print, broken)):
            for _ in range(2):
                await asyncio.wait_for(one.submit(Campaign.decide), 10)
        await one.close()

    asyncio.run(ask())


def test_batches_that_wait_leave_room_for_decisions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pending, "MAX_PENDING", 100)

    async def ask() -> None:
        _, queue, _ = new(tmp_path)
        batches = [queue.submit(Campaign.status, 50) for _ in range(2)]
        with pytest.raises(Unavailable):
            queue.submit(Campaign.status, 50)
        await queue.submit(Campaign.decide)
        await asyncio.gather(*batches)
        await queue.submit(Campaign.status, 50)
        await queue.close()

    asyncio.run(ask())


def test_decisions_go_first_and_batches_have_a_share(tmp_path: Path) -> None:
    order: list[str] = []

    async def ask() -> list[Any]:
        _, queue, seen = new(tmp_path)
        works = [
            queue.submit(lambda _: order.append("batch"), pending.BATCH_PART) for _ in range(8)
        ]
        works += [queue.submit(lambda _: order.append("single")) for _ in range(2 * full + 88)]
        await asyncio.gather(*works)
        await queue.close()
        return seen

    full = pending.MAX_GROUP
    sizes = asyncio.run(ask())[1::2]
    groups = [order[sum(sizes[:i]) : sum(sizes[: i + 1])] for i in range(len(sizes))]
    counts = [(group.count("single"), group.count("batch")) for group in groups]
    assert counts == [(full, 1), (full, 1), (88, 3), (0, 3)]
    assert all(group == sorted(group, reverse=True) for group in groups)  # single ones first
