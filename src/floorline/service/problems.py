"""Errors as problem documents (RFC 9457), one shape everywhere."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from floorline.live import Conflict, LedgerError, Stopped, UnknownTicket

log = logging.getLogger("floorline.service")

MEDIA_TYPE = "application/problem+json"


class ProblemDocument(msgspec.Struct):
    """What went wrong. Where `default_arm` is told, it is always safe to play."""

    type: str
    """`urn:floorline:problem:` and a word that stays the same."""
    title: str
    status: int
    detail: str
    """What is wrong with this request, in words."""
    default_arm: str | None
    """The arm to play instead; null where the path tells no campaign, or it is not known."""
    request_id: str
    """Names this answer in the service's log."""


class Problem(Exception):  # noqa: N818 (it is what the answer is called)
    """Ends a request with a problem document."""

    def __init__(
        self, status: int, word: str, detail: str, headers: Mapping[str, str] | None = None
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.word = word
        self.detail = detail
        self.headers = headers or {}

    def document(self, default_arm: str | None = None) -> ProblemDocument:
        """The answer's body, with a new request id."""
        return ProblemDocument(
            f"urn:floorline:problem:{self.word}", HTTPStatus(self.status).phrase, self.status,
            self.detail, default_arm, secrets.token_hex(8),
        )  # fmt: skip


class KeysError(ValueError):
    """A file that decides who may come in cannot be read."""


def unavailable(detail: str, seconds: int = 1) -> Problem:
    """The ledger cannot be used now."""
    return Problem(503, "unavailable", without_folder(detail), {"Retry-After": str(seconds)})


def without_folder(text: str) -> str:
    """The same without the folder of a ledger, which is nobody's business but the log's.

    >>> without_folder("campaign page: /var/lib/shop/campaigns/page.ledger: the disk is full")
    'campaign page: page.ledger: the disk is full'
    """
    return re.sub(r"(^|: )[^:]*/(?=[^/]*\.ledger)", r"\1", text)


def problem_of(error: Exception) -> Problem:
    """The problem that an error is; one that should not happen is logged."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, UnknownTicket):
        return Problem(404, "unknown-ticket", str(error))
    if isinstance(error, Stopped):
        return Problem(409, "stopped", str(error))
    if isinstance(error, Conflict):
        return Problem(409, "conflict", str(error))
    if isinstance(error, KeysError):
        log.error("nobody is let in", extra={"why": str(error)})
        return unavailable("the service cannot read its keys; see its log", 5)
    if isinstance(error, LedgerError):
        return unavailable(str(error))
    if isinstance(error, OSError):
        return unavailable(error.strerror or "a file cannot be used")
    if isinstance(error, ValueError):
        return Problem(422, "invalid", str(error))
    log.error("internal error", exc_info=error)
    return Problem(500, "internal", "something is wrong with the service; see its log")
