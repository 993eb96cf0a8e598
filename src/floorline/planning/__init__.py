"""Planning: what to expect of a campaign before it starts."""

from floorline.planning.outlook import Case, Outlook, majority_round, outlook, outlooks
from floorline.planning.question import Question

__all__ = ["Case", "Outlook", "Question", "majority_round", "outlook", "outlooks"]
