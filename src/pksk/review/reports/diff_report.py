"""The mechanical fixes of a review as one patch."""

from __future__ import annotations

from collections.abc import Iterable

from pksk.review.change import Edit, change
from pksk.review.review import Review


def diff_report(review: Review) -> str:
    """One unified diff with all fixes, without those that change the same lines as a fix before them."""
    chosen: dict[Edit, None] = {}
    for finding in review.findings:
        edits = finding.change.edits if finding.change else ()
        if not any(_touch(each, chosen) for each in edits if each not in chosen):
            chosen.update(dict.fromkeys(edits))
    combined = change(*chosen)
    return combined.diff if combined is not None else ""


def _touch(edit: Edit, others: Iterable[Edit]) -> bool:
    """Whether an edit is in the lines of another one."""
    return any(
        edit.file == each.file and edit.first_line <= each.last_line and each.first_line <= edit.last_line
        for each in others
    )
