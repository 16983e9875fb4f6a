"""Why a report is rejected."""

from __future__ import annotations


class ReportRejected(Exception):
    """A report that is not taken; nothing was changed."""


class ReporterTooFar(ReportRejected):
    """The reporter is too far from the place."""


class TooSoon(ReportRejected):
    """The sender reported another place within a quarter of an hour."""


class TooMany(ReportRejected):
    """The sender has sent as many reports as it may in a day."""


class ReportTooOld(ReportRejected):
    """The report is older than what is counted still."""


class ReportInFuture(ReportRejected):
    """The moment of the report has not come; counted, it would make all that come before it too old."""
