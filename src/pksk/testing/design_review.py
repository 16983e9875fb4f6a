"""The fixture `pksk_review`: a test that fails when a design gets new findings."""

from __future__ import annotations

from pathlib import Path

import pytest

from pksk.pages import printable
from pksk.review import Review, Severity, review
from pksk.review.baseline import without_baseline
from pksk.review.reports.text_report import text_report
from pksk.schema import Table


class DesignReview:
    """What the fixture gives a test: call it with the tables of a design."""

    def __init__(self, root: Path) -> None:
        self._root = root

    def __call__(
        self, *tables: Table, baseline: str | Path | None = None, fail_on: Severity = "warning"
    ) -> Review:
        """Review the tables as one system, and fail the test if there is a finding of this severity or a worse one.

        `baseline` is a file of known findings, relative to the root of the test run. Returns the review.
        """
        __tracebackhide__ = True
        result = review(*tables)
        if baseline is not None:
            result = without_baseline(result, self._root / baseline)
        if result.fails(fail_on):
            names = ", ".join(each.name for each in tables)
            what = "new findings" if baseline is not None else "findings"
            pytest.fail(printable(f"pksk_review: {what} in {names}.\n\n{text_report(result)}"), pytrace=False)
        return result
