"""Running a campaign: pause, finish, stop, arms, notes, and settings that may change."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from floorline.core.checks import choice
from floorline.live.erasure import erase
from floorline.live.errors import Conflict, Stopped
from floorline.live.notes import checked_labels, checked_note
from floorline.live.recorder import Recorder
from floorline.live.roster import addable, promotable, promotable_anew, retirable
from floorline.live.settings import CHANGEABLE, CHANGEABLE_IN_NEW_EPOCH, CampaignSettings
from floorline.live.state import State


class Controls:
    """The operations for whoever runs a campaign."""

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    @property
    def _state(self) -> State:
        return self._recorder.state

    @property
    def settings(self) -> CampaignSettings:
        """What the campaign was opened with, and what has been changed since."""
        return self._state.settings

    def pause(self) -> None:
        """Play the default arm until `resume`. Rewards are still recorded."""
        self._recorder.run(self._switch, "paused")

    def resume(self) -> None:
        """Go on after `pause`."""
        self._recorder.run(self._switch, "resumed")

    def _switch(self, kind: str) -> None:
        self._refuse_if_ended()
        if self._state.paused != (kind == "paused"):
            self._recorder.record(kind)

    def finish(self, arm: str) -> None:
        """Declare a winner: it is served from now on, and nothing else.

        There is no holdback and no fallback to the default any more, and nothing is promised about
        decisions from now on. Decisions and rewards are still recorded.

        Raises:
            Conflict: the campaign was finished with another arm.
            Stopped: it was stopped.
        """
        winner = choice("arm", arm, self.settings.arms)
        with self._recorder.transaction():
            if self._state.finished and self._state.serves == winner:
                return
            self._refuse_if_ended()
            self._recorder.record("changed", body={"finished": True, "serves": winner})

    def stop(self, arm: str | None = None) -> None:
        """End the campaign for good. Rewards are still recorded.

        Args:
            arm: the arm that everybody should get from now on; by default the winner of a
                finished campaign, else the default. The campaign no longer decides: `decide`
                raises Stopped, which names this arm.

        Raises:
            Conflict: it was stopped with another arm.
        """
        arms = self.settings.arms
        wanted = None if arm is None else choice("arm", arm, arms)
        with self._recorder.transaction():
            state = self._state
            if not state.stopped:
                body = {"stopped": True, "serves": wanted or state.serves or arms[0]}
                self._recorder.record("changed", body=body)
            elif wanted not in (None, state.serves):
                raise Conflict(f"arm: the campaign was stopped with {state.serves}, not {wanted}")

    def add_arm(self, arm: str) -> None:
        """Add a challenger, from the next decision on.

        It has its own share of delta, so the campaign must have been opened with
        `arms_may_change=True`, except under the randomised floor.

        Raises:
            ValueError: the name is invalid, or that of the default or of a retired arm.
            Conflict: the campaign accepts no further arms, or is finished.
            Stopped: it was stopped.
        """
        with self._recorder.transaction():
            self._refuse_if_ended()
            name = addable(self._state, arm)
            if name not in self.settings.arms:
                self._recorder.record("changed", body={"added": name})

    def retire_arm(self, arm: str) -> None:
        """Stop playing a challenger, in this epoch and all later ones.

        Its plays stay charged, and rewards that still arrive count as before.

        Raises:
            ValueError: there is no such arm, or it is the default.
            Conflict: the campaign is finished.
            Stopped: it was stopped.
        """
        with self._recorder.transaction():
            self._refuse_if_ended()
            name = retirable(self._state, arm)
            if name not in self._state.withdrawn:
                self._recorder.record("changed", body={"retired": name})

    def promote_arm(self, arm: str) -> None:
        """Make a challenger the default, and the default a challenger, from the next decision on.

        The promise is then relative to whichever arm was the default at the time. This needs the
        confidence or the joint floor in a campaign that was opened with `arms_may_change=True`, or
        the randomised floor; see docs/guarantee.md.

        Raises:
            ValueError: there is no such arm, or it was retired.
            Conflict: the default cannot change here within an epoch (`start_epoch` takes another
                one), or the campaign is finished.
            Stopped: it was stopped.
        """
        with self._recorder.transaction():
            self._refuse_if_ended()
            name = promotable(self._state, arm)
            if name != self.settings.arms[0]:
                self._recorder.record("changed", body={"promoted": name})

    def note(self, text: str) -> None:
        """Record a remark, which is shown in the list of what happened to the campaign."""
        self._recorder.run(self._recorder.record, "noted", None, None, {"text": checked_note(text)})

    def label(self, labels: Sequence[str]) -> None:
        """Replace the campaign's labels, by which people find it."""
        body = {"labels": checked_labels(labels)}
        self._recorder.run(self._recorder.record, "noted", None, None, body)

    def erase(self, request_key: str | None = None, before: float | None = None) -> int:
        """Erase the request key and the context of one request, or of all decisions before a time.

        Return how many decisions had one. Decisions, rewards and checksums stay. A request with an
        erased key gets another decision.

        Raises:
            ValueError: neither or both are given, or no request can have this key.
            Conflict: the ledger was created before version 0.2, and cannot erase them.
        """
        return erase(self._recorder, request_key, before)

    def archive(self, archived: bool = True) -> None:
        """Hide the campaign from lists, or show it again. It continues as before."""
        with self._recorder.transaction():
            if self._state.archived != archived:
                self._recorder.record("noted", body={"archived": archived})

    @property
    def serves(self) -> str | None:
        """The arm that everybody gets for good, once the campaign is finished or stopped."""
        return self._state.serves

    def start_epoch(self, default: str | None = None, **settings: Any) -> None:
        """Start again, with counts, intervals and budget from zero, as after a drift alarm.

        The promise then holds for the new epoch separately. Rewards of earlier decisions are
        recorded and no longer used.

        Args:
            default: the default arm of the new epoch; the same as before unless given.
            settings: `floor`, `policy`, `holdback` and `arms_may_change` may change with it.
        """
        changed = self._changed_settings(settings, CHANGEABLE_IN_NEW_EPOCH)
        with self._recorder.transaction():
            self._refuse_if_ended()
            if default is not None:
                changed["promoted"] = promotable_anew(self._state, default)
            self._recorder.record("changed", body={"epoch": self._state.epoch + 1, **changed})

    def change(self, **settings: Any) -> None:
        """Change `policy` or `holdback`, on which the promise does not depend."""
        changed = self._changed_settings(settings, CHANGEABLE)
        self._refuse_if_floor_changes(changed)
        with self._recorder.transaction():
            self._refuse_if_ended()
            self._recorder.record("changed", body=changed)

    def _changed_settings(
        self, settings: dict[str, Any], allowed: tuple[str, ...]
    ) -> dict[str, Any]:
        """Return the settings as the ledger keeps them; raise ValueError if one is not allowed."""
        for name in settings:
            choice("setting", name, allowed)
        changed = CampaignSettings.from_json({**self.settings.to_json(), **settings})
        return {name: getattr(changed, name) for name in settings}

    def _refuse_if_floor_changes(self, changed: dict[str, Any]) -> None:
        """Raise ValueError if settings would change the floor, and so void its accounts."""
        settings = CampaignSettings.from_json({**self.settings.to_json(), **changed})
        if settings.to_policy().floor != self.settings.to_policy().floor:
            raise ValueError(
                f"{', '.join(changed)}: is part of the {settings.floor} floor, and changes only "
                "with a new epoch: use start_epoch"
            )

    def _refuse_if_ended(self) -> None:
        if self._state.stopped:
            raise Stopped("the campaign is stopped")
        if self._state.finished:
            raise Conflict(f"the campaign is finished: everybody gets {self._state.serves}")
