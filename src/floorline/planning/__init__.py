"""Planning: what to expect of a campaign before it starts."""

from floorline.planning.outlook import Band, Case, Outlook, Range, outlook, outlooks
from floorline.planning.question import BOUNDARIES, FLOORS, Question

__all__ = [
    "BOUNDARIES",
    "FLOORS",
    "Band",
    "Case",
    "Outlook",
    "Question",
    "Range",
    "outlook",
    "outlooks",
]
