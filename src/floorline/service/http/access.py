"""What the sender of a request may do, and with which campaigns."""

from __future__ import annotations

from dataclasses import dataclass

from floorline.live import UnknownTicket
from floorline.service.host.catalogue import Catalogue
from floorline.service.host.errors import UnknownCampaign
from floorline.service.http.cors import BROWSER_SCOPES


@dataclass(frozen=True, slots=True)
class Access:
    """The scopes and campaigns of a key.

    For a key that is limited to some campaigns, the others do not exist.
    """

    scopes: tuple[str, ...]
    campaigns: tuple[str, ...] | None = None
    """None for all."""

    @property
    def is_limited(self) -> bool:
        """Whether it is limited to some campaigns."""
        return self.campaigns is not None

    @property
    def suits_browsers(self) -> bool:
        """Whether a web page may have it: anybody who sees the page has it, too."""
        limited = self.campaigns is not None and len(self.campaigns) == 1
        return limited and set(self.scopes) <= set(BROWSER_SCOPES)

    def allows(self, scope: str) -> bool:
        """Return whether it has a scope."""
        return scope in self.scopes

    def sees(self, name: str) -> bool:
        """Return whether it reaches a campaign, if there is one of this name."""
        return self.campaigns is None or name in self.campaigns

    def check_path(self, catalogue: Catalogue, path: dict[str, str]) -> None:
        """Raise UnknownCampaign or UnknownTicket if a path names a campaign out of reach."""
        if self.campaigns is None:
            return
        name = path.get("name", path.get("key"))
        if name is not None and not self.sees(name):
            raise UnknownCampaign(name)
        if name is None and "ticket" in path:
            self.name_of_ticket(catalogue, path["ticket"])

    def name_of_ticket(self, catalogue: Catalogue, ticket: str) -> str:
        """Return the name of the campaign of a ticket.

        Raises:
            UnknownTicket: it belongs to no campaign, or to one that is out of reach.
            Unavailable: it may belong to a campaign whose id is not known.
        """
        name = catalogue.name_of_ticket(ticket)
        if not self.sees(name):
            raise UnknownTicket(f"ticket {ticket}: there is no such decision")
        return name


NOBODY = Access((), ())
