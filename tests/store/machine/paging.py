"""Reads all pages of a query, forwards or backwards, and fails if they do not end."""

from __future__ import annotations

from typing import Any, Literal

import pytest

from pksk import Query, Store

__all__ = ["walked"]

# More pages than any test has rows.
_MOST = 200


def walked(db: Store, query: Query[Any], way: Literal["after", "before"], cursor: str | None) -> list[Any]:
    """All pages from a cursor on."""
    pages = []
    for _ in range(_MOST):
        after, before = (cursor, None) if way == "after" else (None, cursor)
        page = db.page(query, after=after, before=before)
        pages.append(list(page))
        cursor = page.next if way == "after" else page.previous
        if cursor is None:
            return pages
    return pytest.fail("the pages have no end")
