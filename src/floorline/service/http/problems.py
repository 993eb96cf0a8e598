"""Errors as problem documents (RFC 9457)."""

from __future__ import annotations

import logging
import re
import secrets
from collections.abc import Mapping
from http import HTTPStatus

import msgspec

from floorline.live import Conflict, LedgerError, Stopped, UnknownTicket
from floorline.service.host.errors import CampaignExists, Unavailable, UnknownCampaign

log = logging.getLogger("floorline.service")

MEDIA_TYPE = "application/problem+json"

NAMED_ERRORS: dict[type[Exception], tuple[int, str]] = {
    UnknownTicket: (404, "unknown-ticket"),
    UnknownCampaign: (404, "unknown-campaign"),
    CampaignExists: (409, "exists"),
    Stopped: (409, "stopped"),
    Conflict: (409, "conflict"),
    ValueError: (422, "invalid"),
}
"""Errors that a request causes: the status and the last word of the problem's type."""


class ProblemDocument(msgspec.Struct):
    """What went wrong. Where `default_arm` is given, it is always safe to play."""

    type: str
    """`urn:floorline:problem:` and a word that never changes."""
    title: str
    status: int
    detail: str
    """What is wrong with this request."""
    default_arm: str | None
    """The arm to play instead: the default, or what a finished or stopped campaign serves; null if
    the path names no campaign or the arm is not known."""
    request_id: str
    """Identifies this response in the service's log."""


class Problem(Exception):  # noqa: N818 (named for RFC 9457's problem details)
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
        """Return the body of the response, with a new request id."""
        return ProblemDocument(
            f"urn:floorline:problem:{self.word}",
            HTTPStatus(self.status).phrase,
            self.status,
            self.detail,
            default_arm,
            secrets.token_hex(8),
        )


class KeysError(ValueError):
    """The file of the keys cannot be read."""


def without_folder(text: str) -> str:
    """Return the message without the folder of a ledger, which clients must not learn.

    >>> without_folder("campaign page: /var/lib/shop/campaigns/page.ledger: the disk is full")
    'campaign page: page.ledger: the disk is full'
    >>> without_folder("postgresql://me@db:5432/shop/page: the database cannot be reached")
    'page: the database cannot be reached'
    """
    text = re.sub(r"postgresql://\S*/(?=[^/\s]*)", "", text)
    return re.sub(r"(^|: )[^:]*/(?=[^/]*\.ledger)", r"\1", text)


def problem_of(error: Exception) -> Problem:
    """Return the problem to respond with. An internal error is logged."""
    if isinstance(error, Problem):
        return error
    if isinstance(error, KeysError):
        log.error("the keys cannot be read; every request is refused", extra={"why": str(error)})
        return unavailable("the service cannot read its keys; see its log", 5)
    if isinstance(error, Unavailable):
        return unavailable(str(error), error.retry_after)
    if isinstance(error, LedgerError):
        return unavailable(str(error))
    if isinstance(error, OSError):
        return unavailable(error.strerror or "a file cannot be used")
    for kind, (status, word) in NAMED_ERRORS.items():
        if isinstance(error, kind):
            return Problem(status, word, str(error))
    log.error("internal error", exc_info=error)
    return Problem(500, "internal", "something is wrong with the service; see its log")


def unavailable(detail: str, retry_after: int = 1) -> Problem:
    """Return a 503 that says after how many seconds a retry makes sense."""
    return Problem(503, "unavailable", without_folder(detail), {"Retry-After": str(retry_after)})
