"""Why a report is rejected."""

from __future__ import annotations


class ReportRejected(Exception):
    """A report that is rejected; nothing was changed."""


class ReporterTooFar(ReportRejected):
    """The reporter is too far from the place."""


class TooSoon(ReportRejected):
    """The sender reported another place within a quarter of an hour."""


class TooMany(ReportRejected):
    """The sender has sent the maximum number of reports for a day."""


class ReportTooOld(ReportRejected):
    """The report is too old to be counted."""


class ReportInFuture(ReportRejected):
    """The report is in the future; counting it would make all earlier reports of its cell too old."""


class OffTheMap(ValueError):
    """A view that cannot be shown."""
