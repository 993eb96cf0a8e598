"""Planning: what to expect of a campaign before it starts."""

from floorline.planning.outlook import Band, Forecast, Outlook, Range, outlook, outlooks
from floorline.planning.question import Question

__all__ = [
    "Band",
    "Forecast",
    "Outlook",
    "Question",
    "Range",
    "outlook",
    "outlooks",
]
