"""The report of a campaign: one page to share, which needs nothing but itself."""

from floorline.report.facts import ReportFacts, facts_of
from floorline.report.page import page_of

__all__ = ["ReportFacts", "facts_of", "page_of"]
