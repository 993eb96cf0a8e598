"""The report of a campaign: one self-contained page to share."""

from floorline.report.facts import ReportFacts, facts_of
from floorline.report.page import page_of

__all__ = ["ReportFacts", "facts_of", "page_of"]
